import Base
import TLSProbe

/// What is checked of one target: where to connect, in which ways, and what the chains are judged by.
package struct Check: Sendable {
    /// How many connections to one target are made at the same time: servers are not flooded, and descriptors suffice.
    static let connectionLimit = 64

    enum Ways: Sendable {
        case one
        /// To each endpoint, whose name may stand for several addresses, in each of the variants that are asked for.
        case each(CheckRequest.Variants)
        /// To each endpoint in the variant at its position.
        case recorded([Variant])
    }

    /// The endpoints that were given, or the one of the target; at least one.
    private(set) var endpoints: [CheckEndpoint]
    /// What the chain is judged by, `nil` where it is only to be seen.
    package let policy: HostPolicy?
    package let retries: Int
    let ways: Ways

    package var endpoint: CheckEndpoint { endpoints[0] }
    package var timeout: Duration { endpoint.request.timeout }
    var isOne: Bool { if case .one = ways { true } else { false } }

    package var mostConnections: Int {
        switch ways {
        case .one: 1
        case .each(let variants) where variants.asksForAddresses: Self.connectionLimit
        case .each(let variants):
            min(Self.connectionLimit, endpoints.reduce(0) { $0 + variants.variants(of: $1).count })
        case .recorded: min(Self.connectionLimit, endpoints.count)
        }
    }

    package func limited(to limit: Duration) -> Check {
        var check = self
        check.endpoints[0].request.timeout = min(timeout, max(.milliseconds(1), limit))
        return check
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
                let endpoints = try target.endpoints()
                let policy = try policies.policy(
                    target.request.judging, for: endpoints[0].referenceName,
                    writtenAs: target.request.names.writtenName(of: target.target.writtenHost), url: target.target.host,
                    lacksPins: target.lacksPins)
                checks.append(Check(target, endpoints, policy))
            } catch { throw target.place.map(error.at) ?? error }
        }
        if areAll { try CheckTarget.refuseUnusedAddresses(of: targets) }
        return checks
    }

    /// Plans checks of which the chains are only to be seen.
    package static func unjudged(_ targets: [CheckTarget]) throws(CheckError) -> [Check] {
        var checks: [Check] = []
        for target in targets {
            // A request follows a verdict.
            var target = target
            target.request.http = CheckRequest.HTTP()
            do throws(CheckError) { checks.append(Check(target, try target.endpoints(), nil)) } catch {
                throw target.place.map(error.at) ?? error
            }
        }
        try CheckTarget.refuseUnusedAddresses(of: targets)
        return checks
    }

    private init(_ target: CheckTarget, _ endpoints: [CheckEndpoint], _ policy: HostPolicy?) {
        let variants = target.request.variants
        self.init(
            endpoints: endpoints, policy: policy, retries: target.request.connection.retries ?? RequestDefaults.retries,
            ways: endpoints.count == 1 && variants.isEmpty ? .one : .each(variants))
    }
}
