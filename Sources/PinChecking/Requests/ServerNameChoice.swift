package import Pinning
package import TLSProbe

/// Which server name is sent (server_name extension, RFC 6066, 3).
package enum ServerNameChoice: Hashable, Sendable {
    /// The target's host is sent when it is a name: what a client takes from the URL, whatever name it judges.
    case targetHost
    case name(ServerNameIndication)
    case none

    /// The choice of a name.
    ///
    /// - Throws: ``RequestError`` for what is no host name, an address among it.
    package static func named(_ text: String) throws(RequestError) -> ServerNameChoice {
        let name: ServerName
        do { name = try HostName.read(text) } catch { throw .serverName(error) }
        guard let indication = ServerNameIndication(name) else { throw .addressAsServerName(text) }
        return .name(indication)
    }

    /// The name to send to a target; an address never is sent (RFC 6066, 3).
    package func indication(forTarget host: ServerName) -> ServerNameIndication? {
        switch self {
        case .none: nil
        case .name(let name): name
        case .targetHost: ServerNameIndication(host)
        }
    }
}
