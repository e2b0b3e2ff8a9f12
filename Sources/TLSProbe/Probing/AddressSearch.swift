internal import NIOCore
internal import NIOPosix
package import Pinning

package struct HostAddresses: Sendable, Hashable {
    /// IPv4 before IPv6, each in ascending order and once: resolvers answer in another order every time.
    package let addresses: [IPAddress]
    /// Why addresses of a family may be missing, in a resolver's words; empty when everything was answered.
    package let gaps: [Gap]

    /// A family that was asked for in vain.
    package struct Gap: Sendable, Hashable {
        package let family: ProbeRequest.AddressFamily
        package let reason: String

        package init(family: ProbeRequest.AddressFamily, reason: String) {
            (self.family, self.reason) = (family, reason)
        }
    }

    package init(_ addresses: some Sequence<IPAddress>, gaps: [Gap] = []) {
        self.addresses = Set(addresses).sorted { left, right in
            guard left.isIPv6 == right.isIPv6 else { return right.isIPv6 }
            return left.bytes.lexicographicallyPrecedes(right.bytes)
        }
        self.gaps = gaps
    }
}

/// Looks up all addresses of one host and delivers exactly one result, in time.
///
/// Sendable because after `init` everything is touched on the event loop only.
final class AddressSearch: Attempt, @unchecked Sendable {
    typealias Delivery = @Sendable (Result<HostAddresses, ProbeError>) -> Void

    private let host: String
    private let family: ProbeRequest.AddressFamily
    private let timeout: Duration
    private let prober: Prober
    private let resolver: SystemResolver
    private var hasFound = false
    /// Why it ended before the resolver had answered.
    private var ended: ProbeError.Reason?

    init(host: String, family: ProbeRequest.AddressFamily, timeout: Duration, in prober: Prober) {
        (self.host, self.family, self.timeout, self.prober) = (host, family, timeout, prober)
        resolver = SystemResolver(prober, family: family, watch: ProbeWatch.current)
    }

    func start(_ deliver: @escaping Delivery) {
        if let ended { return deliver(.failure(error(ended))) }
        prober.add(self)
        // A year is for ever, and cannot overflow the clock.
        let limit = min(TimeAmount(timeout), .hours(24 * 365))
        let alarms = [
            // What is there has to do when waiting for the rest would leave no time to connect.
            prober.loop.scheduleTask(in: .nanoseconds(limit.nanoseconds / 2)) {
                if self.hasFound { self.resolver.cancelQueries() }
            }, prober.loop.scheduleTask(in: limit) { self.end(.deadlineExceeded(timeout: self.timeout)) },
        ]
        let families = [ProbeRequest.AddressFamily.ipv4, .ipv6].filter { family == .any || family == $0 }
        let queries = families.map { family in
            let query =
                family == .ipv4
                ? resolver.initiateAQuery(host: host, port: 0) : resolver.initiateAAAAQuery(host: host, port: 0)
            query.assumeIsolated().whenSuccess { if !$0.isEmpty { self.hasFound = true } }
            return query
        }
        EventLoopFuture.whenAllComplete(queries, on: prober.loop).assumeIsolated().whenSuccess { answers in
            for alarm in alarms { alarm.cancel() }
            self.prober.remove(self)
            deliver(self.result(of: Array(zip(families, answers))))
        }
    }

    func cancel() { end(.cancelled) }

    private func end(_ reason: ProbeError.Reason) {
        ended = reason
        resolver.cancelQueries()
    }

    private func result(
        of answers: [(family: ProbeRequest.AddressFamily, Result<[SocketAddress], any Error>)]
    ) -> Result<HostAddresses, ProbeError> {
        if let ended { return .failure(error(ended)) }
        let found = answers.flatMap { (try? $0.1.get()) ?? [] }.compactMap { $0.ipAddress.flatMap { IPAddress($0) } }
        let failures = answers.compactMap { family, answer in
            if case .failure(let failure) = answer { (family, failure as? LookupFailure) } else { nil }
        }
        guard !found.isEmpty else {
            let destination = ProbeRequest.Destination.resolve(host: host, family: family)
            return .failure(error(LookupFailure.reason(for: failures.compactMap(\.1), of: destination)))
        }
        let gaps = failures.filter { $0.1?.isNoAnswer ?? true }.map {
            HostAddresses.Gap(family: $0, reason: $1?.detail ?? "the resolver did not answer in time")
        }
        return .success(HostAddresses(found, gaps: gaps))
    }

    private func error(_ reason: ProbeError.Reason) -> ProbeError { ProbeError(.resolve, reason, target: host) }
}
