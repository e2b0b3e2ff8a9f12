import Base
import Pinning

package struct ConnectFailure: Hashable {
    /// The address that was tried; `nil` if no socket could be made.
    let peer: PeerAddress?
    let code: Int32

    /// The id of the failures if all have the same, else `connect-failed`.
    static func commonID(of failures: [ConnectFailure]) -> String {
        let ids = Set(failures.map(\.words.id))
        return ids.count == 1 ? ids.first ?? "" : "connect-failed"
    }

    fileprivate func advice(naming name: ProbeSetting.Naming) -> String {
        switch words.id {
        case "refused": "check the port, and that the server is running"
        case "unreachable": "check the network, or choose \(name(.family))"
        case "local-limit": "lower \(name(.jobs)), or raise the limit with ulimit -n"
        default: "check the address, the port and the firewall"
        }
    }

    fileprivate var words: (id: String, reason: String) {
        switch code {
        case ECONNREFUSED: ("refused", "connection refused")
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN,
            EADDRNOTAVAIL where peer?.ip.isIPv6 == true:
            ("unreachable", "no route to the address")
        case ECONNRESET: ("reset", "connection reset")
        case ETIMEDOUT: ("timeout", "the system gave up waiting")
        case EMFILE, ENFILE, EADDRNOTAVAIL, ENOBUFS: ("local-limit", "out of file descriptors or local ports")
        default: ("connect-failed", SystemError.message(of: code))
        }
    }
}

extension [ConnectFailure] {
    private var areAlike: Bool { allSatisfy { $0.words == self[0].words } }

    var fact: String {
        guard let first else { return "no address was tried" }
        if areAlike {
            let addresses = compactMap { $0.peer?.description }.listed
            return first.words.reason + (count == 1 ? "" : " (\(addresses))")
        }
        return map { failure in failure.peer.map { "\($0): \(failure.words.reason)" } ?? failure.words.reason }
            .listed
    }

    func advice(naming name: ProbeSetting.Naming) -> String {
        if let first, areAlike { return first.advice(naming: name) }
        return "check the addresses, or give one \(name(.address))"
    }
}
