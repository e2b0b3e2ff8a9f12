import Base
package import Pinning

/// Where to connect to instead of the target's host, in the notation of pincheck or one of curl's.
package struct ConnectAddress: Hashable, Sendable {
    /// The host and port of the targets it is for; `nil` stands for any.
    package let onlyForHost: ServerName?
    package let onlyForPort: Int?
    /// The address or name to connect to, `nil` for the target's own.
    package let host: ServerName?
    /// The port to connect to, `nil` for the target's own.
    package let port: Int?

    package init(onlyForHost: ServerName? = nil, onlyForPort: Int? = nil, host: ServerName? = nil, port: Int? = nil) {
        self.onlyForHost = onlyForHost
        self.onlyForPort = onlyForPort
        self.host = host
        self.port = port
    }

    package static let ofTarget = ConnectAddress(onlyForHost: nil, onlyForPort: nil, host: nil, port: nil)

    package func applies(to target: Target, port: Int) -> Bool {
        (onlyForHost == nil || onlyForHost == target.host) && (onlyForPort == nil || onlyForPort == port)
    }

    /// Reads `ADDR`, `ADDR:PORT`, and both of curl's notations.
    package static func readAny(_ text: String) throws(RequestError) -> [ConnectAddress] {
        if IPAddress(text) != nil { return [try plain(text)] }
        switch fields(text).count {
        case 1, 2: return [try plain(text)]
        case 4 where IPAddress(afterSecondColon(text)) == nil: return [try readConnectTo(text)]
        default: return try readResolve(text)
        }
    }

    /// Reads curl's `--resolve` notation, `HOST:PORT:ADDR[,ADDR]…`.
    package static func readResolve(_ text: String) throws(RequestError) -> [ConnectAddress] {
        let parts = fields(text)
        guard parts.count >= 3 else { throw .malformed(.resolve, text, .tooFewParts) }
        let name = parts[0].hasPrefix("+") ? parts[0].dropFirst() : parts[0]
        let host = name == "*" ? nil : try Place(name, of: .resolve, in: text).host
        let port = try Port.read(parts[1], of: .resolve, in: text)
        var result: [ConnectAddress] = []
        for part in afterSecondColon(text).split(separator: ",", omittingEmptySubsequences: false) {
            let bare = part.hasPrefix("[") && part.hasSuffix("]") ? part.dropFirst().dropLast() : part
            guard let address = IPAddress(bare) else { throw .malformed(.resolve, text, .noAddress(in: String(part))) }
            result.append(ConnectAddress(onlyForHost: host, onlyForPort: port, host: .ip(address), port: port))
        }
        return result
    }

    /// Reads curl's `--connect-to` notation, `HOST1:PORT1:HOST2:PORT2`, in which every part may be empty.
    package static func readConnectTo(_ text: String) throws(RequestError) -> ConnectAddress {
        let parts = fields(text)
        guard parts.count == 4 else { throw .malformed(.connectTo, text, .notFourParts) }
        return ConnectAddress(
            onlyForHost: parts[0].isEmpty ? nil : try Place(parts[0], of: .connectTo, in: text).host,
            onlyForPort: parts[1].isEmpty ? nil : try Port.read(parts[1], of: .connectTo, in: text),
            host: parts[2].isEmpty ? nil : try Place(parts[2], of: .connectTo, in: text).host,
            port: parts[3].isEmpty ? nil : try Port.read(parts[3], of: .connectTo, in: text))
    }

    private static func plain(_ text: String) throws(RequestError) -> ConnectAddress {
        let place = try Place(text[...], of: .connect, in: text)
        return ConnectAddress(onlyForHost: nil, onlyForPort: nil, host: place.host, port: place.port)
    }

    /// The parts between colons; colons in brackets do not count.
    private static func fields(_ text: String) -> [Substring] {
        var depth = 0
        return text.split(omittingEmptySubsequences: false) { character in
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            return character == ":" && depth <= 0
        }
    }

    private static func afterSecondColon(_ text: String) -> Substring {
        let parts = fields(text)
        return parts.count > 2 ? text[parts[2].startIndex...] : ""
    }
}
