/// What a client compares with its pins, and for how long: all that is needed of it to tell how long a verdict lasts.
public struct PinComparison: Sendable, Hashable {
    /// Where on its path a client looks for a pin.
    public enum Place: Sendable, Hashable {
        /// At the server's own certificate alone.
        case leaf
        /// At those above it.
        case authorities
        /// At any.
        case anywhere

        /// Whether the certificate at `depth` is looked at, 0 for the leaf.
        public func covers(_ depth: Int) -> Bool {
            switch self {
            case .leaf: depth == 0
            case .authorities: depth > 0
            case .anywhere: true
            }
        }
    }

    /// A pin that is compared.
    public struct Use: Sendable, Hashable {
        /// The position of the pin as ``PinMatch/pinIndex`` has it.
        public var pinIndex: Int
        /// Where on the path it is looked for.
        public let place: Place
        /// Whether the whole certificate is compared, so that a renewal with the same key breaks the pin too.
        public let isWholeCertificate: Bool

        /// A pin that is compared at some place.
        public init(pinIndex: Int, at place: Place, isWholeCertificate: Bool) {
            self.pinIndex = pinIndex
            self.place = place
            self.isWholeCertificate = isWholeCertificate
        }
    }

    /// One condition that has to hold.
    public enum Demand: Sendable, Hashable {
        /// One of these must match.
        case any([Use])
        /// Every certificate of the path must be matched by one of these.
        case every([Use])

        /// The pins that can fulfil it.
        public var uses: [Use] {
            switch self {
            case .any(let uses), .every(let uses): uses
            }
        }
    }

    /// The conditions, all of which have to hold; none for a client that compares nothing.
    public var demands: [Demand]
    /// The moment from which on the client ignores its pins and takes any trusted chain, `nil` for never.
    public let expiration: Timestamp?
    /// Whether a mismatch ends the connection; otherwise it is only reported.
    public let isEnforced: Bool
    /// Whether pinned certificates are the anchors of the path, which then ends at the first of them.
    public let endsPathAtPin: Bool

    /// What a client compares.
    public init(demands: [Demand], expiration: Timestamp?, isEnforced: Bool, endsPathAtPin: Bool) {
        self.demands = demands
        self.expiration = expiration
        self.isEnforced = isEnforced
        self.endsPathAtPin = endsPathAtPin
    }

    /// The comparison of a client that holds no pin against the server.
    public static let nothing = PinComparison(demands: [], expiration: nil, isEnforced: true, endsPathAtPin: false)

    /// One of the pins' keys must be on the path, at `place`.
    public static func keys(
        of pins: PinSet?, at place: Place, expiration: Timestamp? = nil, isEnforced: Bool = true
    ) -> PinComparison {
        PinComparison(
            demands: pins.map { [.any($0.uses(at: place))] } ?? [], expiration: expiration, isEnforced: isEnforced,
            endsPathAtPin: false)
    }

    /// One of the pinned certificates must be on the path; pins that are hashes are not compared.
    public static func certificates(of pins: PinSet?, endsPathAtPin: Bool) -> PinComparison {
        PinComparison(
            demands: pins.map { [.any($0.certificateUses)] } ?? [], expiration: nil, isEnforced: true,
            endsPathAtPin: endsPathAtPin)
    }
}

extension PinSet {
    /// The pins whose keys are compared at `place`.
    public func uses(at place: PinComparison.Place) -> [PinComparison.Use] {
        pins.indices.map { PinComparison.Use(pinIndex: $0, at: place, isWholeCertificate: false) }
    }

    /// The pins that are certificates and compared as such, wherever on the path.
    public var certificateUses: [PinComparison.Use] {
        pins.indices.filter { pins[$0].certificate != nil }.map {
            PinComparison.Use(pinIndex: $0, at: .anywhere, isWholeCertificate: true)
        }
    }
}
