import Pinning
package import TLSProbe

/// One way to connect to an address: as an ordinary client does, or with a part of the offer changed.
package enum Variant: Hashable, Sendable {
    case ordinary
    /// Only certificates with a key of this type are asked for.
    case keyType(CertificateKeyType)
    case withoutSNI
    /// The name that is judged is sent, where an ordinary client sends none.
    case withSNI

    /// The name in reports, as in `RSA` and `no SNI`; `nil` for the ordinary one.
    package var label: String? {
        switch self {
        case .ordinary: nil
        case .keyType(let keyType): keyType.description
        case .withoutSNI: "no SNI"
        case .withSNI: "with SNI"
        }
    }

    /// The variant that reports call `label`, `nil` for none of them.
    package init?(label: String) {
        let known = CertificateKeyType.allCases.map(Variant.keyType) + [.withoutSNI, .withSNI]
        guard let variant = known.first(where: { $0.label == label }) else { return nil }
        self = variant
    }

    /// Where it stands in tables, whatever the order in which variants were asked for.
    package var rank: Int {
        switch self {
        case .ordinary: 0
        case .keyType(let keyType): 1 + (CertificateKeyType.allCases.firstIndex(of: keyType) ?? 0)
        case .withoutSNI: 20
        case .withSNI: 21
        }
    }

    /// Whether a rejection is one of the target.
    ///
    /// What clients get that are not the target's own, with a name sent or without, is said and judged only when it is asked for.
    package var counts: Bool {
        switch self {
        case .ordinary, .keyType: true
        case .withoutSNI, .withSNI: false
        }
    }

    func request(of endpoint: CheckEndpoint) -> ProbeRequest {
        var request = endpoint.request
        switch self {
        case .ordinary: break
        case .keyType(let keyType): request.keyType = keyType
        case .withoutSNI: request.serverNameIndication = nil
        case .withSNI:
            // A recorded one has the name that was sent.
            request.serverNameIndication =
                request.serverNameIndication ?? endpoint.nameBesideAddress.flatMap(ServerNameIndication.init)
        }
        return request
    }
}

extension CheckRequest {
    /// What is checked of a target beside what an ordinary client sees.
    package struct Variants: Hashable, Sendable {
        package var allAddresses = false
        /// Whom to ask for the addresses of names, `nil` for the system's resolver.
        package var service: AddressService?
        package var keyTypes: [CertificateKeyType] = []
        /// Whether what clients get without SNI and with it is compared.
        package var comparesSNI = false

        package var isEmpty: Bool { !(asksForAddresses || comparesSNI) && keyTypes.isEmpty }

        /// Whether all addresses of a name are wanted rather than the one that answers first.
        package var asksForAddresses: Bool { allAddresses || service != nil }

        func merged(over other: Variants) -> Variants {
            Variants(
                allAddresses: allAddresses || other.allAddresses, service: service ?? other.service,
                keyTypes: keyTypes.isEmpty ? other.keyTypes : keyTypes, comparesSNI: comparesSNI || other.comparesSNI)
        }

        func variants(of endpoint: CheckEndpoint) -> [Variant] {
            var result: [Variant] = [.ordinary] + keyTypes.map(Variant.keyType)
            if comparesSNI {
                if endpoint.request.serverNameIndication != nil { result.append(.withoutSNI) }
                if endpoint.nameBesideAddress != nil { result.append(.withSNI) }
            }
            return result
        }
    }
}
