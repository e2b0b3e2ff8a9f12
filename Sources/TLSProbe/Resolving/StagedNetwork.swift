import Base
internal import NIOCore
package import Pinning

/// A network of a test's own: names without a resolver, and servers of this machine that stand for others.
///
/// A connection is reported with the address that was asked for. Nothing outside of it is ever contacted: an address without a
/// server is refused.
package struct StagedNetwork: Sendable {
    private let names: [String: [IPAddress]]
    private let ports: [PeerAddress: UInt16]
    private let peers: [UInt16: PeerAddress]
    private let loopback: IPAddress

    package init(names: [String: [IPAddress]], ports: [PeerAddress: UInt16], loopback: IPAddress) {
        (self.names, self.ports, self.loopback) = (names, ports, loopback)
        peers = Dictionary(ports.map { ($0.value, $0.key) }) { first, _ in first }
    }

    /// The addresses of a name, as the system's resolver would answer; with a port they are where the servers really are.
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
        // Nothing can listen on port 0.
        return try? SocketAddress(loopback, port: Int(peer.flatMap { ports[$0] } ?? 0))
    }

    /// Whom a connection to a server of this machine was made to.
    func peer(for real: PeerAddress) -> PeerAddress { peers[real.port] ?? real }
}

extension SocketAddress {
    init(_ address: IPAddress, port: Int) throws {
        try self.init(packedIPAddress: ByteBuffer(bytes: address.bytes), port: port)
    }
}
