import Base
import TLSProbe

/// What is checked of one target: where to connect, and what the chain is judged by.
package struct Check: Sendable {
    package let endpoint: CheckEndpoint
    /// What the chain is judged by, `nil` where it is only to be seen.
    package let policy: HostPolicy?
    /// How often to try again when there was no answer.
    package let retries: Int
    /// All that is checked of the target, `nil` when that is the endpoint alone.
    var variants: TargetVariants? = nil

    /// How many connections are made at the same time.
    package var mostConnections: Int { variants?.mostConnections ?? 1 }

    package var timeout: Duration { endpoint.request.timeout }

    /// The same with no more time than `limit`.
    package func limited(to limit: Duration) -> Check {
        var endpoint = endpoint
        endpoint.request.timeout = min(endpoint.request.timeout, max(.milliseconds(1), limit))
        return Check(endpoint: endpoint, policy: policy, retries: retries, variants: variants)
    }
}

extension Check {
    /// Plans the checks of targets, in their order, and reads what they are judged by.
    ///
    /// - Throws: ``CheckError`` for an address that is for none of the targets, and for settings that cannot be used; those of
    ///   a list with the place in it.
    package static func plan(
        _ targets: [CheckTarget], _ policies: inout Policies, areAll: Bool = true
    ) throws(CheckError) -> [Check] {
        var checks: [Check] = []
        checks.reserveCapacity(targets.count)
        for target in targets {
            do throws(CheckError) {
                let endpoints = try CheckError.reading(target.endpoints)
                let policy = try policies.policy(
                    target.request.judging, for: endpoints[0].referenceName, writtenAs: endpoints[0].writtenName,
                    url: target.target.host, lacksPins: target.lacksPins)
                checks.append(Check(target, endpoints, policy))
            } catch { throw target.place.map(error.at) ?? error }
        }
        if areAll { try refuseUnusedAddresses(of: targets) }
        return checks
    }

    /// Plans checks of which the chains are only to be seen.
    package static func unjudged(_ targets: [CheckTarget]) throws(CheckError) -> [Check] {
        var checks: [Check] = []
        for target in targets {
            // A request follows a verdict.
            var request = target.request
            request.http = CheckRequest.HTTP()
            let target = CheckTarget(target: target.target, request: request, place: target.place)
            do throws(CheckError) { checks.append(Check(target, try CheckError.reading(target.endpoints), nil)) } catch
            { throw target.place.map(error.at) ?? error }
        }
        try refuseUnusedAddresses(of: targets)
        return checks
    }

    private static func refuseUnusedAddresses(of targets: [CheckTarget]) throws(CheckError) {
        try CheckError.reading { () throws(RequestError) in try CheckTarget.refuseUnusedAddresses(of: targets) }
    }

    private init(_ target: CheckTarget, _ endpoints: [CheckEndpoint], _ policy: HostPolicy?) {
        let isOne = endpoints.count == 1 && target.request.variants.isEmpty
        self.init(
            endpoint: endpoints[0], policy: policy,
            retries: target.request.connection.retries ?? RequestDefaults.retries,
            variants: isOne ? nil : TargetVariants(endpoints, target.request.variants))
    }
}

/// The addresses of one target and what is checked at each.
///
/// A class, so that the thousands of targets without variants do not grow.
final class TargetVariants: Sendable {
    /// How many connections to one target are made at the same time: servers are not flooded, and descriptors suffice.
    static let connectionLimit = 64

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

    var mostConnections: Int {
        let count =
            settings.asksForAddresses
            ? .max : recorded?.count ?? endpoints.reduce(0) { $0 + settings.variants(of: $1).count }
        return min(Self.connectionLimit, max(1, count))
    }

    func looksUp(_ endpoint: CheckEndpoint) -> Bool { settings.asksForAddresses && endpoint.resolvedName != nil }
}

/// One connection to make.
struct VariantAttempt: Sendable {
    let endpoint: CheckEndpoint
    let variant: Variant
}
