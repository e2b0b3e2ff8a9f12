/// TrustKit 3 on iOS: `TSKPinningValidator`, after the system trusts the chain; it hashes only the kinds of keys that
/// it knows, and gives up on a chain with another kind above the pinned certificate.
package struct TrustKit: ClientProcedure {
    /// `true` if a mismatch blocks the connection, `false` if it is only reported (`kTSKEnforcePinning`).
    package let enforcesPinning: Bool
    /// `kTSKExpirationDate`.
    private let expiration: Timestamp?
    /// The user's roots that TrustKit accepts without pins on a Mac; kTSKIgnorePinningForUserDefinedTrustAnchors is
    /// compiled for macOS only (datatheorem/TrustKit, `TrustKit.m`, `TSKPinningValidator.m`).
    private let rootsThatPassOnMacs: Set<Certificate>

    package init(
        pins: PinSet?, enforcesPinning: Bool = true, expiration: Timestamp? = nil,
        rootsThatPassOnMacs: Set<Certificate> = []
    ) throws(ClientConfigurationError) {
        if enforcesPinning, let pins, Set(pins.pins.map(\.spkiSHA256)).count < 2 {
            throw ClientConfigurationError(
                client: "trustkit", message: "1 pin is configured and TrustKit needs 2: add a backup pin")
        }
        (self.enforcesPinning, self.expiration) = (enforcesPinning, expiration)
        self.rootsThatPassOnMacs = rootsThatPassOnMacs
    }

    package var platform: Platform? { .apple() }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        .keys(of: pins, at: .anywhere, expiration: expiration, isEnforced: enforcesPinning)
    }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        let (system, pins) = (run.evaluate(run.serverPolicy), run.pins)
        run.record(system)
        let end = expiration.flatMap { $0 < run.view.time ? "the pinning policy expired at \($0)" : nil }
        if let why = pins == nil ? "the host has no pinning policy" : end {
            return run.acceptUnpinned("DomainNotPinned: \(why)", system, disposition: .performDefaultHandling)
        }
        guard system.isTrusted else {
            run.skip("pins", "FailedInvalidCertificateChain: blocked, enforced or not")
            return run.verdict(.untrusted(system.failures), on: system.builtChain)
        }
        let condition = PinComparison.Condition(pins)
        func isHashed(_ certificate: Certificate) -> Bool { Self.hashesAsPins(certificate.publicKey) }
        run.warnOfPathDependence(system) { chain -> Bool? in
            guard oddKey(on: chain, pins) == nil else { return nil }
            return !condition.matches(on: chain).contains { isHashed(chain.certificates[$0.depth]) }
        }
        if let odd = oddKey(on: system.builtChain, pins) {
            let why =
                "TrustKit's hash of the \(odd.publicKey.algorithm) key of \(odd) is not that of its SPKI; judged as blocked"
            run.fail("pins", "ErrorCouldNotGenerateSpkiHash: \(why)")
            return run.verdict(.clientError(name: "ErrorCouldNotGenerateSpkiHash", message: why), on: system.builtChain)
        }
        let verdict = run.compare(condition, on: system, isHashed: isHashed)
        guard verdict.reason.isPinMismatch else { return verdict }
        if let root = verdict.builtChain.certificates.last, rootsThatPassOnMacs.contains(root) {
            run.note(
                .trustKitOnMacOS,
                "on a Mac TrustKit lets a chain to an installed root pass, unless TSKIgnorePinningForUserDefinedTrustAnchors is NO; "
                    + "judged as on iOS")
        }
        guard !enforcesPinning else { return run.verdict(verdict.reason, on: verdict.builtChain, matches: []) }
        run.warn(.notEnforced, "no pin matches, and enforcePinning is off: TrustKit reports this and goes on")
        return run.verdict(.mismatchNotEnforced, on: verdict.builtChain, disposition: .useCredential)
    }

    /// The first certificate, from the root down to a pinned one, whose key TrustKit does not hash as pins do.
    private func oddKey(on chain: BuiltChain, _ pins: PinSet?) -> Certificate? {
        for certificate in chain.certificates.reversed() {
            guard Self.hashesAsPins(certificate.publicKey) else { return certificate }
            if pins?.isPinned(certificate) == true { return nil }
        }
        return nil
    }

    /// A rule of `kTSKPinnedDomains` that a domain breaks, so that TrustKit throws an exception when the app starts.
    package typealias Violation = (kind: FindingID, message: String)

    package static func lackOfSuffix(_ name: String) -> Violation {
        (.trustKitNoRegisteredSuffix, "'\(name)' has no registered suffix: TrustKit does not take such a domain")
    }

    /// `true` if TrustKit finds a registered suffix of a name, by the system's list, and by its own of 2018-07-10 if
    /// known to differ (datatheorem/TrustKit, `Dependencies/domain_registry`, compiled and compared).
    package static func hasRegisteredSuffix(_ domain: String, publicSuffix: (String) -> String?) -> Bool {
        let name = (try? ServerName(domain))?.description ?? domain
        let suffix = publicSuffix(name)
        // TrustKit's library finds no suffix for a name directly above a rule such as *.kawasaki.jp.
        let isAboveWildcard = suffix != name && publicSuffix("a." + name) == "a." + name
        return suffix != nil && !isAboveWildcard && !endsAtInnerNode(name)
    }

    /// The rules that an entry of a configuration breaks, in TrustKit's order; empty if the entry names no host.
    package static func violations(
        of entry: HostEntry, among entries: [HostEntry], publicSuffix: (String) -> String?,
        isRegistry: (String) -> Bool
    ) -> [Violation] {
        guard let domain = entry.hosts?.name else { return [] }
        var violations: [Violation] = []
        let name = (try? ServerName(domain))?.description ?? domain
        if !hasRegisteredSuffix(name, publicSuffix: publicSuffix) { violations.append(lackOfSuffix(domain)) }
        if entry.includesSubdomains, publicSuffix(name) == name {
            let words = "kTSKIncludeSubdomains cannot be set for the public suffix '\(domain)'"
            let age = "; TrustKit's list is of 2018-07-10: a suffix registered since then is none to it"
            violations.append((.trustKitPublicSuffix, words + (isRegistry(name) ? "" : age)))
        }
        guard !entry.isExcluded else {
            if !entry.pins.isEmpty || entry.expiration != nil {
                let words = "kSKExcludeSubdomainFromParentPolicy must be the only key of '\(domain)'"
                violations.append((.trustKitExclusionNotAlone, words))
            }
            let hasParent = entries.contains { parent in
                parent.includesSubdomains && parent.hosts.map { domain.hasSuffix("." + $0.name) } == true
            }
            if !hasParent {
                let words = "'\(domain)' is excluded, but no parent domain includes its subdomains"
                violations.append((.trustKitExclusionWithoutParent, words))
            }
            return violations
        }
        let count = Set(entry.pins.map(\.spkiSHA256)).count
        let needed = entry.enforcesPinning ?? true ? 2 : 1
        if count < needed {
            let words = "'\(domain)' has \(count == 1 ? "1 pin" : "\(count) different pins") and needs \(needed)"
            violations.append((.trustKitTooFewPins, words + ": add a backup pin"))
        }
        return violations
    }

    /// `true` if TrustKit's hash of a key is that of its SubjectPublicKeyInfo (`TSKSPKIHashCache`): it hashes a header
    /// and the key as the system hands it out, and the headers of RSA fit an exponent of three bytes, such as 65537.
    package static func hashesAsPins(_ key: PublicKey) -> Bool {
        let start = key.subjectPublicKeyInfo.prefix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return headers.contains { algorithm, header in algorithm == key.algorithm && start.hasPrefix(header) }
    }

    private static let headers: [(KeyAlgorithm, String)] = [
        (.rsa(bits: 2_048), "30820122300d06092a864886f70d01010105000382010f00"),
        (.rsa(bits: 3_072), "308201a2300d06092a864886f70d01010105000382018f00"),
        (.rsa(bits: 4_096), "30820222300d06092a864886f70d01010105000382020f00"),
        (.ec(curve: "P-256", bits: 256), "3059301306072a8648ce3d020106082a8648ce3d030107034200"),
        (.ec(curve: "P-384", bits: 384), "3076301006072a8648ce3d020106052b81040022036200"),
    ]

    /// The rules of TrustKit's list below domains that are not suffixes, each as its labels from the last one on.
    private static let rulesBelow: [String: [[Substring]]] = {
        func rules(_ texts: String...) -> [[Substring]] {
            texts.flatMap { text in
                let words = text.split(separator: " ")
                return words.count == 1 ? words : words.dropFirst().map { words[0] + $0 }
            }.map { $0.split(separator: ".").reversed() }
        }
        let second = "ap-northeast-2 ap-south-1 ca-central-1 eu-central-1 eu-west-2 eu-west-3 us-east-2"
        let first = "ap-northeast-1 ap-southeast-1 ap-southeast-2 eu-west-1 sa-east-1 us-east-1"
        return [
            "amazonaws.com": rules(
                "s3", "us-east-1", "*.compute", "*.compute-1", "*.elb",
                "s3- ap-northeast-1 ap-northeast-2 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1 eu-west-1 "
                    + "eu-west-2 eu-west-3 external-1 fips-us-gov-west-1 sa-east-1 us-east-2 us-gov-west-1 us-west-1 us-west-2",
                "s3-website- \(first) us-west-1 us-west-2", "s3. \(second)", "s3-website. \(second)",
                "s3.dualstack. \(second) \(first)"),
            "amazonaws.com.cn": rules("s3.cn-north-1", "cn-north-1.eb", "*.compute", "*.elb"),
            "fastly.net": rules("map", "freetls", "a.prod", "global.prod", "a.ssl", "b.ssl", "global.ssl"),
        ]
    }()

    /// `true` if the name ends at a node of the list that is not a rule: the library then finds no suffix.
    private static func endsAtInnerNode(_ name: String) -> Bool {
        guard let (domain, rules) = rulesBelow.first(where: { name == $0.key || name.hasSuffix("." + $0.key) }) else {
            return false
        }
        let labels = name.dropLast(domain.utf8.count).split(separator: ".").reversed()
        func length(_ rule: [Substring]) -> Int { zip(rule, labels).prefix { $0 == "*" || $0 == $1 }.count }
        let longest = rules.map(length).max() ?? 0
        return !rules.contains { $0.count == longest && length($0) == longest }
    }
}
