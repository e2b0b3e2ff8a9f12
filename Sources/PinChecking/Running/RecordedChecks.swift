import Base
import Pinning

extension Baseline {
    /// The recorded endpoints as they are to be asked again, a check for each target.
    ///
    /// - Throws: ``CheckError`` for a name that no connection can be made with, and what `policy` throws.
    package func checks(
        _ connection: CheckRequest.Connection, judgedBy policy: (CheckEndpoint) throws(CheckError) -> HostPolicy?
    ) throws(CheckError) -> [Check] {
        var order: [String] = []
        var attempts: [String: [VariantAttempt]] = [:]
        for endpoint in snapshot.endpoints {
            let target = endpoint.key.target
            if attempts[target] == nil { order.append(target) }
            attempts[target, default: []].append(try endpoint.key.attempt(connection))
        }
        var checks: [Check] = []
        for target in order {
            guard let attempts = attempts[target], let first = attempts.first?.endpoint else { continue }
            var check = Check(
                endpoint: first, policy: try policy(first), retries: connection.retries ?? RequestDefaults.retries)
            if attempts.count > 1 || attempts[0].variant != .ordinary {
                check.variants = TargetVariants(recorded: attempts)
            }
            checks.append(check)
        }
        return checks
    }
}

extension Snapshot.Key {
    fileprivate func attempt(_ connection: CheckRequest.Connection) throws(CheckError) -> VariantAttempt {
        do throws(RequestError) {
            var connection = connection
            connection.serverName = try sni.map(ServerNameChoice.named) ?? ServerNameChoice.none
            if let connect { connection.addresses.given = try ConnectAddress.readAny(connect) }
            let names = CheckRequest.Names(reference: verifyName.map(CheckRequest.Names.Reference.init) ?? .unchecked)
            var request = CheckRequest()
            request.names = names
            request.connection = connection
            let target = CheckTarget(target: try Target(target), request: request)
            return VariantAttempt(
                endpoint: try target.endpoints()[0], variant: variant.flatMap(Variant.init(label:)) ?? .ordinary)
        } catch { throw .said(.request, error.message) }
    }
}
