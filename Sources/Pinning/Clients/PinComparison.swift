/// A client's comparison of pins and its end, which determine how long a verdict lasts.
package struct PinComparison: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        case leaf, authorities, anywhere
        /// Every certificate of the path must be pinned.
        case everywhere

        func covers(_ depth: Int) -> Bool {
            switch self {
            case .leaf: depth == 0
            case .authorities: depth > 0
            case .anywhere, .everywhere: true
            }
        }
    }

    package enum Compared: String, Sendable, Hashable {
        case keys = "public key"
        case certificates = "certificate"
        /// The certificate if the pin is one, else the key.
        case whatIsPinned = "certificate or key"
    }

    /// A condition of a client: one of these pins must match at this place.
    package struct Condition: Sendable, Hashable {
        /// The positions of the pins, as in ``PinMatch/pinIndex``.
        package var pins: [Int]
        package let place: Place
        package var compared = Compared.keys

        /// `true` if the pin is compared with whole certificates: even a renewal with the same key breaks it.
        package func comparesWhole(_ pin: Pin) -> Bool {
            switch compared {
            case .keys: false
            case .certificates: true
            case .whatIsPinned: pin.certificate != nil
            }
        }

        /// The pins that match on the chain, nearest to the leaf first.
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
            Condition(pins: Array(pins?.pins.indices ?? 0..<0), place: place)
        }

        /// A condition on the pins that are certificates; pins that are hashes are not compared.
        package static func certificates(of pins: PinSet?, at place: Place = .anywhere) -> Condition {
            let pins = pins?.pins ?? []
            return Condition(
                pins: pins.indices.filter { pins[$0].certificate != nil }, place: place, compared: .certificates)
        }
    }

    /// The conditions, which must all hold; empty if the client compares no pins.
    package var conditions: [Condition]
    /// The moment after which the client ignores its pins and accepts any trusted chain; `nil` if it never does.
    package let expiration: Timestamp?
    /// `true` if a mismatch ends the connection, `false` if it is only reported.
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
}

extension PinSet {
    package func publicKeyMatches(on chain: BuiltChain) -> [PinMatch] {
        PinComparison.Condition.keys(of: self, at: .anywhere).matches(self, on: chain)
    }

    func certificateMatches(on chain: BuiltChain) -> [PinMatch] {
        PinComparison.Condition.certificates(of: self).matches(self, on: chain)
    }
}
