import Base
internal import NIOCore
internal import NIOPosix
internal import Pinning

/// How the TCP connection of a request is made, and what a failure to make it means.
extension ProbeRequest {
    /// What looks the host up, `nil` when there is an address already.
    func resolver(in workshop: ProbeWorkshop, watch: ProbeWatch?) -> SystemResolver? {
        guard case .resolve(_, let family) = destination else { return nil }
        return workshop.resolver(family: family, watch: watch)
    }

    /// Connects with `bootstrap`; a host is looked up by `resolver` and its addresses are tried by happy eyeballs.
    func connect(
        with bootstrap: ClientBootstrap, resolver: SystemResolver?, in workshop: ProbeWorkshop
    ) -> EventLoopFuture<any Channel> {
        switch destination {
        case .resolve(let host, _): return bootstrap.resolver(resolver).connect(host: host, port: Int(port))
        case .address(let address):
            do {
                let staged = workshop.network?.place(of: address, port: Int(port))
                return bootstrap.connect(to: try staged ?? SocketAddress(address, port: Int(port)))
            } catch { return workshop.loop.makeFailedFuture(error) }
        }
    }

    /// What to tell the user when ``connect(with:resolver:in:)`` failed.
    func reason(for failure: any Error) -> ProbeError.Reason {
        guard let failure = failure as? NIOConnectionError else {
            let peer: PeerAddress? =
                if case .address(let address) = destination { PeerAddress(ip: address, port: port) } else { nil }
            return .notConnected([ConnectFailure(peer: peer, error: failure)])
        }
        guard failure.connectionErrors.isEmpty else {
            return .notConnected(
                failure.connectionErrors.map { ConnectFailure(peer: PeerAddress($0.target), error: $0.error) })
        }
        return LookupFailure.reason(
            for: [failure.dnsAError, failure.dnsAAAAError].compactMap { $0 as? LookupFailure }, of: destination)
    }
}

extension ConnectFailure {
    /// The failure to connect to `peer` that NIO reports.
    init(peer: PeerAddress?, error: any Error) {
        let code = (error as? IOError)?.errnoCode ?? EIO
        let kind: Kind =
            switch code {
            case ECONNREFUSED: .refused
            case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: .unreachable
            case ECONNRESET: .reset
            case ETIMEDOUT: .timedOut
            case EADDRNOTAVAIL where peer?.ip.isIPv6 == true: .unreachable
            case EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS: .localLimit
            default: .other(errno: code)
            }
        self.init(peer: peer, kind: kind)
    }
}
