/// The pinning policy TrustKit has for one domain.
public struct TrustKitDomain: Sendable, Hashable {
    /// The domain, in lower case.
    public let name: String
    /// `kTSKIncludeSubdomains`.
    public var includesSubdomains: Bool
    /// `kTSKEnforcePinning`: without it a mismatch is only reported.
    public var enforcesPinning: Bool
    /// `kTSKPublicKeyHashes`.
    public var hashes: [SHA256Digest]
    /// `kTSKExpirationDate`: midnight in UTC at the start of the day.
    public var expiration: Timestamp?
    /// `kTSKExcludeSubdomainFromParentPolicy`.
    public var isExcluded: Bool

    /// A policy; the values that are left out are TrustKit's defaults on iOS.
    public init(
        name: String,
        includesSubdomains: Bool = false,
        enforcesPinning: Bool = true,
        hashes: [SHA256Digest] = [],
        expiration: Timestamp? = nil,
        isExcluded: Bool = false
    ) {
        self.name = name.lowercased()
        self.includesSubdomains = includesSubdomains
        self.enforcesPinning = enforcesPinning
        self.hashes = hashes
        self.expiration = expiration
        self.isExcluded = isExcluded
    }
}

/// `kTSKPinnedDomains`, held against the rules TrustKit checks when the app starts.
public struct TrustKitConfiguration: Sendable, Hashable {
    /// The domains.
    public let domains: [TrustKitDomain]

    /// Checks the rules TrustKit checks.
    ///
    /// - Parameters:
    ///   - domains: the pinned domains.
    ///   - suffixes: the public suffix list, which TrustKit carries with it.
    /// - Throws: ``ClientConfigurationError`` where TrustKit throws an exception.
    public init(domains: [TrustKitDomain], suffixes: some PublicSuffixList) throws(ClientConfigurationError) {
        func refuse(_ message: String) -> ClientConfigurationError {
            ClientConfigurationError(client: "trustkit", message: message)
        }
        guard !domains.isEmpty else { throw refuse("kTSKPinnedDomains is empty") }
        for domain in domains {
            guard let suffix = suffixes.publicSuffix(of: domain.name) else {
                throw refuse("'\(domain.name)' has no registered suffix: TrustKit does not take such a domain")
            }
            guard !domain.includesSubdomains || suffix != domain.name else {
                throw refuse("kTSKIncludeSubdomains cannot be set for the public suffix '\(domain.name)'")
            }
            if domain.isExcluded {
                guard domain.hashes.isEmpty, domain.expiration == nil, !domain.includesSubdomains else {
                    throw refuse(
                        "kTSKExcludeSubdomainFromParentPolicy must be the only key of '\(domain.name)'"
                    )
                }
                guard domains.contains(where: { $0.includesSubdomains && domain.name.hasSuffix("." + $0.name) }) else {
                    throw refuse("'\(domain.name)' is excluded, but no parent domain includes its subdomains")
                }
                continue
            }
            let distinct = Set(domain.hashes).count
            let needed = domain.enforcesPinning ? 2 : 1
            guard distinct >= needed else {
                throw refuse(
                    "'\(domain.name)' has \(distinct) different pins and needs \(needed): add a backup pin"
                )
            }
        }
        self.domains = domains
    }

    /// The policy for `host`: its own, or that of the longest parent with the same public suffix that includes subdomains.
    public func domain(for host: ServerName, suffixes: some PublicSuffixList) -> TrustKitDomain? {
        guard case .dns(let host) = host else { return nil }
        if let own = domains.first(where: { $0.name == host }) { return own }
        let suffix = suffixes.publicSuffix(of: host)
        return
            domains
            .filter { domain in
                domain.includesSubdomains && host.hasSuffix("." + domain.name)
                    && suffixes.publicSuffix(of: domain.name) == suffix
            }
            .max { $0.name.utf8.count < $1.name.utf8.count }
    }
}
