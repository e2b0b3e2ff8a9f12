import Base
package import Pinning
import X509

/// The server as the user named it: a host or an address, with or without a port.
package struct Target: Hashable {
    package let text: String
    package let host: ServerName
    /// The host as written, with its capitals and a dot at its end, but with A-labels.
    package let writtenHost: String
    package let port: Int?

    /// Reads `host`, `host:port`, `[v6]:port`, a bare IPv6 address, or `https://host[:port]/path`.
    package init(_ text: String) throws(Problem) {
        let given = GivenText("target", text)
        guard !text.isEmpty else { throw given.wrong("is empty: name a host, as in 'api.example.com'") }
        guard text != "-" else { throw .usage("the target '-' is no host", .readList) }
        let authority = try Self.authority(of: given)
        guard !authority.contains("@") else { throw given.wrong(inPart: "") }
        try self.init(authority, of: given)
    }

    /// Reads the value of a Host header, which is not a URL.
    package init(host text: String) throws(Problem) { try self.init(text[...], of: GivenText("host", text)) }

    init(_ part: Substring, of given: GivenText) throws(Problem) {
        text = given.text
        let rest: Substring?
        if part.utf8.first == "[" {
            let parts = part.dropFirst().parts(at: "]", atMost: 2)
            guard parts.count == 2, let address = IPAddress(parts[0]), address.isIPv6,
                parts[1].isEmpty || parts[1].hasPrefix(":")
            else { throw given.wrong(inPart: "has no IPv6 address in its brackets: write [2001:db8::1]:443") }
            (host, writtenHost) = (.ip(address), address.description)
            rest = parts[1].isEmpty ? nil : parts[1].dropFirst()
        } else if let address = IPAddress(part) {
            (host, writtenHost, rest) = (.ip(address), address.description, nil)
        } else {
            let end = part.utf8.firstIndex { $0 == ":" }
            let name = part[..<(end ?? part.endIndex)]
            rest = end.map { part[part.utf8.index(after: $0)...] }
            guard rest?.utf8.contains(UInt8(ascii: ":")) != true else {
                throw given.wrong(
                    inPart: "has more than one ':' but is not an IPv6 address: write host:port, or [2001:db8::1]:443")
            }
            guard !name.isEmpty else { throw given.wrong(inPart: "names no host: write host or host:port") }
            do { host = try ServerName(written: name) } catch { throw given.wrong(error) }
            writtenHost = host.written(as: name)
        }
        port = try rest.map(given.port)
    }

    private static func authority(of given: GivenText) throws(Problem) -> Substring {
        let text = given.text
        guard let slash = text.firstIndex(of: "/") else { return text[...] }
        guard text[..<slash].hasSuffix(":"), text[slash...].hasPrefix("//") else {
            throw given.wrong("holds a '/': name the host alone, or write https:// before it")
        }
        guard text[..<slash].dropLast().lowercased() == "https" else {
            throw given.wrong("is not an https URL: pincheck speaks TLS only, write https:// or host:port")
        }
        return text[slash...].dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }
}

/// A text that names a server, with its name in messages, which never contain text before an `@`.
struct GivenText {
    let name: SafeText
    let text: String

    init(_ name: SafeText, _ text: String) { (self.name, self.text) = (name, text) }

    func wrong(_ problem: SafeText) -> Problem {
        .usage("the \(name) \(quoted(UserInfo.hiddenBeforeHost(text))) \(problem)")
    }

    /// The problem of a part of the text, which may belong to a password if the text contains an `@`.
    func wrong(inPart problem: SafeText) -> Problem {
        wrong(text.contains("@") ? "holds a user name: leave out everything up to the '@'" : problem)
    }

    func wrong(_ error: ServerNameError) -> Problem { text.contains("@") ? wrong(inPart: "") : .usage("\(error)") }

    func port(_ part: Substring) throws(Problem) -> Int {
        if part.utf8.count <= 5, part.utf8.allSatisfy(\.isDigit), let port = Int(part), (1...65_535).contains(port) {
            return port
        }
        if part.hasPrefix("//") { throw wrong(inPart: "is a URL: give the name or address alone") }
        // Text that is not a number may be a password whose host is missing.
        let shown: SafeText =
            part.allSatisfy { $0.isNumber || $0 == "-" } ? "the port \(quoted(part))" : "a port that is no number"
        throw wrong(inPart: "has \(shown): a port is a number from 1 to 65535")
    }
}

