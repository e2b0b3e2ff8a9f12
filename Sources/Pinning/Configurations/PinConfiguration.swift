/// What a file that configures hosts says, entry by entry.
package struct PinConfiguration: Sendable, Equatable {
    /// Whose file it is, and with that how the entry for a host is found.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case okHttp = "okhttp"
        /// TrustKit for iOS: `TSKConfiguration`.
        case trustKit = "trustkit"
        case nsPinnedDomains = "nspinneddomains"
        case android
        /// react-native-ssl-public-key-pinning: TrustKit on iOS, OkHttp on Android.
        case reactNative = "react-native"
        case policy
        case appBundle = "app-bundle"

        /// How this kind's own client finds the entries for a host.
        package var lookup: Lookup {
            switch self {
            case .okHttp, .nsPinnedDomains, .appBundle: .union
            case .android, .policy: .mostSpecific
            case .trustKit, .reactNative: .mostSpecificOfSameSuffix
            }
        }
    }

    package enum Lookup: Sendable, Hashable {
        case union
        /// The one for the name itself, else the longest that covers it.
        case mostSpecific
        /// The same among domains that have the host's public suffix.
        case mostSpecificOfSameSuffix
        /// All that cover it with their names as OkHttp has them, in a file that another client reads too.
        case unionOfCanonicalNames

        package var takesAll: Bool { self == .union || self == .unionOfCanonicalNames }
    }

    package let kind: Kind
    package let entries: [HostEntry]
    /// Whether it is a program's source: of two nobody knows whether one client has both.
    package let isSource: Bool
    private let index: HostIndex<HostEntry>

    package init(_ kind: Kind, entries: [HostEntry], isSource: Bool = false) {
        (self.kind, self.entries, self.isSource) = (kind, entries, isSource)
        index = HostIndex(entries.map { ($0.hosts, $0) })
    }

    package static func == (left: PinConfiguration, right: PinConfiguration) -> Bool {
        left.kind == right.kind && left.entries == right.entries && left.isSource == right.isSource
    }

    /// The entries as a client has them that finds hosts by `lookup`, `nil` for the rule of the kind.
    package func entries(by lookup: Lookup?) -> [HostEntry] {
        guard lookup == .unionOfCanonicalNames else { return entries }
        return entries.map { entry in
            var entry = entry
            entry.hosts = entry.hosts?.canonical
            return entry
        }
    }

    /// What the configuration says of a host, which is compared as text, `nil` for nothing.
    ///
    /// `lookup` says how entries are found, `nil` for the rule of its kind; TrustKit goes by the public suffix list (publicsuffix.org),
    /// which has `co.uk` for `www.example.co.uk`, and `nil` for a name that none of its rules covers.
    package func policy(for host: String, by lookup: Lookup? = nil, publicSuffix: (String) -> String?) -> [HostEntry]? {
        let isIndexed = lookup != .unionOfCanonicalNames
        let covering = isIndexed ? index.covering(host) : entries(by: lookup).filter { $0.covers(host) }
        let lookup = lookup ?? kind.lookup
        guard !lookup.takesAll else { return covering.isEmpty ? nil : covering }
        if let own = covering.first(where: { $0.hosts?.name == host }) { return [own] }
        let eligible = covering.filter { entry in
            guard lookup == .mostSpecificOfSameSuffix, let hosts = entry.hosts else { return true }
            return publicSuffix(hosts.name) == publicSuffix(host)
        }
        return eligible.max { ($0.hosts?.name.utf8.count ?? 0) < ($1.hosts?.name.utf8.count ?? 0) }.map { [$0] }
    }
}

/// What a configuration says of some hosts.
package struct HostEntry: Sendable, Hashable {
    package enum Identities: Sendable, Hashable {
        case anywhere([Pin])
        /// `NSPinnedLeafIdentities` and `NSPinnedCAIdentities`: `nil` where the key is absent, empty where it holds nothing usable.
        case positions(leaf: [Pin]?, authorities: [Pin]?)
    }

    /// The hosts, `nil` for whatever host is asked for.
    package var hosts: HostPattern?
    /// Where the entry stands: a file with a line or a key path.
    package let origin: String
    package var identities: Identities
    package var enforcesPinning: Bool?
    /// The moment from which on the pins no longer apply: midnight in UTC at the start of the date that is given.
    package var expiration: Timestamp?
    /// Whether the hosts are exempt from what is said of their parent domain.
    package var isExcluded = false
    /// Whether there are anchors below which no pin is needed (`overridePins` of Android's configuration).
    package var hasExemptAnchors = false
    /// Whether roots that the user installed need no pin on macOS (`TSKIgnorePinningForUserDefinedTrustAnchors`), `nil` where nothing is
    /// said.
    package var exemptsInstalledRoots: Bool?
    package var reportURIs: [String] = []
    /// Who loads the pins, which are files of an app; `nil` for those of a configuration.
    package var loaders: Set<BundleLoader>?

    package init(hosts: HostPattern?, origin: String, identities: Identities) {
        (self.hosts, self.origin, self.identities) = (hosts, origin, identities)
    }

    package var pins: [Pin] {
        switch identities {
        case .anywhere(let pins): pins
        case .positions(let leaf, let authorities): (leaf ?? []) + (authorities ?? [])
        }
    }

    package func covers(_ host: String) -> Bool { hosts?.covers(host) ?? true }
}

/// A client that pins the certificate files it finds in an app's bundle; which ones those are differs.
package enum BundleLoader: String, Sendable, Hashable, CaseIterable {
    /// Files named `.cer` in the main bundle.
    case afNetworking4 = "AFNetworking 4"
    /// Files named `.cer` in the bundle of its own class, which is the framework's where it is one.
    case afNetworking3 = "AFNetworking 2 and 3"
    /// Files in the main bundle named `.cer`, `.crt` or `.der`, in small or capital letters.
    case alamofire = "Alamofire"
}

/// What the configurations of one kind say of one host.
extension [HostEntry] {
    package var pins: PinSet? { PinSet(filter { !$0.isExcluded }.flatMap(\.pins)) }
    package var enforcesPinning: Bool? { lazy.compactMap(\.enforcesPinning).first }
    package var expiration: Timestamp? { lazy.compactMap(\.expiration).first }
}
