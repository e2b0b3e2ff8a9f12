import Base
import NIOCore
import NIOPosix
import Pinning

/// Feeds NIO's happy eyeballs from the system's resolver, with one look-up a family, for one probe.
///
/// Unlike NIO's own resolver, it looks up families separately (a slow AAAA answer does not delay the A answer), can be
/// restricted to one, and can be abandoned. Sendable because only the event loop uses all but the look-ups.
final class SystemResolver: Resolver, @unchecked Sendable {
    private let prober: Prober
    private let family: AddressFamily
    private let watch: ProbeWatch?
    private var pending: [Int32: (lookup: Lookup, promise: EventLoopPromise<[SocketAddress]>)] = [:]

    init(_ prober: Prober, family: AddressFamily, watch: ProbeWatch?) {
        (self.prober, self.family, self.watch) = (prober, family, watch)
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        family == .ipv6 ? prober.loop.makeSucceededFuture([]) : query(host, port, family: AF_INET)
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        family == .ipv4 ? prober.loop.makeSucceededFuture([]) : query(host, port, family: AF_INET6)
    }

    /// Abandons the look-ups under way, so that their futures fail now.
    func cancelQueries() {
        prober.loop.preconditionInEventLoop()
        let abandoned = pending
        pending = [:]
        for (lookup, promise) in abandoned.values {
            lookup.abandon()
            promise.fail(CancellationError())
        }
    }

    private func query(_ host: String, _ port: Int, family: Int32) -> EventLoopFuture<[SocketAddress]> {
        prober.loop.preconditionInEventLoop()
        watch?("looking up \(host) (\(Self.name(of: family)))")
        if let network = prober.network {
            let answer = Self.usable(network.addresses(of: host, port: port, isIPv6: family == AF_INET6))
            tell(answer, of: host, family)
            return prober.loop.makeCompletedFuture(answer.mapError { $0 as any Error })
        }
        let promise = prober.loop.makePromise(of: [SocketAddress].self)
        // A look-up may wait longer for a thread than its resolver lives.
        let lookup = Lookup(host: host, port: port, family: family) { [weak self] answer in
            guard let self else { return }
            _ = prober.onLoop { self.finish(host, family, Self.usable(answer)) }
        }
        pending[family] = (lookup, promise)
        prober.lookups.submit(lookup)
        return promise.futureResult
    }

    /// Drops the unspecified addresses, which would lead to this machine.
    private static func usable(_ answer: Lookup.Answer) -> Lookup.Answer {
        answer.flatMap { addresses in
            let usable = addresses.filter { address in
                !(address.ipAddress.flatMap { IPAddress($0) }?.isUnspecified ?? false)
            }
            return usable.isEmpty && !addresses.isEmpty ? .failure(.filtered) : .success(usable)
        }
    }

    private func finish(_ host: String, _ family: Int32, _ answer: Lookup.Answer) {
        // An abandoned look-up has failed already.
        guard let query = pending.removeValue(forKey: family) else { return }
        tell(answer, of: host, family)
        query.promise.completeWith(answer.mapError { $0 })
    }

    private func tell(_ answer: Lookup.Answer, of host: String, _ family: Int32) {
        guard let watch else { return }
        switch answer {
        case .success(let addresses):
            let peers = addresses.compactMap { PeerAddress($0) }.map { prober.network?.peer(for: $0) ?? $0 }
            let list = peers.map(\.ip.description).listed
            watch("\(host) (\(Self.name(of: family))): \(list.isEmpty ? "no address" : list)")
        case .failure(let failure): watch("\(host) (\(Self.name(of: family))): \(failure.detail)")
        }
    }

    private static func name(of family: Int32) -> String { family == AF_INET6 ? "IPv6" : "IPv4" }
}
