/// What a file that configures hosts says, entry by entry.
public struct PinConfiguration: Sendable, Hashable {
    /// Whose file it is, and with that how the entry for a host is found.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// OkHttp's `CertificatePinner`.
        case okHttp = "okhttp"
        /// TrustKit for iOS and macOS: `TSKConfiguration`.
        case trustKit = "trustkit"
        /// Apple's `NSPinnedDomains`.
        case nsPinnedDomains = "nspinneddomains"
        /// Android's `network_security_config.xml`.
        case android
        /// react-native-ssl-public-key-pinning: TrustKit on iOS, OkHttp on Android.
        case reactNative = "react-native"
        /// pincheck's own policy files.
        case policy
        /// The certificate files in an app.
        case appBundle = "app-bundle"
    }

    /// How the entries for a host are found.
    public enum Lookup: Sendable, Hashable {
        case union
        /// The one for the name itself, else the longest that covers it.
        case mostSpecific
        /// The same among domains that have the host's public suffix.
        case mostSpecificOfSameSuffix
        /// All that cover it with their names as OkHttp has them, in a file that another client reads too.
        case unionOfCanonicalNames

        /// Whether all entries that cover a host count, not one of them.
        public var takesAll: Bool { self == .union || self == .unionOfCanonicalNames }
    }

    /// Whose file it is.
    public let kind: Kind
    /// The entries, in their order.
    public let entries: [HostEntry]
    /// Whether it is a program's source: of two nobody knows whether one client has both.
    public let isSource: Bool
    private let index: HostIndex<HostEntry>

    /// A configuration of some hosts.
    public init(_ kind: Kind, entries: [HostEntry], isSource: Bool = false) {
        (self.kind, self.entries, self.isSource) = (kind, entries, isSource)
        index = HostIndex(entries.map { ($0.hosts, $0) })
    }

    /// Whether two say the same of the same hosts.
    public static func == (left: PinConfiguration, right: PinConfiguration) -> Bool {
        left.kind == right.kind && left.entries == right.entries && left.isSource == right.isSource
    }

    /// Hashes what it says.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(entries)
    }

    /// The entries as a client has them that finds hosts by `lookup`, `nil` for the rule of the kind.
    public func entries(by lookup: Lookup?) -> [HostEntry] {
        switch lookup ?? kind.lookup {
        case .union, .mostSpecific, .mostSpecificOfSameSuffix: entries
        case .unionOfCanonicalNames:
            entries.map { entry in
                var entry = entry
                entry.hosts = entry.hosts?.canonical
                return entry
            }
        }
    }

    /// What the configuration says of `host`, `nil` for nothing.
    public func policy(
        for host: ServerName, by lookup: Lookup? = nil, suffixes: some PublicSuffixList
    ) -> ConfiguredPins? { policy(for: host.description, by: lookup, suffixes: suffixes) }

    /// What the configuration says of `host`, `nil` for nothing.
    ///
    /// - Parameters:
    ///   - host: the host as the client has it, which compares text.
    ///   - lookup: how entries are found, `nil` for the rule of its kind.
    ///   - suffixes: the public suffix list, which TrustKit goes by.
    /// - Returns: the entries that apply, `nil` when there are none.
    public func policy(for host: String, by lookup: Lookup? = nil, suffixes: some PublicSuffixList) -> ConfiguredPins? {
        let isIndexed = lookup != .unionOfCanonicalNames
        let covering = isIndexed ? index.covering(host) : entries(by: lookup).filter { $0.covers(host) }
        let lookup = lookup ?? kind.lookup
        guard !lookup.takesAll else { return ConfiguredPins(covering) }
        if let own = covering.first(where: { $0.hosts?.name == host }) { return ConfiguredPins([own]) }
        let eligible = covering.filter { entry in
            guard lookup == .mostSpecificOfSameSuffix, let hosts = entry.hosts else { return true }
            return suffixes.publicSuffix(of: hosts.name) == suffixes.publicSuffix(of: host)
        }
        let longest = eligible.max { ($0.hosts?.name.utf8.count ?? 0) < ($1.hosts?.name.utf8.count ?? 0) }
        return ConfiguredPins(longest.map { [$0] } ?? [])
    }
}

extension PinConfiguration.Kind {
    /// How this kind's own client finds the entries for a host.
    public var lookup: PinConfiguration.Lookup {
        switch self {
        case .okHttp, .nsPinnedDomains, .appBundle: .union
        case .android, .policy: .mostSpecific
        case .trustKit, .reactNative: .mostSpecificOfSameSuffix
        }
    }
}

extension HostPattern: CustomStringConvertible {
    /// The name and what counts below it.
    public var description: String {
        switch depth {
        case .exact: name
        case .oneLabel: "*.\(name)"
        case .upToOneLabel: "\(name) and one label below it"
        case .anyNumber: "\(name) and all names below it"
        }
    }
}
