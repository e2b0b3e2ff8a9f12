import NIOCore
import NIOPosix
package import Pinning

package struct HostAddresses: Hashable {
    /// The addresses in ascending order, IPv4 first, each once: resolvers change the order every time.
    package let addresses: [IPAddress]
    /// The requested families without an address here, with the failure of the look-up; `nil` if the name has none.
    package let others: [AddressFamily: ProbeError?]

    init(_ addresses: some Sequence<IPAddress>, others: [AddressFamily: ProbeError?] = [:]) {
        self.addresses = Set(addresses).sorted { left, right in
            guard left.isIPv6 == right.isIPv6 else { return right.isIPv6 }
            return left.bytes.lexicographicallyPrecedes(right.bytes)
        }
        self.others = others
    }
}

/// Delivers one result with all addresses of a host in time; Sendable because only the loop uses it after `init`.
final class AddressSearch: Attempt, @unchecked Sendable {
    typealias Delivery = @Sendable (Result<HostAddresses, ProbeError>) -> Void

    private let host: String
    private let family: AddressFamily
    private let timeout: Duration
    private let prober: Prober
    private let resolver: SystemResolver
    private var hasFound = false
    private var ended: ProbeError.Reason?

    init(host: String, family: AddressFamily, timeout: Duration, in prober: Prober) {
        (self.host, self.family, self.timeout, self.prober) = (host, family, timeout, prober)
        resolver = SystemResolver(prober, family: family, watch: ProbeWatch.current)
    }

    func start(_ deliver: @escaping Delivery) {
        if let ended { return deliver(.failure(error(ended))) }
        prober.add(self)
        // A year is as long as for ever here, and cannot overflow the clock.
        let limit = min(TimeAmount(timeout), .hours(24 * 365))
        let alarms = [
            // After half the time, the addresses of one family have to suffice, so that time to connect is left.
            prober.loop.scheduleTask(in: .nanoseconds(limit.nanoseconds / 2)) {
                if self.hasFound { self.resolver.cancelQueries() }
            }, prober.loop.scheduleTask(in: limit) { self.end(.deadlineExceeded(timeout: self.timeout)) },
        ]
        let families = [AddressFamily.ipv4, .ipv6].filter { family == .any || family == $0 }
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
        of answers: [(family: AddressFamily, Result<[SocketAddress], any Error>)]
    ) -> Result<HostAddresses, ProbeError> {
        if let ended { return .failure(error(ended)) }
        let found = answers.flatMap { (try? $0.1.get()) ?? [] }.compactMap { $0.ipAddress.flatMap { IPAddress($0) } }
        let failures = answers.compactMap { family, answer -> (AddressFamily, LookupFailure?)? in
            switch answer {
            case .success(let addresses): addresses.isEmpty ? (family, LookupFailure(code: LookupFailure.noData)) : nil
            case .failure(let failure): (family, failure as? LookupFailure)
            }
        }
        guard !found.isEmpty else {
            let destination = ProbeRequest.Destination.resolve(host: host, family: family)
            return .failure(error(LookupFailure.reason(for: failures.compactMap(\.1), of: destination)))
        }
        // The C library also calls a name in /etc/hosts unknown if only the other family has addresses.
        let others = failures.map { family, failure -> (AddressFamily, ProbeError?) in
            guard let failure else { return (family, error(.resolverFailed("the resolver did not answer in time"))) }
            return (
                family, failure.isNoAnswer ? error(LookupFailure.reason(for: [failure], of: .resolve(host: host))) : nil
            )
        }
        return .success(HostAddresses(found, others: Dictionary(others) { $1 }))
    }

    private func error(_ reason: ProbeError.Reason) -> ProbeError { ProbeError(.resolve, reason, target: host) }
}
