import TLSProbe

/// The addresses of one target and what is checked at each.
///
/// A class, so that the thousands of targets without variants do not grow.
final class TargetVariants: Sendable {
    /// The endpoints that were given, or the one of the target; those with a name may stand for several addresses.
    let endpoints: [CheckEndpoint]
    let settings: CheckRequest.Variants
    /// Connections that are to be made as they are, one by one, `nil` where they follow from the settings.
    let recorded: [VariantAttempt]?

    init(_ endpoints: [CheckEndpoint], _ settings: CheckRequest.Variants) {
        self.endpoints = endpoints
        self.settings = settings
        recorded = nil
    }

    init(recorded: [VariantAttempt]) {
        endpoints = recorded.map(\.endpoint)
        settings = CheckRequest.Variants()
        self.recorded = recorded
    }

    /// How many connections to one target are made at the same time: servers are not flooded, and descriptors suffice.
    static let connectionLimit = 64

    var mostConnections: Int {
        if let recorded { return min(Self.connectionLimit, max(1, recorded.count)) }
        guard !settings.asksForAddresses else { return Self.connectionLimit }
        return min(Self.connectionLimit, endpoints.reduce(0) { $0 + settings.variants(of: $1).count })
    }

    func looksUp(_ endpoint: CheckEndpoint) -> Bool { settings.asksForAddresses && endpoint.resolvedName != nil }
}

/// One connection to make.
struct VariantAttempt: Sendable {
    let endpoint: CheckEndpoint
    let variant: Variant
}
