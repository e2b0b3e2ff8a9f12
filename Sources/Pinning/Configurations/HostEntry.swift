/// What a configuration says of some hosts.
public struct HostEntry: Sendable, Hashable {
    /// What is pinned, and where on the path it must be.
    public enum Identities: Sendable, Hashable {
        /// Pins that may match anywhere on the path.
        case anywhere([Pin])
        /// `NSPinnedLeafIdentities` and `NSPinnedCAIdentities`: `nil` where the key is absent, empty where it holds nothing usable.
        case positions(leaf: [Pin]?, authorities: [Pin]?)
    }

    /// The hosts, `nil` for whatever host is asked for.
    public var hosts: HostPattern?
    /// Where the entry stands: a file with a line or a key path.
    public let origin: String
    /// What is pinned.
    public var identities: Identities
    /// Whether a mismatch blocks the connection, `nil` where nothing is said.
    public var enforcesPinning: Bool?
    /// The moment from which on the pins no longer apply: midnight in UTC at the start of the date that is given.
    public var expiration: Timestamp?
    /// Whether the hosts are exempt from what is said of their parent domain.
    public var isExcluded = false
    /// Whether there are anchors below which no pin is needed (`overridePins` of Android's configuration).
    public var hasExemptAnchors = false
    /// Whether roots that the user installed need no pin on macOS (`TSKIgnorePinningForUserDefinedTrustAnchors`), `nil` where nothing is
    /// said.
    public var exemptsInstalledRoots: Bool?
    /// Where mismatches are reported to.
    public var reportURIs: [String] = []
    /// Who loads the pins, which are files of an app; `nil` for those of a configuration.
    public var loaders: Set<BundleLoader>?

    /// An entry with pins that may match anywhere; the rest is set apart.
    public init(hosts: HostPattern?, origin: String, identities: Identities) {
        self.hosts = hosts
        self.origin = origin
        self.identities = identities
    }

    /// All its pins, in their order.
    public var pins: [Pin] {
        switch identities {
        case .anywhere(let pins): pins
        case .positions(let leaf, let authorities): (leaf ?? []) + (authorities ?? [])
        }
    }

    /// Whether the entry is for `host`.
    public func covers(_ host: ServerName) -> Bool { covers(host.description) }

    /// The same for a host as text.
    public func covers(_ host: String) -> Bool { hosts?.covers(host) ?? true }
}

/// What the configurations of one kind say of one host.
public struct ConfiguredPins: Sendable, Hashable {
    /// The entries that apply, at least one.
    public let entries: [HostEntry]

    /// What these entries say together, `nil` for none.
    package init?(_ entries: [HostEntry]) {
        guard !entries.isEmpty else { return nil }
        self.entries = entries
    }

    /// The pins of all entries, `nil` for none.
    public var pins: PinSet? { PinSet(entries.filter { !$0.isExcluded }.flatMap(\.pins)) }

    /// Whether a mismatch blocks the connection, `nil` where nothing is said.
    public var enforcesPinning: Bool? { entries.lazy.compactMap(\.enforcesPinning).first }

    /// The moment from which on the pins no longer apply.
    public var expiration: Timestamp? { entries.lazy.compactMap(\.expiration).first }
}
