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
        let ids = Set(failures.map(\.words.id))
        return ids.count == 1 ? ids.first ?? "" : "connect-failed"
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

    private var reason: String { words.reason }
    private var remedy: String { words.remedy }

    private var words: (id: String, reason: String, remedy: String) {
        let places = "check the address, the port and the firewall"
        return switch kind {
        case .refused: ("refused", "connection refused", "check the port, and that the server is running")
        case .unreachable:
            (
                "unreachable", "no route to the address",
                "check the network, or choose the other address family with -4 or -6"
            )
        case .reset: ("reset", "connection reset", places)
        case .timedOut: ("timeout", "the system gave up waiting", places)
        case .localLimit:
            ("local-limit", "out of file descriptors or local ports", "lower --jobs, or raise the limit with ulimit -n")
        case .other(let code): ("connect-failed", strerror(code).map { String(cString: $0) } ?? "error \(code)", places)
        }
    }
}
