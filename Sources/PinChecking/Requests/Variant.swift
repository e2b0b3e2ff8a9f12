package import TLSProbe

/// One way to connect to an address: as an ordinary client does, or with a part of the offer changed.
package enum Variant: Hashable, Sendable {
    /// As an ordinary client of the target does.
    case ordinary
    /// Only certificates with a key of this type are asked for.
    case keyType(CertificateKeyType)
    /// Only this TLS version is offered.
    case version(TLSVersion)
    /// No server name is sent.
    case withoutSNI

    /// The name in reports, as in `RSA` and `TLS 1.2`; `nil` for the ordinary one.
    package var label: String? {
        switch self {
        case .ordinary: nil
        case .keyType(let keyType): keyType.description
        case .version(let version): "TLS " + version.number
        case .withoutSNI: "no SNI"
        }
    }

    /// The variant that reports call `label`, `nil` for none of them.
    package init?(label: String) {
        let known =
            CertificateKeyType.allCases.map(Variant.keyType) + TLSVersion.allCases.map(Variant.version)
            + [.withoutSNI]
        guard let variant = known.first(where: { $0.label == label }) else { return nil }
        self = variant
    }

    /// Whether a rejection is one of the target.
    ///
    /// Whoever ships pins sends SNI; what the others get is said, and is judged with `--no-sni`.
    package var counts: Bool { self != .withoutSNI }

    /// The request for this variant of an ordinary one.
    package func request(from ordinary: ProbeRequest) -> ProbeRequest {
        var request = ordinary
        switch self {
        case .ordinary: break
        case .keyType(let keyType): request.keyType = keyType
        case .version(let version):
            request.minimumTLS = version
            request.maximumTLS = version
        case .withoutSNI: request.serverNameIndication = nil
        }
        return request
    }
}

extension CheckRequest.Variants {
    /// The variants of a request, the ordinary one first.
    package func variants(of request: ProbeRequest) -> [Variant] {
        var result: [Variant] = [.ordinary] + keyTypes.map(Variant.keyType)
        if eachVersion, request.minimumTLS < request.maximumTLS {
            result += TLSVersion.allCases.filter { (request.minimumTLS...request.maximumTLS).contains($0) }
                .map(Variant.version)
        }
        if comparesSNI, request.serverNameIndication != nil { result.append(.withoutSNI) }
        return result
    }
}
