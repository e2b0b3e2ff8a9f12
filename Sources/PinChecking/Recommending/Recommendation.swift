package import Devices
package import Pinning

/// Which pins to ship for a host, and why.
package struct Recommendation: Sendable, Hashable {
    /// Whose keys are pinned.
    package enum Strategy: String, Sendable, Hashable, CaseIterable {
        /// The roots of the authority, which is known.
        case authorityRoots = "authority-roots"
        /// The server's own key, and one in reserve.
        case ownKeys = "own-keys"
        /// The root of a private authority, and a key in reserve.
        case ownRoot = "own-root"
    }

    /// A key to pin.
    package struct Choice: Sendable, Hashable {
        /// The hash of the key.
        package let key: SHA256Digest
        /// Why it is among them.
        package let reason: Reason
        /// A certificate that has it, `nil` where none is known.
        package let certificate: Certificate?
        /// What the table of authorities says of it.
        package let root: Authority.Root?
        /// Where a key in reserve comes from.
        package let origin: String?
        /// How long it can be relied on, `nil` where nothing says so.
        package let until: Timestamp?
    }

    /// Why a key is pinned.
    package enum Reason: Sendable, Hashable {
        /// The path ends at this root of the authority, or passes its key.
        case rootInUse
        /// The authority may move the server to this root.
        case siblingRoot
        /// The path ends at it today, and the authority leaves it.
        case rootBeingLeft
        /// These devices come to the server by this root.
        case rootOfDevices(DeviceNames)
        /// It is the server's own.
        case serverKey
        /// It is in reserve.
        case keyInReserve
        /// It is the private authority's.
        case privateRoot
    }

    /// What can happen to a chain.
    package enum Rotation: String, Sendable, Hashable, CaseIterable {
        case sameKey = "renewed-same-key"
        case newKey = "renewed-new-key"
        case keyInReserve = "reserve-key-used"
        case newIntermediate = "new-intermediate"
        case crossCertificateDropped = "cross-certificate-dropped"
        case siblingRoot = "sibling-root"
        case anotherAuthority = "another-authority"
    }

    /// What the pins risk.
    package enum Risk: Sendable, Hashable {
        /// Whatever this authority issues for the host is accepted.
        case trustsAuthority(String)
        /// A certificate of another authority than this is rejected.
        case otherAuthority(String)
        /// The authority has roots that no device knows yet, by their names.
        case unlistedRoots([String])
        /// A renewal with a key that is not pinned is rejected.
        case otherKey
        /// When both keys are lost, nobody gets in.
        case bothKeysLost
        /// These devices do not trust the server, whatever is pinned.
        case untrusted(DeviceNames)
        /// Of the authority that this root is of nothing is known.
        case unknownAuthority(String)
        /// Nobody gave this private root as an anchor: it may be an interceptor's, as a program's whose names it has.
        case unverifiedRoot(String, looksLike: String?)
    }

    /// Whose keys are pinned.
    package let strategy: Strategy
    /// The authority, `nil` for one that is not known.
    package let authority: Authority?
    /// The keys, those in use first.
    package let choices: [Choice]
    /// Whether a key in reserve has yet to be added.
    package let lacksReserve: Bool
    /// What the pins go on matching after.
    package let survives: [Rotation]
    /// What they risk.
    package let risks: [Risk]
    /// What is to be said against the pins of today; `nil` where none were given.
    package let concerns: [PinConcern]?

    /// The first day on which one of the keys has to be looked at again.
    package var reviewDate: Timestamp? { choices.compactMap(\.until).min() }
}

/// Devices, and how a sentence names them.
package struct DeviceNames: Sendable, Hashable {
    /// The names, at least one, as in `ios-17`.
    package let names: [String]
    /// The same with rows of them cut short.
    package let words: String

    /// Devices by their names.
    package init(_ names: [String], words: String) {
        self.names = names
        self.words = words
    }
}
