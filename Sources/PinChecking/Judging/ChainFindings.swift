import Base
import PinFormats
package import Pinning
import TLSProbe
import X509

/// CA names of TLS-intercepting proxies, in small letters, from their documentation: a hint, not a proof.
private let interceptors = [
    ("charles proxy", "Charles"), ("mitmproxy", "mitmproxy"), ("portswigger", "Burp Suite"),
    ("do_not_trust_fiddler", "Fiddler"), ("fiddler root certificate authority", "Fiddler"), ("proxyman ca", "Proxyman"),
    ("http toolkit ca", "HTTP Toolkit"), ("zed attack proxy", "ZAP"), ("zap root ca", "ZAP"), ("zscaler", "Zscaler"),
    ("netskope", "Netskope"), ("goskope.com", "Netskope"), ("fortinet", "Fortinet"), ("fortigate", "Fortinet"),
    ("cisco umbrella", "Cisco Umbrella"), ("kaspersky anti-virus personal root", "Kaspersky"),
    ("eset ssl filter ca", "ESET"),
]

extension HostPolicy {
    func findings(on clients: [ClientVerdict], _ views: [ServerView], _ interception: Finding?) -> [Finding] {
        let ranked = clients.ranked
        var findings = warnings(of: clients) + platformRules(ranked) + missingClients(clients)
        if let deciding = ranked.shown, let verdict = deciding.decided {
            let store = deciding.judgedDevice.verifier.trustStore
            if verdict.isMissingAnchor, let places = store.placesWithoutSystemRoots {
                let message = "this machine has no trusted roots (\(places))"
                findings.append(.warning(.noSystemRoots, message, remedy: .giveRoots))
            }
            findings += misreadPinWarnings(
                (views.flatMap(\.presented.certificates) + verdict.builtChain.certificates).distinct)
        }
        if interception?.isInterception == true { for index in findings.indices { findings[index].remedy = nil } }
        let isRefused = !ranked.isEmpty && ranked.allSatisfy { $0.isAccepted == false }
        let notes = ranked.flatMap { $0.decided?.findings ?? [] }.filter { $0.level == .note }.distinct
        let interception = [interception].compactMap(\.self)
        return findings + interception.filter { $0.level == .warning }
            + views.compactMap { $0.evidence?.finding(isRefused: isRefused) }.distinct + remarks
            + rootNotes(on: ranked, views[0]) + differentLeaves(of: ranked) + notes
            + interception.filter { $0.level == .note }
    }

    private func differentLeaves(of ranked: [ClientVerdict]) -> [Finding] {
        let leaves = ranked.grouped { $0.handshake?.presented.leaf }.filter { $0.key != nil }
        guard leaves.count > 1 else { return [] }
        let parts = leaves.map { leaf, some in
            "\(ranked.names(of: some)) \(leaf?.spkiSHA256.description ?? "")"
        }.listed
        return [Finding(.keyTypesDiffer, .note, "clients get the key that fits their TLS: \(parts)")]
    }

    /// The warnings of verdicts; a client's warning on several devices counts once.
    func warnings(of clients: [ClientVerdict]) -> [Finding] {
        let all = clients.ranked.flatMap { one in (one.decided?.warnings ?? []).map { (warning: $0, client: one) } }
        return all.grouped { [$0, $1.device == nil ? "\($1.rank)" : $1.name] as [AnyHashable] }.map { _, alike in
            var warning = alike[0].warning
            if clients.count > 1 { warning.message = "\(clients.names(of: alike.map(\.client))): \(warning.message)" }
            return warning
        }
    }

    private func platformRules(_ ranked: [ClientVerdict]) -> [Finding] {
        let refusing = ranked.compactMap(\.decided?.refusingPlatform)
        return PlatformFamily.allCases.filter(refusing.contains).map { platform in
            .warning(
                .platformRule, "the reason is a rule of \(platform.title), not the pins",
                remedy: lists == nil ? .chooseAnotherPlatform(than: platform) : nil)
        }
    }

    func missingClients(_ clients: [ClientVerdict]) -> [Finding] {
        clients.filter(\.isNotSetUp).grouped(by: \.client.client).map { client, missing in
            .warning(.clientNotSetUp, "\(client.name) cannot be set up: \(missing[0].reason.sentence)")
        }
    }

    private func misreadPinWarnings(_ certificates: [Certificate]) -> [Finding] {
        let keys = Set(certificates.map(\.spkiSHA256))
        let unknown = (pins?.pins ?? []).enumerated().filter { $1.certificate == nil && !keys.contains($1.spkiSHA256) }
        guard !unknown.isEmpty else { return [] }
        return certificates.flatMap { certificate in
            certificate.otherHashes.compactMap { hash, kind in
                guard let index = unknown.first(where: { $1.spkiSHA256 == hash })?.offset else { return nil }
                let what =
                    switch kind {
                    case .bareKey:
                        "bare key of \(certificate), as Node's cert.pubkey and iOS's SecKeyCopyExternalRepresentation "
                            + "give it; clients hash the SubjectPublicKeyInfo"
                    case .certificate: "certificate \(certificate), not of its key"
                    case .keyAsText: "key of \(certificate) as PEM text, not of the key"
                    }
                let right = "pin \(certificate.spkiSHA256)\(kind == .bareKey ? " instead" : "")"
                return .warning(
                    kind == .bareKey ? .bareKeyPin : .certificateHashPin,
                    "pin \(index + 1) is the hash of the \(what): \(right)")
            }
        }
    }

