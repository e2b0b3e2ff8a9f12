internal import PinFormats
internal import Pinning

/// What one source says of one host, by the rules of the clients it is for.
struct HostView {
    /// How far below a name its pins reach.
    enum Reach: Int, Comparable {
        case nameAlone
        case oneLabel
        case anyNumber

        static func < (left: Reach, right: Reach) -> Bool { left.rawValue < right.rawValue }
    }

    /// What the source is called.
    let source: String
    /// Where the first entry for the host stands.
    let place: LintPlace
    /// The pinned keys, in their order.
    let keys: [SHA256Digest]
    /// Whether ``keys`` are all that is pinned: every pin could be read and is the hash of a key.
    let isComplete: Bool
    /// How far below the name the pins reach.
    let reach: Reach
    /// The moment from which on nothing is pinned.
    let expiration: Timestamp?
    /// Whether the source has a place for an expiration.
    let mayExpire: Bool
    /// Whether a mismatch blocks the connection.
    let isEnforced: Bool
    /// Whether the source is for Apple's system, which cannot reach further than one label.
    let isApples: Bool

    /// What `source` says of the hosts of `pattern`, `nil` when it pins nothing for them.
    init?(of pattern: HostPattern, in source: LintSource, _ scene: LintScene) {
        let policies = source.index.policies(for: pattern.sample, suffixes: scene.suffixes)
        let entries = policies.flatMap(\.policy.entries).filter { !$0.isExcluded && $0.isPinning }
        guard let first = entries.first else { return nil }
        self.source = source.name
        place = source.place(ofOrigin: first.origin)
        var seen: Set<SHA256Digest> = []
        keys = entries.flatMap(\.pins).map(\.spkiSHA256).filter { seen.insert($0).inserted }
        isComplete = entries.allSatisfy { entry in
            !source.inspections.contains { $0.incompleteEntries.contains(entry.origin) }
        }
        reach = entries.compactMap { $0.hosts?.reach(below: pattern.name) }.max() ?? .nameAlone
        let kinds = policies.map(\.kind)
        mayExpire = kinds.contains { ![.okHttp, .nsPinnedDomains, .appBundle, .policy].contains($0) }
        expiration = entries.lazy.compactMap(\.expiration).first
        // Android itself enforces what TrustKit is told not to.
        isEnforced = kinds.contains(.android) || entries.allSatisfy { $0.enforcesPinning ?? true }
        isApples = kinds == [.nsPinnedDomains]
    }
}

extension HostEntry {
    /// Whether the entry pins anything, be it to nothing.
    fileprivate var isPinning: Bool {
        if case .positions(let leaf, let authorities) = identities { return leaf != nil || authorities != nil }
        return !pins.isEmpty
    }
}

extension HostPattern {
    /// How far below `name`, which the pattern covers, it reaches.
    fileprivate func reach(below name: String) -> HostView.Reach {
        switch depth {
        case .anyNumber: .anyNumber
        case .oneLabel, .upToOneLabel: name == self.name ? .oneLabel : .nameAlone
        case .exact: .nameAlone
        }
    }
}