/// A place to connect to instead of the target's host, in the notation of pincheck or one of curl's.
package struct ConnectAddress: Hashable {
    /// The host and port of the targets that use this address; `nil` means any.
    package let onlyForHost: ServerName?
    let onlyForPort: Int?
    /// The address or name to connect to; `nil` means the target's own.
    package let host: ServerName?
    let port: Int?

    package init(onlyForHost: ServerName? = nil, onlyForPort: Int? = nil, host: ServerName? = nil, port: Int? = nil) {
        (self.onlyForHost, self.onlyForPort, self.host, self.port) = (onlyForHost, onlyForPort, host, port)
    }

    /// `true` if only some targets use the address.
    var isConditional: Bool { onlyForHost != nil || onlyForPort != nil }

    func applies(to target: Target, port: Int) -> Bool {
        (onlyForHost == nil || onlyForHost == target.host) && (onlyForPort == nil || onlyForPort == port)
    }

    /// Reads `ADDR`, `ADDR:PORT`, and both of curl's notations.
    package static func readAny(_ text: String) throws(Problem) -> [ConnectAddress] {
        let parts = fields(text)
        if parts.count < 3 || IPAddress(text) != nil {
            let place = try Target(text[...], of: GivenText("address", text))
            return [ConnectAddress(host: place.host, port: place.port)]
        }
        if parts.count == 4, IPAddress(text[parts[2].startIndex...]) == nil { return [try readConnectTo(text)] }
        return try readResolve(text)
    }

    /// Reads curl's `--resolve` notation, `HOST:PORT:ADDR[,ADDR]…`.
    package static func readResolve(_ text: String) throws(Problem) -> [ConnectAddress] {
        let form: SafeText = "write HOST:PORT:ADDR, as in api.example.com:443:203.0.113.7"
        let given = GivenText("address", text)
        let parts = fields(text)
        guard parts.count >= 3 else { throw given.wrong(inPart: "has too few parts: \(form)") }
        let name = parts[0].hasPrefix("+") ? parts[0].dropFirst() : parts[0]
        let host = name == "*" ? nil : try Target(name, of: given).host
        let port = try given.port(parts[1])
        let addresses = text[parts[2].startIndex...].parts(at: ",")
        return try addresses.map { (part) throws(Problem) in
            let bare = part.hasPrefix("[") && part.hasSuffix("]") ? part.dropFirst().dropLast() : part
            guard let address = IPAddress(bare) else {
                throw given.wrong(inPart: "has no address in \(quoted(part)): \(form)")
            }
            return ConnectAddress(onlyForHost: host, onlyForPort: port, host: .ip(address), port: port)
        }
    }

    /// Reads curl's `--connect-to` notation, `HOST1:PORT1:HOST2:PORT2`, in which every part may be empty.
    package static func readConnectTo(_ text: String) throws(Problem) -> ConnectAddress {
        let given = GivenText("address", text)
        let parts = fields(text)
        guard parts.count == 4 else {
            throw given.wrong(
                "has not four parts: write HOST1:PORT1:HOST2:PORT2, as in api.example.com:443:203.0.113.7:8443")
        }
        guard !parts[2].isEmpty || !parts[3].isEmpty else {
            throw given.wrong("has neither a host nor a port to connect to: write one of them")
        }
        return ConnectAddress(
            onlyForHost: parts[0].isEmpty ? nil : try Target(parts[0], of: given).host,
            onlyForPort: parts[1].isEmpty ? nil : try given.port(parts[1]),
            host: parts[2].isEmpty ? nil : try Target(parts[2], of: given).host,
            port: parts[3].isEmpty ? nil : try given.port(parts[3]))
    }

    private static func fields(_ text: String) -> [Substring] {
        var depth = 0
        return text.split(omittingEmptySubsequences: false) { character in
            if character == "[" { depth += 1 }
            if character == "]" { depth -= 1 }
            return character == ":" && depth <= 0
        }
    }
}