    private func rootNotes(on clients: [ClientVerdict], _ view: ServerView) -> [Finding] {
        guard let lists else { return [] }
        let named = devices.filter(\.usesOwnRoots).compactMap(\.device)
        var chains = clients.compactMap(\.decided).flatMap { verdict in
            verdict.restsOn.map(BuiltChain.verified) + [verdict.builtChain]
        }
        if clients.contains(where: { $0.judgedDevice.device != nil && $0.decided?.isMissingAnchor == true }) {
            // Another device may have the root that this one lacks.
            let question = PathQuestion(
                presented: view.presented, intermediates: intermediates, anchors: .trustStore, policy: .basicX509,
                time: view.time)
            chains.append(lists.verifier.evaluate(question).builtChain)
        }
        return chains.filter(\.isVerified).compactMap(\.certificates.last).distinct.compactMap { root in
            let holders = lists.data.devices(listing: root.der)
            let missing = named.filter { !holders.contains($0) }
            guard !holders.isEmpty, !missing.isEmpty else { return nil }
            let places = PlatformFamily.allCases.filter { platform in named.contains { $0.platform == platform } }
                .map { lists.data.availability(of: root.der, on: $0) }
            let without = missing.map(\.name).inRows(of: named.map(\.name))
            return Finding(
                .rootNotEverywhere, .note,
                "the root \(root.commonName ?? root.subject) is not on \(without): it is " + places.listed)
        }
    }

    /// The finding on an interceptor or a root that is on no public list; a note if the root is given or rejected.
    func interceptionFinding(on clients: [ClientVerdict]) -> Finding? {
        let warning = privateRootWarning(on: clients)
        guard let shown = clients.shown, let path = shown.decided?.builtChain.certificates, let top = path.last,
            !isPublic(top)
        else { return warning }
        let device = shown.judgedDevice
        let isKnown =
            isNamed(top)
            || device.verifierWithInstalledRoots.trustStore.holds(top) && !device.verifier.trustStore.holds(top)
        if let finding = Finding.interceptor(making: path, isKnown: isKnown) ?? warning { return finding }
        guard shown.isAccepted == false, top.isSelfIssued, path.count > 1, !isKnown else { return nil }
        return .privateRoot(top, .note)
    }

    /// Warns if a client other than curl accepts a path to a root of this machine that is on no public list.
    private func privateRootWarning(on clients: [ClientVerdict]) -> Finding? {
        for one in clients where [.system, .both].contains(one.judgedDevice.trust) {
            guard one.client.client.platform != .openssl, let own = one.decided, own.isAccepted else { continue }
            let root = own.restsOn.lazy.compactMap(\.certificates.last).first {
                !isPublic($0) && !isNamed($0) && one.judgedDevice.verifier.trustStore.holds($0)
            }
            if let root { return .privateRoot(root) }
        }
        return nil
    }

    private func isPublic(_ root: Certificate) -> Bool {
        DeviceData.builtIn.lists(root.der) || settings.publicRoots.contains(root.der)
    }

    private func isNamed(_ root: Certificate) -> Bool {
        pins?.certificates.contains(root) == true || givenRoots?.holds(root) == true
    }
}

extension Verdict {
    var isMissingAnchor: Bool { reason.failures.contains(where: \.isMissingAnchor) }

    /// The platform that refuses; `nil` if others share its rule, as phones do for key usage.
    fileprivate var refusingPlatform: PlatformFamily? {
        if case .refusedByTransportSecurity = reason { return .apple }
        if case .keyUsage? = reason.failures.first?.reason { return nil }
        return reason.failures.first?.platform
    }
}

extension JudgedDevice {
    /// The reason for no verdict: the system's store is damaged where this chain's root or its distrust may be, or this
    /// OpenSSL does not know the leaf's key, which phones and newer OpenSSLs know.
    func obstacle(to verdict: Verdict) -> Reason? {
        let failures = verdict.reason.failures
        let damage = verifier.trustStore.damage(
            concerning: verdict.builtChain.certificates, whenMissing: failures.contains(where: \.lacksAnchor))
        if let damage {
            let advice = "reinstall ca-certificates, or give anchors"
            return Reason("damaged-trust-store", "the system's store is damaged in \(damage): \(advice)")
        }
        guard let first = failures.first(where: { $0.reason == .weakKey }), first.depth == 0 else { return nil }
        let key = first.certificate.publicKey.algorithm
        return key.isOfNewerOpenSSL
            ? Reason(
                "unknown-algorithm", "\(key), which this OpenSSL (\(OpenSSLVersion.number)) does not know; 3.5 does")
            : nil
    }
}

extension Finding {
    /// `true` if an interceptor causes all other findings: a remedy for the chain would mislead.
    package var isInterception: Bool { kind == .interceptor && level == .warning }

    static func interceptor(making path: [Certificate], isKnown: Bool = false) -> Finding? {
        // Hostile names may be long: the rest is not searched.
        let names = path.map { String($0.issuer.prefix(1_000)) }.joined(separator: "\n").lowercased()
        let known = interceptors.first { mark, _ in names.holds(mark) }
        guard let program = known?.1 else { return nil }
        let message = "this looks like \(program), a TLS-intercepting proxy: the issuer has its name"
        return isKnown ? Finding(.interceptor, .note, message) : .warning(.interceptor, message, remedy: .distrust)
    }

    static func privateRoot(_ root: Certificate, _ level: Level = .warning) -> Finding {
        let message = "root \(root.shownName) is on no public list: a private CA or a TLS-intercepting proxy"
        let remedy: Remedy? = level == .warning ? .nameRootOrDistrust : nil
        return Finding(.privateRoot, level, message, remedy: remedy)
    }
}

extension Certificate { package var shownName: String { commonName ?? description } }
