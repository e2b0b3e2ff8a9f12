package import Pinning

/// Why pins that an app has today will not last.
package enum PinConcern: Sendable, Hashable {
    /// None of them is on the path: the app rejects the server already.
    case matchesNothing
    /// The leaf's key alone is pinned.
    case leafWithoutReserve(SHA256Digest)
    /// An intermediate is pinned, and without it nothing that lasts.
    case intermediate(SHA256Digest, name: String)
    /// What is pinned is an older root, which the path reaches by a cross-certificate of another one's key.
    case crossSigner(SHA256Digest, name: String, root: String)
    /// The authority leaves the root.
    case rootBeingLeft(SHA256Digest, name: String, until: Timestamp?)
    /// The authority may move the server to these roots.
    case missingRoots([String])
    /// These devices reach the server by a path without any of the pins.
    case otherPath(DeviceNames)
    /// Clients that ask for this type of key get a chain without any of the pins.
    case otherKeyType(String)

    /// A stable word for machines.
    package var id: String {
        switch self {
        case .matchesNothing: "pins-match-nothing"
        case .leafWithoutReserve: "leaf-without-reserve"
        case .intermediate: "intermediate-pinned"
        case .crossSigner: "cross-signer-pinned"
        case .rootBeingLeft: "root-being-left"
        case .missingRoots: "sibling-roots-missing"
        case .otherPath: "other-path-on-devices"
        case .otherKeyType: "other-key-type-unpinned"
        }
    }
}

extension RecommendationQuestion {
    /// What is to be said against the pins of today, `nil` where none were given.
    func concerns(_ authority: Authority?) -> [PinConcern]? {
        guard let pins = current else { return nil }
        let current = Set(pins.map(\.key))
        let matched = path.indices.filter { current.contains(key(at: $0)) }
        guard let first = matched.first else { return [.matchesNothing] }
        let roots = path.indices.dropFirst().filter(isRoot)
        // A key of the user's own: on no path, and no authority's.
        let hasReserve = pins.contains(where: isNobodys)
        let holdsByOwnKeys = first == 0 && hasReserve
        var concerns: [PinConcern] = []
        if matched == [0], !hasReserve { concerns.append(.leafWithoutReserve(key(at: 0))) }
        if !holdsByOwnKeys {
            let pinnedRoots = matched.filter(roots.contains)
            if pinnedRoots.isEmpty {
                for depth in matched where depth > 0 {
                    concerns.append(.intermediate(key(at: depth), name: name(at: depth)))
                }
            }
            if let root = roots.first, let pinned = pinnedRoots.first, pinned > root {
                concerns.append(.crossSigner(key(at: pinned), name: name(at: pinned), root: name(at: root)))
            }
            for depth in pinnedRoots {
                guard let root = authorities.root(withKey: key(at: depth)), root.state == .older else { continue }
                concerns.append(.rootBeingLeft(root.key, name: root.name, until: root.until))
            }
            let missing = authority.map { usable($0).filter { !current.contains($0.key) } } ?? []
            if !pinnedRoots.isEmpty, !missing.isEmpty { concerns.append(.missingRoots(missing.map(\.name))) }
        }
        for other in others where !other.path.contains(where: { current.contains($0.publicKey.spkiSHA256) }) {
            concerns.append(.otherPath(other.devices))
        }
        for other in otherKeys
        where other.isVerified && !other.path.contains(where: { current.contains($0.publicKey.spkiSHA256) }) {
            concerns.append(.otherKeyType(other.keyType))
        }
        return concerns
    }

    private func key(at depth: Int) -> SHA256Digest { path[depth].publicKey.spkiSHA256 }

    private func name(at depth: Int) -> String { path[depth].shownName }
}
