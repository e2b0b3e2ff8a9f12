package import Pinning

/// Which pins to ship for a host, and why.
package struct Recommendation: Sendable, Hashable {
    /// Whose keys are pinned.
    package enum Strategy: String, Sendable, Hashable, CaseIterable {
        /// The roots of the authority, which is known.
        case authorityRoots = "authority-roots"
        /// The server's own key, and one in reserve.
        case ownKeys = "own-keys"
        /// The root of a private authority, and its next one.
        case ownRoot = "own-root"
        /// Nobody's, as long as nobody says whose chain it is.
        case none
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
        /// Clients that ask for this type of key come to the server by this root.
        case rootOfKeyType(String)
        /// It is the server's own.
        case serverKey
        /// It is the server's own for clients that ask for this type of key.
        case serverKeyOfType(String)
        /// It is in reserve.
        case keyInReserve
        /// It is the private authority's.
        case privateRoot
        /// It is the private authority's too: one of the two has signed the other's key.
        case otherRoot
        /// The private authority goes on with it one day.
        case nextRoot
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
        /// When both roots are lost, nobody gets in.
        case bothRootsLost
        /// These devices do not trust the server, whatever is pinned.
        case untrusted(DeviceNames)
        /// Of the authority that this root is of nothing is known.
        case unknownAuthority(String)
        /// Nobody said whose the chain is.
        case unknownOwner(Doubt)
    }

    /// That nobody said of a chain that it is theirs, which no device trusts by itself.
    package struct Doubt: Sendable, Hashable {
        /// What the chain comes to.
        package enum End: Sendable, Hashable {
            /// A root.
            case root
            /// The server's certificate, which signed itself.
            case selfSigned
            /// A certificate whose issuer is not there.
            case withoutIssuer
        }

        /// What the chain comes to.
        package let end: End
        /// The certificate that it ends with.
        package let name: String
        /// Whether this machine trusts it.
        package let isTrustedHere: Bool
    }

    /// A key that was given to be in reserve, and is none.
    package struct UnfitReserve: Sendable, Hashable {
        /// Why it is none.
        package enum Cause: Sendable, Hashable {
            /// The server has it now.
            case inUse
            /// The server has it now for clients that ask for this type of key.
            case inUseOfType(String)
            /// An authority has it by which the server is reached.
            case onPath(String)
            /// Another authority has it.
            case authority(String)
        }

        /// The hash of the key.
        package let key: SHA256Digest
        /// Where it comes from.
        package let origin: String
        /// Why it is none.
        package let cause: Cause
    }

    /// What a pin that the app has today is for.
    package struct CurrentPin: Sendable, Hashable {
        /// What a pin is for.
        package enum Standing: Sendable, Hashable {
            /// It is the server's own key.
            case serverKey
            /// It is the server's own key for clients that ask for this type.
            case serverKeyOfType(String)
            /// It is beside the server's own key, and nobody is known to have it.
            case backup
            /// It is a root on the path.
            case root(String)
            /// It is a root on the path that its authority leaves.
            case rootBeingLeft(String, until: Timestamp?)
            /// It is an intermediate on the path.
            case intermediate(String)
            /// It is on the path of these devices alone.
            case onOtherPath(DeviceNames)
            /// The authority may move the server to this root.
            case siblingRoot(String)
            /// It is an authority's that has nothing to do with the server.
            case otherAuthority(String)
            /// Nobody is known to have it.
            case unknown
        }

        /// The hash.
        package let key: SHA256Digest
        /// Where it stands.
        package let origin: String
        /// What it is for.
        package let standing: Standing
    }

    /// Whose keys are pinned.
    package let strategy: Strategy
    /// The authority, `nil` for one that is not known.
    package let authority: Authority?
    /// The keys, those in use first.
    package let choices: [Choice]
    /// Whether a key in reserve has yet to be added.
    package let lacksReserve: Bool
    /// Keys that were given to be in reserve, and are none.
    package let unfit: [UnfitReserve]
    /// Why nothing is recommended, `nil` where something is.
    package var doubt: Doubt? = nil
    /// What the pins go on matching after.
    package let survives: [Rotation]
    /// What they risk.
    package let risks: [Risk]
    /// What the pins of today are for; `nil` where none were given.
    package let current: [CurrentPin]?
    /// What is to be said against the pins of today; `nil` where none were given.
    package let concerns: [PinConcern]?
    /// Whether the server may have other keys, which matter here and were not asked for.
    package var otherKeysAreUnseen = false

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
