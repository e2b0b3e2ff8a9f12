import Pinning
import Rotation
import Text

extension Baseline {
    /// The recorded endpoints as they are to be asked again, a job for each target.
    ///
    /// - Parameters:
    ///   - connection: everything about the connections that is not recorded.
    ///   - evaluation: what the chains of a server are judged by, given its reference name and port.
    /// - Returns: the jobs, in the order of the file.
    /// - Throws: ``CommandError`` for a name that no connection can be made with, and what `evaluation` throws.
    func jobs(
        _ connection: ConnectionSettings,
        judgedBy evaluation: (ReferenceName, Int) throws(CommandError) -> Evaluation?
    ) throws(CommandError) -> [CheckJob] {
        var order: [String] = []
        var attempts: [String: [VariantAttempt]] = [:]
        for endpoint in snapshot.endpoints {
            let target = endpoint.key.target
            if attempts[target] == nil { order.append(target) }
            attempts[target, default: []].append(try endpoint.key.attempt(connection))
        }
        var jobs: [CheckJob] = []
        for target in order {
            guard let attempts = attempts[target], let first = attempts.first?.endpoint else { continue }
            var job = CheckJob(
                endpoint: first,
                evaluation: try evaluation(first.referenceName, first.targetPort),
                retries: connection.retries
            )
            if attempts.count > 1 || attempts[0].variant != .ordinary {
                job.variants = TargetVariants(recorded: attempts)
            }
            jobs.append(job)
        }
        return jobs
    }
}

extension Snapshot.Key {
    /// The connection as it was recorded.
    fileprivate func attempt(_ connection: ConnectionSettings) throws(CommandError) -> VariantAttempt {
        var connection = connection
        connection.serverName = try sni.map { (name) throws(CommandError) in try .named(name, by: "sni") } ?? .none
        if let connect { connection.addresses = try ConnectAddress.readAny(connect) }
        let target = CheckTarget(
            target: try Target(target),
            names: NameSettings(host: nil, referenceName: verifyName.map(HostName.reference) ?? .unchecked),
            connection: connection,
            evaluation: EvaluationSettings()
        )
        return VariantAttempt(
            endpoint: try CheckPlan.endpoints(of: target)[0],
            variant: variant.flatMap(Variant.init(label:)) ?? .ordinary
        )
    }
}
