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
        (self.onlyForHost, self.onlyForPort, self.host, self.port) = (onlyForHost, onlyForPort, host, port)
    }

    func applies(to target: Target, port: Int) -> Bool {
        (onlyForHost == nil || onlyForHost == target.host) && (onlyForPort == nil || onlyForPort == port)
    }

    /// Reads `ADDR`, `ADDR:PORT`, and both of curl's notations.
    package static func readAny(_ text: String) throws(CheckError) -> [ConnectAddress] {
        let parts = fields(text)
        if parts.count < 3 || IPAddress(text) != nil {
            let place = try Target(text[...], of: GivenText("address", text))
            return [ConnectAddress(host: place.host, port: place.port)]
        }
        if parts.count == 4, IPAddress(text[parts[2].startIndex...]) == nil { return [try readConnectTo(text)] }
        return try readResolve(text)
    }

    /// Reads curl's `--resolve` notation, `HOST:PORT:ADDR[,ADDR]…`.
    package static func readResolve(_ text: String) throws(CheckError) -> [ConnectAddress] {
        let form: SafeText = "write HOST:PORT:ADDR, as in api.example.com:443:203.0.113.7"
        let given = GivenText("address", text)
        let parts = fields(text)
        guard parts.count >= 3 else { throw given.wrong(inPart: "has too few parts: \(form)") }
        let name = parts[0].hasPrefix("+") ? parts[0].dropFirst() : parts[0]
        let host = name == "*" ? nil : try Target(name, of: given).host
        let port = try given.port(parts[1])
        var result: [ConnectAddress] = []
        for part in text[parts[2].startIndex...].split(separator: ",", omittingEmptySubsequences: false) {
            let bare = part.hasPrefix("[") && part.hasSuffix("]") ? part.dropFirst().dropLast() : part
            guard let address = IPAddress(bare) else {
                throw given.wrong(inPart: "has no address in \(quoted(part)): \(form)")
            }
            result.append(ConnectAddress(onlyForHost: host, onlyForPort: port, host: .ip(address), port: port))
        }
        return result
    }

    /// Reads curl's `--connect-to` notation, `HOST1:PORT1:HOST2:PORT2`, in which every part may be empty.
    package static func readConnectTo(_ text: String) throws(CheckError) -> ConnectAddress {
        let given = GivenText("address", text)
        let parts = fields(text)
        guard parts.count == 4 else {
            throw given.wrong(
                "has not four parts: write HOST1:PORT1:HOST2:PORT2, as in api.example.com:443:203.0.113.7:8443")
        }
        return ConnectAddress(
            onlyForHost: parts[0].isEmpty ? nil : try Target(parts[0], of: given).host,
            onlyForPort: parts[1].isEmpty ? nil : try given.port(parts[1]),
            host: parts[2].isEmpty ? nil : try Target(parts[2], of: given).host,
            port: parts[3].isEmpty ? nil : try given.port(parts[3]))
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
}
