/// What a client compares with its pins, and for how long: all that is needed of it to tell how long a verdict lasts.
package struct PinComparison: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        case leaf
        case authorities
        case anywhere
        /// At each: every certificate of the path must be pinned.
        case everywhere

        /// Whether the certificate at `depth` is looked at, 0 for the leaf.
        func covers(_ depth: Int) -> Bool {
            switch self {
            case .leaf: depth == 0
            case .authorities: depth > 0
            case .anywhere, .everywhere: true
            }
        }
    }

    package enum Compared: Sendable, Hashable {
        case keys
        case certificates
        /// The certificate where the pin is one, and else the key.
        case whatIsPinned
    }

    /// One condition that has to hold: one of these pins matches there.
    package struct Condition: Sendable, Hashable {
        /// The positions of the pins as ``PinMatch/pinIndex`` has them.
        package var pins: [Int]
        package let place: Place
        package let compared: Compared

        package init(pins: [Int], at place: Place, comparing compared: Compared = .keys) {
            (self.pins, self.place, self.compared) = (pins, place, compared)
        }

        /// Whether a pin is compared with whole certificates, so that a renewal with the same key breaks it too.
        package func comparesWhole(_ pin: Pin) -> Bool {
            switch compared {
            case .keys: false
            case .certificates: true
            case .whatIsPinned: pin.certificate != nil
            }
        }

        /// Those of the condition's pins that are on the chain at its place, nearest to the leaf first.
        package func matches(_ set: PinSet, on chain: BuiltChain) -> [PinMatch] {
            chain.certificates.enumerated().filter { place.covers($0.offset) }.flatMap { depth, certificate in
                pins.compactMap { index in
                    let pin = set.pins[index]
                    let isEqual =
                        comparesWhole(pin)
                        ? pin.certificate == certificate : pin.spkiSHA256 == certificate.publicKey.spkiSHA256
                    return isEqual ? PinMatch(pinIndex: index, depth: depth) : nil
                }
            }
        }

        package static func keys(of pins: PinSet?, at place: Place) -> Condition {
            Condition(pins: Array(pins?.pins.indices ?? 0..<0), at: place)
        }

        /// The pins that are certificates, compared as such; pins that are hashes are not compared.
        package static func certificates(of pins: PinSet?, at place: Place = .anywhere) -> Condition {
            let pins = pins?.pins ?? []
            return Condition(
                pins: pins.indices.filter { pins[$0].certificate != nil }, at: place, comparing: .certificates)
        }
    }

    /// The conditions, all of which have to hold; none for a client that compares nothing.
    package var conditions: [Condition]
    /// The moment from which on the client ignores its pins and takes any trusted chain, `nil` for never.
    package let expiration: Timestamp?
    /// Whether a mismatch ends the connection; otherwise it is only reported.
    package let isEnforced: Bool

    package init(_ conditions: [Condition], expiration: Timestamp? = nil, isEnforced: Bool = true) {
        (self.conditions, self.expiration, self.isEnforced) = (conditions, expiration, isEnforced)
    }

    package static let nothing = PinComparison([])

    package static func keys(
        of pins: PinSet?, at place: Place, expiration: Timestamp? = nil, isEnforced: Bool = true
    ) -> PinComparison {
        PinComparison(pins == nil ? [] : [.keys(of: pins, at: place)], expiration: expiration, isEnforced: isEnforced)
    }

    static func certificates(of pins: PinSet?, at place: Place = .anywhere) -> PinComparison {
        PinComparison(pins == nil ? [] : [.certificates(of: pins, at: place)])
    }
}

extension PinSet {
    /// The pins whose public key is on the chain, nearest to the leaf first.
    package func publicKeyMatches(on chain: BuiltChain) -> [PinMatch] {
        PinComparison.Condition.keys(of: self, at: .anywhere).matches(self, on: chain)
    }

    func certificateMatches(on chain: BuiltChain) -> [PinMatch] {
        PinComparison.Condition.certificates(of: self).matches(self, on: chain)
    }
}
