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
        /// The family, IPv4 or IPv6.
        package let family: ProbeRequest.AddressFamily
        package let reason: String

        package init(family: ProbeRequest.AddressFamily, reason: String) {
            (self.family, self.reason) = (family, reason)
        }
    }

    /// Puts addresses into their order.
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
    private var deliver: Delivery?
    private var isCancelled = false
    private var alarms: [Scheduled<Void>] = []
    private var answers: [(family: ProbeRequest.AddressFamily, answer: Result<[SocketAddress], any Error>)] = []

    init(host: String, family: ProbeRequest.AddressFamily, timeout: Duration, in prober: Prober) {
        (self.host, self.family, self.timeout, self.prober) = (host, family, timeout, prober)
        resolver = SystemResolver(prober, family: family, watch: ProbeWatch.current)
    }

    func start(_ deliver: @escaping Delivery) {
        guard !isCancelled else { return deliver(.failure(error(.cancelled))) }
        self.deliver = deliver
        prober.add(self)
        // A year is for ever, and cannot overflow the clock.
        let limit = min(TimeAmount(timeout), .hours(24 * 365))
        let half = TimeAmount.nanoseconds(limit.nanoseconds / 2)
        alarms = [
            // What is there has to do when waiting for the rest would leave no time to connect.
            prober.loop.scheduleTask(in: half) { if !self.found.isEmpty { self.conclude() } },
            prober.loop.scheduleTask(in: limit) {
                self.finish(.failure(self.error(.deadlineExceeded(timeout: self.timeout))))
            },
        ]
        if family != .ipv6 { ask(.ipv4, resolver.initiateAQuery(host: host, port: 0)) }
        if family != .ipv4 { ask(.ipv6, resolver.initiateAAAAQuery(host: host, port: 0)) }
    }

    func cancel() {
        isCancelled = true
        finish(.failure(error(.cancelled)))
    }

    private var expected: Int { family == .any ? 2 : 1 }
    private var found: [IPAddress] {
        answers.flatMap { (try? $0.answer.get()) ?? [] }.compactMap { $0.ipAddress.flatMap { IPAddress($0) } }
    }

    private func ask(_ family: ProbeRequest.AddressFamily, _ query: EventLoopFuture<[SocketAddress]>) {
        query.assumeIsolated().whenComplete { answer in
            self.answers.append((family, answer))
            if self.answers.count == self.expected { self.conclude() }
        }
    }

    private func conclude() {
        let failures = answers.compactMap { family, answer in
            if case .failure(let failure as LookupFailure) = answer { (family, failure) } else { nil }
        }
        guard !found.isEmpty else {
            let destination = ProbeRequest.Destination.resolve(host: host, family: family)
            return finish(.failure(error(LookupFailure.reason(for: failures.map(\.1), of: destination))))
        }
        var gaps = failures.filter(\.1.isNoAnswer).map { HostAddresses.Gap(family: $0, reason: $1.detail) }
        for missing in [ProbeRequest.AddressFamily.ipv4, .ipv6] where family == .any || family == missing {
            guard !answers.contains(where: { $0.family == missing }) else { continue }
            gaps.append(HostAddresses.Gap(family: missing, reason: "the resolver did not answer in time"))
        }
        finish(.success(HostAddresses(found, gaps: gaps)))
    }

    private func finish(_ result: Result<HostAddresses, ProbeError>) {
        guard let deliver else { return }
        self.deliver = nil
        prober.remove(self)
        for alarm in alarms { alarm.cancel() }
        alarms = []
        resolver.cancelQueries()
        deliver(result)
    }

    private func error(_ reason: ProbeError.Reason) -> ProbeError { ProbeError(.resolve, reason, target: host) }
}
