import Base
import Pinning

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
