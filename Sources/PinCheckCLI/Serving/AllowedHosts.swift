import Base
import NIOHTTP1
import PinChecking
import Pinning

/// The names of this machine in the Host header (RFC 9110, 7.2) on any port, against web pages with DNS rebinding.
struct AllowedHosts: Sendable {
    private let names: Set<ServerName>

    init(names: [ServerName]) { self.names = Set(names + [.dns("localhost")]) }

    static func name(_ text: String) throws(Problem) -> ServerName {
        let target = try Target(host: text)
        guard target.port == nil, case .dns = target.host else {
            throw .usage(
                "\(quoted(text)) is not a name alone: write a name, which is allowed on every port; addresses need none"
            )
        }
        return target.host
    }

    func include(_ head: HTTPRequestHead) -> Bool {
        let values = head.headers["Host"]
        guard let value = values.first else { return head.version.major == 1 && head.version.minor == 0 }
        guard values.count == 1, let host = try? Target(host: value).host else { return false }
        if case .ip = host { return true }
        return names.contains(host)
    }
}
