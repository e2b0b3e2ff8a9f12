/// What a client compares with its pins, and for how long: all that is needed of it to tell how long a verdict lasts.
public struct PinComparison: Sendable, Hashable {
    /// Where on its path a client looks for a pin.
    public enum Place: Sendable, Hashable {
        /// At the server's own certificate alone.
        case leaf
        /// At those above it.
        case authorities
        case anywhere
        /// At each: every certificate of the path must be pinned.
        case everywhere

        /// Whether the certificate at `depth` is looked at, 0 for the leaf.
        public func covers(_ depth: Int) -> Bool {
            switch self {
            case .leaf: depth == 0
            case .authorities: depth > 0
            case .anywhere, .everywhere: true
            }
        }
    }

    /// What of a certificate is compared with a pin.
    public enum Compared: Sendable, Hashable {
        case keys
        /// Whole certificates, byte for byte.
        case certificates
        /// The certificate where the pin is one, and else the key.
        case whatIsPinned
    }

    /// One condition that has to hold: one of these pins matches there.
    public struct Condition: Sendable, Hashable {
        /// The positions of the pins as ``PinMatch/pinIndex`` has them.
        public var pins: [Int]
        /// Where on the path they are looked for.
        public let place: Place
        /// What of a certificate is compared with a pin.
        public let compared: Compared

        /// A condition.
        public init(pins: [Int], at place: Place, comparing compared: Compared = .keys) {
            self.pins = pins
            self.place = place
            self.compared = compared
        }

        /// Whether a pin is compared with whole certificates, so that a renewal with the same key breaks it too.
        public func comparesWhole(_ pin: Pin) -> Bool {
            switch compared {
            case .keys: false
            case .certificates: true
            case .whatIsPinned: pin.certificate != nil
            }
        }

        /// The keys of the pins, compared at `place`.
        public static func keys(of pins: PinSet?, at place: Place) -> Condition {
            Condition(pins: Array(pins?.pins.indices ?? 0..<0), at: place)
        }

        /// The pins that are certificates, compared as such.
        public static func certificates(of pins: PinSet?, at place: Place = .anywhere) -> Condition {
            let pins = pins?.pins ?? []
            return Condition(
                pins: pins.indices.filter { pins[$0].certificate != nil }, at: place, comparing: .certificates)
        }
    }

    /// The conditions, all of which have to hold; none for a client that compares nothing.
    public var conditions: [Condition]
    /// The moment from which on the client ignores its pins and takes any trusted chain, `nil` for never.
    public let expiration: Timestamp?
    /// Whether a mismatch ends the connection; otherwise it is only reported.
    public let isEnforced: Bool

    /// What a client compares.
    public init(_ conditions: [Condition], expiration: Timestamp? = nil, isEnforced: Bool = true) {
        self.conditions = conditions
        self.expiration = expiration
        self.isEnforced = isEnforced
    }

    /// The comparison of a client that holds no pin against the server.
    public static let nothing = PinComparison([])

    /// One of the pins' keys must be on the path, at `place`.
    public static func keys(
        of pins: PinSet?, at place: Place, expiration: Timestamp? = nil, isEnforced: Bool = true
    ) -> PinComparison {
        PinComparison(pins == nil ? [] : [.keys(of: pins, at: place)], expiration: expiration, isEnforced: isEnforced)
    }

    /// One of the pinned certificates must be on the path; pins that are hashes are not compared.
    public static func certificates(of pins: PinSet?) -> PinComparison {
        PinComparison(pins == nil ? [] : [.certificates(of: pins)])
    }
}
