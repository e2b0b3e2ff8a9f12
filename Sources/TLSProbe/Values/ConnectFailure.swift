import Base
internal import Pinning

/// Why one address could not be connected to.
package struct ConnectFailure: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Nothing listens on the port (ECONNREFUSED).
        case refused
        /// No route to the host or its network.
        case unreachable
        /// The connection was reset while it was being made (ECONNRESET).
        case reset
        /// The system gave up (ETIMEDOUT).
        case timedOut
        /// The process has no file descriptor or no port left.
        case localLimit
        case other(errno: Int32)
    }

    /// The address that was tried, `nil` when the attempt failed before there was a socket for it.
    package let peer: PeerAddress?
    package let kind: Kind

    package init(peer: PeerAddress?, kind: Kind) { (self.peer, self.kind) = (peer, kind) }

    /// The word for all failures when they are of one kind, `connect-failed` otherwise.
    static func commonID(of failures: [ConnectFailure]) -> String {
        let kinds = Set(failures.map(\.kind))
        guard kinds.count == 1, let kind = kinds.first else { return "connect-failed" }
        return switch kind {
        case .refused: "refused"
        case .unreachable: "unreachable"
        case .reset: "reset"
        case .timedOut: "timeout"
        case .localLimit: "local-limit"
        case .other: "connect-failed"
        }
    }

    /// The reasons, each with its address when there are several, and what to do.
    static func describe(_ failures: [ConnectFailure]) -> String {
        guard let first = failures.first else { return "no address was tried" }
        if failures.allSatisfy({ $0.kind == first.kind }) {
            let addresses = failures.compactMap { $0.peer?.description }.joined(separator: ", ")
            return failures.count == 1
                ? "\(first.reason); \(first.remedy)" : "\(first.reason) (\(addresses)); \(first.remedy)"
        }
        let each = failures.map { failure in failure.peer.map { "\($0): \(failure.reason)" } ?? failure.reason }
        return each.joined(separator: ", ") + "; check the addresses, or give one with --connect"
    }

    private var reason: String {
        switch kind {
        case .refused: "connection refused"
        case .unreachable: "no route to the address"
        case .reset: "connection reset"
        case .timedOut: "the system gave up waiting"
        case .localLimit: "out of file descriptors or local ports"
        case .other(let code): strerror(code).map { String(cString: $0) } ?? "error \(code)"
        }
    }

    private var remedy: String {
        switch kind {
        case .refused: "check the port, and that the server is running"
        case .unreachable: "check the network, or choose the other address family with -4 or -6"
        case .reset, .timedOut, .other: "check the address, the port and the firewall"
        case .localLimit: "lower --jobs, or raise the limit with ulimit -n"
        }
    }
}
