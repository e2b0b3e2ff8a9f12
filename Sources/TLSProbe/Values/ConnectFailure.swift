import Base
internal import Pinning

/// Why one address could not be connected to.
package struct ConnectFailure: Sendable, Hashable {
    /// The address that was tried, `nil` when the attempt failed before there was a socket for it.
    package let peer: PeerAddress?
    /// The code in `errno`.
    package let code: Int32

    package init(peer: PeerAddress?, code: Int32) { (self.peer, self.code) = (peer, code) }

    /// The word for all failures when they are of one kind, `connect-failed` otherwise.
    static func commonID(of failures: [ConnectFailure]) -> String {
        let ids = Set(failures.map(\.words.id))
        return ids.count == 1 ? ids.first ?? "" : "connect-failed"
    }

    /// The reasons, each with its address when there are several, and what to do.
    static func describe(_ failures: [ConnectFailure]) -> String {
        guard let first = failures.first else { return "no address was tried" }
        if failures.allSatisfy({ $0.words == first.words }) {
            let addresses = failures.compactMap { $0.peer?.description }.joined(separator: ", ")
            return failures.count == 1
                ? "\(first.words.reason); \(first.words.remedy)"
                : "\(first.words.reason) (\(addresses)); \(first.words.remedy)"
        }
        let each = failures.map { failure in
            failure.peer.map { "\($0): \(failure.words.reason)" } ?? failure.words.reason
        }
        return each.joined(separator: ", ") + "; check the addresses, or give one with --connect"
    }

    private var words: (id: String, reason: String, remedy: String) {
        let places = "check the address, the port and the firewall"
        return switch code {
        case ECONNREFUSED: ("refused", "connection refused", "check the port, and that the server is running")
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN,
            EADDRNOTAVAIL where peer?.ip.isIPv6 == true:
            (
                "unreachable", "no route to the address",
                "check the network, or choose the other address family with -4 or -6"
            )
        case ECONNRESET: ("reset", "connection reset", places)
        case ETIMEDOUT: ("timeout", "the system gave up waiting", places)
        case EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS:
            ("local-limit", "out of file descriptors or local ports", "lower --jobs, or raise the limit with ulimit -n")
        default: ("connect-failed", SystemError.message(of: code), places)
        }
    }
}
