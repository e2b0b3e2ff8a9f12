import Base
import NIOCore
package import Pinning
import Synchronization

/// A look-up of a host's addresses in one family (`AF_INET` or `AF_INET6`) by the system's resolver.
final class Lookup: Sendable {
    typealias Answer = Result<[SocketAddress], LookupFailure>

    private let host: String
    private let port: Int
    private let family: Int32
    private let isWanted = Atomic(true)
    /// Receives the answer, on the thread that found it.
    let deliver: @Sendable (Answer) -> Void

    init(host: String, port: Int, family: Int32, deliver: @escaping @Sendable (Answer) -> Void) {
        (self.host, self.port, self.family, self.deliver) = (host, port, family, deliver)
    }

    /// Blocks for `getaddrinfo`, then delivers the answer, unless the look-up was abandoned.
    func run() { if isWanted.load(ordering: .relaxed) { deliver(ask()) } }

    func abandon() { isWanted.store(false, ordering: .relaxed) }

    private func ask() -> Answer {
        // C would look up only the text before a NUL.
        guard !host.utf8.contains(0) else { return .failure(LookupFailure(code: EAI_NONAME)) }
        var hints = addrinfo()
        hints.ai_family = family
        #if canImport(Glibc)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_protocol = Int32(IPPROTO_TCP)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else { return .failure(LookupFailure(code: code)) }
        defer { freeaddrinfo(list) }
        let addresses = sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.compactMap { entry in
            entry.flatMap { Self.address(of: $0.pointee) }
        }
        return .success(addresses)
    }

    private static func address(of entry: addrinfo) -> SocketAddress? {
        guard let address = UnsafeRawPointer(entry.ai_addr) else { return nil }
        return switch entry.ai_family {
        case AF_INET: SocketAddress(address.loadUnaligned(as: sockaddr_in.self), host: "")
        case AF_INET6: SocketAddress(address.loadUnaligned(as: sockaddr_in6.self), host: "")
        default: nil
        }
    }
}

struct LookupFailure: Error, Equatable {
    let code: Int32

    /// The failure if all addresses were unspecified (RFC 1122, 3.2.1.3; RFC 4291, 2.5.2), as from a DNS filter.
    static let filtered = LookupFailure(code: .min)

    var detail: String {
        self == .filtered ? "no address but this machine's, as DNS filters answer" : String(cString: gai_strerror(code))
    }
    /// `true` if the name exists without an address of the family.
    var isNoAddress: Bool { code == Self.noData || code == Self.noAddressFamily }
    var isNoAnswer: Bool { code != EAI_NONAME && !isNoAddress }

    #if canImport(Darwin)
    static let noData = EAI_NODATA
    private static let noAddressFamily = EAI_ADDRFAMILY
    #else
    // EAI_NODATA and EAI_ADDRFAMILY, which <netdb.h> shows to GNU sources only.
    static let noData: Int32 = -5
    private static let noAddressFamily: Int32 = -9
    #endif

    /// The reason why look-ups with `failures`, one a family, gave no address to connect to.
    static func reason(for failures: [LookupFailure], of destination: ProbeRequest.Destination) -> ProbeError.Reason {
        let family: AddressFamily = if case .resolve(_, let family) = destination { family } else { .any }
        if failures.contains(.filtered) { return .addressesFiltered }
        if let failure = failures.first(where: \.isNoAnswer) { return .resolverFailed(failure.detail) }
        if failures.contains(where: \.isNoAddress) || failures.isEmpty { return .noAddress(family) }
        return .nameNotFound
    }
}

/// Runs blocking look-ups on threads of its own, so that no event loop or thread of Swift's pool waits for DNS.
///
/// Threads end with the work, and nothing waits for them: an abandoned look-up may outlive everything else.
final class LookupThreads: Sendable {
    private struct State {
        var waiting = CircularBuffer<Lookup>()
        var threads = 0
    }

    /// The most simultaneous queries: more make resolvers lose packets.
    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int = 64) { self.limit = limit }

    func submit(_ lookup: Lookup) {
        let needsThread = state.withLock { state in
            state.waiting.append(lookup)
            guard state.threads < limit else { return false }
            state.threads += 1
            return true
        }
        guard needsThread, !SystemThread.start({ while let lookup = self.next() { lookup.run() } }) else { return }
        // A running thread will take the look-up; without one it has to fail.
        let stranded = state.withLock { state -> CircularBuffer<Lookup> in
            state.threads -= 1
            guard state.threads == 0 else { return [] }
            defer { state.waiting.removeAll() }
            return state.waiting
        }
        for lookup in stranded { lookup.deliver(.failure(LookupFailure(code: EAI_MEMORY))) }
    }

    private func next() -> Lookup? {
        state.withLock { state in
            if let lookup = state.waiting.popFirst() { return lookup }
            state.threads -= 1
            return nil
        }
    }
}

/// A network for tests: only its names and servers on this machine exist, and other addresses refuse connections.
package struct StagedNetwork {
    private let names: [String: [IPAddress]]
    private let ports: [PeerAddress: UInt16]
    private let peers: [UInt16: PeerAddress]
    private let loopback: IPAddress

    package init(names: [String: [IPAddress]], ports: [PeerAddress: UInt16], loopback: IPAddress) {
        (self.names, self.ports, self.loopback) = (names, ports, loopback)
        peers = Dictionary(ports.map { ($0.value, $0.key) }) { first, _ in first }
    }

    /// The addresses of a name, as from the system's resolver; with a port, those of the real servers.
    func addresses(of host: String, port: Int, isIPv6: Bool) -> Result<[SocketAddress], LookupFailure> {
        guard let addresses = names[host] else { return .failure(LookupFailure(code: EAI_NONAME)) }
        let fitting = addresses.filter { $0.isIPv6 == isIPv6 }
        guard !fitting.isEmpty else { return .failure(LookupFailure(code: LookupFailure.noData)) }
        return .success(
            fitting.compactMap { address in
                port == 0 ? try? SocketAddress(address, port: 0) : place(of: address, port: port)
            })
    }

    func place(of address: IPAddress, port: Int) -> SocketAddress? {
        let peer = UInt16(exactly: port).map { PeerAddress(ip: address, port: $0) }
        // No server can listen on port 0.
        return try? SocketAddress(loopback, port: Int(peer.flatMap { ports[$0] } ?? 0))
    }

    func peer(for real: PeerAddress) -> PeerAddress { peers[real.port] ?? real }
}

extension SocketAddress {
    init(_ address: IPAddress, port: Int) throws {
        try self.init(packedIPAddress: ByteBuffer(bytes: address.bytes), port: port)
    }
}
