extension TrustKit {
    /// A rule of `kTSKPinnedDomains` that a domain breaks, so that TrustKit throws an exception when the app starts.
    package enum Violation: Sendable, Hashable {
        /// The domain ends in nothing that the public suffix list knows.
        case noRegisteredSuffix
        /// Subdomains are included below a public suffix.
        case publicSuffixIncludesSubdomains
        /// An exempt domain has settings beside its exemption.
        case exclusionIsNotAlone
        /// An exempt domain is below none that includes its subdomains.
        case exclusionWithoutParent
        /// So many different pins are less than the number needed: two where pinning is enforced.
        case tooFewPins(Int, needed: Int)

        package func message(_ name: String) -> String {
            switch self {
            case .noRegisteredSuffix: "'\(name)' has no registered suffix: TrustKit does not take such a domain"
            case .publicSuffixIncludesSubdomains: "kTSKIncludeSubdomains cannot be set for the public suffix '\(name)'"
            case .exclusionIsNotAlone: "kSKExcludeSubdomainFromParentPolicy must be the only key of '\(name)'"
            case .exclusionWithoutParent: "'\(name)' is excluded, but no parent domain includes its subdomains"
            case .tooFewPins(let count, let needed):
                "'\(name)' has \(count == 1 ? "1 pin" : "\(count) different pins") and needs \(needed): add a backup pin"
            }
        }
    }

    /// The rules that an entry breaks among those of its configuration, in the order in which TrustKit looks at them; none for an entry
    /// that names no host.
    package static func violations(
        of entry: HostEntry, among entries: [HostEntry], publicSuffix: (String) -> String?
    ) -> [Violation] {
        guard let domain = entry.hosts?.name else { return [] }
        var violations: [Violation] = []
        let name = (try? ServerName(domain))?.description ?? domain
        let suffix = publicSuffix(name)
        // The library that TrustKit asks knows no suffix for a name directly above a rule such as *.kawasaki.jp.
        let isAboveWildcard = suffix != name && publicSuffix("a." + name) == "a." + name
        if suffix == nil || isAboveWildcard { violations.append(.noRegisteredSuffix) }
        if entry.includesSubdomains, suffix == name { violations.append(.publicSuffixIncludesSubdomains) }
        guard !entry.isExcluded else {
            if !entry.pins.isEmpty || entry.expiration != nil { violations.append(.exclusionIsNotAlone) }
            let hasParent = entries.contains { parent in
                parent.includesSubdomains && parent.hosts.map { domain.hasSuffix("." + $0.name) } == true
            }
            if !hasParent { violations.append(.exclusionWithoutParent) }
            return violations
        }
        let count = Set(entry.pins.map(\.spkiSHA256)).count
        let needed = entry.enforcesPinning ?? true ? 2 : 1
        if count < needed { violations.append(.tooFewPins(count, needed: needed)) }
        return violations
    }

    /// Whether TrustKit's hash of a key is that of its SubjectPublicKeyInfo, as pins are (`TSKSPKIHashCache`): it hashes a fixed header
    /// for the kind of the key, and the key as the system hands it out.
    ///
    /// It has headers for RSA with 2048, 3072 and 4096 bits, P-256 and P-384. Those of RSA have the lengths of a key with a public
    /// exponent of three bytes, as 65537 is.
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
}

extension HostEntry {
    /// Whether TrustKit counts names below the entry's to it.
    package var includesSubdomains: Bool { hosts?.depth == .anyNumber && !isExcluded }
}
