/// A client's comparison of pins and its end, which determine how long a verdict lasts.
package struct PinComparison: Hashable {
    package enum Place {
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

    package enum Compared: String {
        case keys = "public key"
        case certificates = "certificate"
        /// The certificate if the pin is one, else the key.
        case whatIsPinned = "certificate or key"
    }

    /// A condition: one of these pins must match at this place.
    package struct Condition: Hashable {
        private let all: [Pin]
        /// The positions of the pins, as in ``PinMatch/pinIndex``.
        package let pins: [Int]
        package let place: Place
        let compared: Compared

        package init(_ set: PinSet?, _ pins: [Int]? = nil, at place: Place = .anywhere, compared: Compared = .keys) {
            all = set?.pins ?? []
            self.pins = pins ?? Array(all.indices)
            (self.place, self.compared) = (place, compared)
        }

        /// `true` if the pin is compared with whole certificates: even a renewal with the same key breaks it.
        package func comparesWhole(_ pin: Pin) -> Bool {
            switch compared {
            case .keys: false
            case .certificates: true
            case .whatIsPinned: pin.certificate != nil
            }
        }

        /// The pins that match on the chain, nearest to the leaf first.
        package func matches(on chain: BuiltChain) -> [PinMatch] {
            var matches: [PinMatch] = []
            for (depth, certificate) in chain.certificates.enumerated() where place.covers(depth) {
                for index in pins {
                    let pin = all[index]
                    let isEqual =
                        comparesWhole(pin)
                        ? pin.certificate == certificate : pin.spkiSHA256 == certificate.spkiSHA256
                    if isEqual { matches.append(PinMatch(pinIndex: index, depth: depth)) }
                }
            }
            return matches
        }

        /// A condition on the pins that are certificates; pins that are hashes are not compared.
        static func certificates(of set: PinSet?, at place: Place = .anywhere) -> Condition {
            let pins = set?.pins ?? []
            let certificates = pins.indices.filter { pins[$0].certificate != nil }
            return Condition(set, certificates, at: place, compared: .certificates)
        }
    }

    /// The conditions, which must all hold; empty if the client compares no pins.
    package var conditions: [Condition]
    /// The moment after which the client ignores its pins and accepts any trusted chain; `nil` if it never does.
    package let expiration: Timestamp?
    package let isEnforced: Bool

    package init(_ conditions: [Condition], expiration: Timestamp? = nil, isEnforced: Bool = true) {
        (self.conditions, self.expiration, self.isEnforced) = (conditions, expiration, isEnforced)
    }

    static let nothing = PinComparison([])

    static func keys(
        of pins: PinSet?, at place: Place, expiration: Timestamp? = nil, isEnforced: Bool = true
    ) -> PinComparison {
        PinComparison(pins == nil ? [] : [Condition(pins, at: place)], expiration: expiration, isEnforced: isEnforced)
    }
}

extension PinSet {
    package func publicKeyMatches(on chain: BuiltChain) -> [PinMatch] {
        PinComparison.Condition(self).matches(on: chain)
    }

    func certificateMatches(on chain: BuiltChain) -> [PinMatch] {
        PinComparison.Condition.certificates(of: self).matches(on: chain)
    }
}
