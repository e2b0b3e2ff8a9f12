import Base
import Pinning
import TLSProbe

/// What is checked of one target: where to connect, in which ways, and what the chains are judged by.
package struct Check: Sendable {
    /// How many connections to one target are made at the same time: servers are not flooded, and descriptors suffice.
    static let connectionLimit = 64

    /// The endpoints that were given, or the one of the target; at least one.
    private(set) var endpoints: [CheckEndpoint]
    /// What the chain is judged by, `nil` where it is only to be seen.
    package let policy: HostPolicy?
    package let retries: Int
    /// The variants in which each endpoint is connected to, whose name may stand for several addresses.
    var variants = CheckRequest.Variants()
    /// The variant of each endpoint where they are recorded.
    var recorded: [Variant]? = nil

    package var endpoint: CheckEndpoint { endpoints[0] }
    package var timeout: Duration { endpoint.request.timeout }
    /// Whether it is one connection of an ordinary client.
    var isOne: Bool { endpoints.count == 1 && variants.isEmpty && recorded ?? [.ordinary] == [.ordinary] }

    package var mostConnections: Int {
        if variants.asksForAddresses { return Self.connectionLimit }
        return min(
            Self.connectionLimit, recorded?.count ?? endpoints.reduce(0) { $0 + variants.variants(of: $1).count })
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
        self.init(
            endpoints: endpoints, policy: policy, retries: target.request.connection.retries ?? RequestDefaults.retries,
            variants: target.request.variants)
    }
}

extension Baseline {
    /// The recorded endpoints as they are to be asked again, a check for each target.
    package func checks(
        _ connection: CheckRequest.Connection, judgedBy policy: (CheckEndpoint) throws(CheckError) -> HostPolicy?
    ) throws(CheckError) -> [Check] {
        var order: [String] = []
        var attempts: [String: [(endpoint: CheckEndpoint, variant: Variant)]] = [:]
        for endpoint in snapshot.endpoints {
            let target = endpoint.key.target
            if attempts[target] == nil { order.append(target) }
            attempts[target, default: []].append(try endpoint.key.attempt(connection))
        }
        var checks: [Check] = []
        for target in order {
            guard let attempts = attempts[target], let first = attempts.first else { continue }
            checks.append(
                Check(
                    endpoints: attempts.map(\.endpoint), policy: try policy(first.endpoint),
                    retries: connection.retries ?? RequestDefaults.retries, recorded: attempts.map(\.variant)))
        }
        return checks
    }
}

extension Snapshot.Key {
    fileprivate func attempt(
        _ connection: CheckRequest.Connection
    ) throws(CheckError) -> (endpoint: CheckEndpoint, variant: Variant) {
        var request = CheckRequest()
        if let verifyName { request.names.setReference(verifyName) } else { request.names.reference = .unchecked }
        request.connection = connection
        request.connection.serverName = try sni.map(ServerNameChoice.named) ?? ServerNameChoice.none
        if let connect { request.connection.addresses.given = try ConnectAddress.readAny(connect) }
        let target = CheckTarget(target: try Target(target), request: request)
        return (try target.endpoints()[0], variant.flatMap(Variant.init(label:)) ?? .ordinary)
    }
}
