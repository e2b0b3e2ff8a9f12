internal import Pinning
internal import X509

extension HostPolicy {
    func missingIntermediate(
        above certificate: Certificate, for client: ConfiguredClient, isOfFile: Bool, hasAnchors: Bool
    ) -> MissingIntermediate {
        let platform = (try? client.procedure.get())?.platform
        let fetches = platform?.fetchesIssuers ?? false
        let hasPlace = !IssuerFetching.triedPlaces(of: verifier.issuerPlaces(of: certificate)).isEmpty
        let giving: MissingIntermediate.Giving =
            if fetchable.contains(where: { $0.subject == certificate.issuer }) {
                if !hasPlace {
                    .isUnusedWithoutPlace
                } else if let platform, !fetches {
                    .isUnusedOn(platform.family)
                } else {
                    .isUnusedHere
                }
            } else if !fetchable.isEmpty { .isOfAnother } else { hasPlace && fetches ? .helps : .doesNotHelp }
        return MissingIntermediate(giving: giving, isOfFile: isOfFile, mayBeOwnRoot: !hasAnchors)
    }
}
