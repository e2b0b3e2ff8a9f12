/// The pinning policy TrustKit has for one domain.
public struct TrustKitDomain: Sendable, Hashable {
    /// The domain as it is written: TrustKit compares it as text.
    public let name: String
    /// `kTSKIncludeSubdomains`.
    public var includesSubdomains: Bool
    /// `kTSKEnforcePinning`: without it a mismatch is only reported.
    public var enforcesPinning: Bool
    /// `kTSKPublicKeyHashes`.
    public var hashes: [SHA256Digest]
    /// `kTSKExpirationDate`: midnight in UTC at the start of the day.
    public var expiration: Timestamp?
    /// `kTSKExcludeSubdomainFromParentPolicy`, a constant whose text is `kSKExcludeSubdomainFromParentPolicy`.
    public var isExcluded: Bool

    /// A policy; the values that are left out are TrustKit's defaults on iOS.
    public init(
        name: String, includesSubdomains: Bool = false, enforcesPinning: Bool = true, hashes: [SHA256Digest] = [],
        expiration: Timestamp? = nil, isExcluded: Bool = false
    ) {
        self.name = name
        self.includesSubdomains = includesSubdomains
        self.enforcesPinning = enforcesPinning
        self.hashes = hashes
        self.expiration = expiration
        self.isExcluded = isExcluded
    }
}

/// The rules of `kTSKPinnedDomains` that TrustKit checks when the app starts.
public enum TrustKitConfiguration {
    /// A rule that a domain breaks, so that TrustKit throws an exception when the app starts.
    public enum Violation: Sendable, Hashable {
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

        /// What is wrong with the domain called `name`, in one line.
        public func message(_ name: String) -> String {
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

    /// The rules that one of `domains` breaks, in the order in which TrustKit looks at them.
    ///
    /// - Parameters:
    ///   - domain: the domain that is looked at.
    ///   - domains: all of the configuration.
    ///   - suffixes: the public suffix list, which TrustKit carries with it.
    /// - Returns: the rules, none for a domain that TrustKit takes.
    public static func violations(
        of domain: TrustKitDomain, among domains: [TrustKitDomain], suffixes: some PublicSuffixList
    ) -> [Violation] {
        var violations: [Violation] = []
        let name = (try? ServerName(domain.name))?.description ?? domain.name
        let suffix = suffixes.publicSuffix(of: name)
        // The library that TrustKit asks knows no suffix for a name directly above a rule such as *.kawasaki.jp.
        let isAboveWildcard = suffix != name && suffixes.publicSuffix(of: "a." + name) == "a." + name
        if suffix == nil || isAboveWildcard { violations.append(.noRegisteredSuffix) }
        if domain.includesSubdomains, suffix == name { violations.append(.publicSuffixIncludesSubdomains) }
        guard !domain.isExcluded else {
            if !domain.hashes.isEmpty || domain.expiration != nil || domain.includesSubdomains {
                violations.append(.exclusionIsNotAlone)
            }
            if !domains.contains(where: { $0.includesSubdomains && domain.name.hasSuffix("." + $0.name) }) {
                violations.append(.exclusionWithoutParent)
            }
            return violations
        }
        let count = Set(domain.hashes).count
        let needed = domain.enforcesPinning ? 2 : 1
        if count < needed { violations.append(.tooFewPins(count, needed: needed)) }
        return violations
    }
}
