import Base
import Pinning
import TLSProbe

package struct CheckJob: Sendable {
    package let endpoint: CheckEndpoint
    /// What the chain is judged by, `nil` where it is only to be seen.
    package let evaluation: HostPolicy?
    /// How often to try again when there was no answer.
    package let retries: Int
    /// All that is checked of the target, `nil` when that is the endpoint alone.
    var variants: TargetVariants? = nil

    package var mostConnections: Int { variants?.mostConnections ?? 1 }

    package var timeout: Duration { endpoint.request.timeout }

    /// The same job with no more time than `limit`.
    package func limited(to limit: Duration) -> CheckJob {
        var endpoint = endpoint
        endpoint.request.timeout = min(endpoint.request.timeout, max(.milliseconds(1), limit))
        var job = CheckJob(endpoint: endpoint, evaluation: evaluation, retries: retries)
        job.variants = variants
        return job
    }
}

/// The endpoints of one call, in the order of their targets and addresses.
package enum CheckPlan {
    /// Turns targets into endpoints, and reads what they are judged by.
    ///
    /// - Throws: ``CheckError`` for an address that is for none of the targets, and for settings that cannot be used; those of
    ///   a list with the place in it.
    package static func jobs(
        _ targets: [CheckTarget], _ loader: inout Policies, areAll: Bool = true
    ) throws(CheckError) -> [CheckJob] {
        var jobs: [CheckJob] = []
        jobs.reserveCapacity(targets.count)
        for target in targets {
            do throws(CheckError) {
                let endpoints = try CheckError.reading(target.endpoints)
                let evaluation = try loader.evaluation(
                    target.request.judging, for: endpoints[0].referenceName, writtenAs: endpoints[0].writtenName,
                    url: target.target.host, lacksPins: target.lacksPins)
                jobs.append(job(target, endpoints, evaluation))
            } catch { throw target.place.map(error.at) ?? error }
        }
        if areAll { try refuseUnusedAddresses(of: targets) }
        return jobs
    }

    /// Turns targets into endpoints whose chains are only to be seen.
    package static func unjudgedJobs(_ targets: [CheckTarget]) throws(CheckError) -> [CheckJob] {
        var jobs: [CheckJob] = []
        for target in targets {
            // A request follows a verdict.
            var request = target.request
            request.http = CheckRequest.HTTP()
            let target = CheckTarget(target: target.target, request: request, place: target.place)
            do throws(CheckError) { jobs.append(job(target, try CheckError.reading(target.endpoints), nil)) } catch {
                throw target.place.map(error.at) ?? error
            }
        }
        try refuseUnusedAddresses(of: targets)
        return jobs
    }

    private static func refuseUnusedAddresses(of targets: [CheckTarget]) throws(CheckError) {
        try CheckError.reading { () throws(RequestError) in try CheckTarget.refuseUnusedAddresses(of: targets) }
    }

    private static func job(_ target: CheckTarget, _ endpoints: [CheckEndpoint], _ evaluation: HostPolicy?) -> CheckJob
    {
        let retries = target.request.connection.retries ?? RequestDefaults.retries
        var job = CheckJob(endpoint: endpoints[0], evaluation: evaluation, retries: retries)
        if endpoints.count > 1 || !target.request.variants.isEmpty {
            job.variants = TargetVariants(endpoints, target.request.variants)
        }
        return job
    }
}
