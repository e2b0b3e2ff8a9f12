import Pinning
import Text

/// What the user named: a host or an address, perhaps with a port.
struct Target: Hashable, Sendable {
    /// The text as it was given, not escaped.
    let text: String
    /// The host or the address.
    let host: ServerName
    /// The host as the text has it.
    let writtenHost: String
    /// The port, `nil` when the text has none.
    let port: Int?

    /// Reads `host`, `host:port`, `[v6]:port`, a bare IPv6 address, or `https://host[:port]/path`.
    ///
    /// - Throws: a usage error that quotes the text and says what to write.
    init(_ text: String) throws(CommandError) {
        guard !text.isEmpty else {
            throw .usage("the target '' is empty: name a host, as in 'pincheck api.example.com'")
        }
        guard !Self.mayBeKeyMaterial(text) else {
            throw .usage(
                "the target (\(text.utf8.count) characters) may be a line of a private key: it was not used and no part of it "
                    + "is shown; if it is a name, write it in lower case"
            )
        }
        let authority = try Self.authority(of: text)
        guard !authority.contains("@") else {
            throw .usage("the target \(quoted(text)) holds a user name: leave out everything up to the '@'")
        }
        let place = try Place(authority, of: "target", in: text)
        self.text = text
        host = place.host
        writtenHost = place.writtenHost
        port = place.port
    }

    /// Whether the text, or what stands in it for a name, may be a line of a private key.
    private static func mayBeKeyMaterial(_ text: String) -> Bool {
        let name = text.firstRange(of: "://").map { text[$0.upperBound...] } ?? text[...]
        let host = name.prefix { $0 != ":" }
        return KeyMaterial.isLikely(text) || KeyMaterial.isLikely(name) || KeyMaterial.isLikely(host)
    }

    /// The part of a URL that names the server, or the whole text when it is no URL.
    private static func authority(of text: String) throws(CommandError) -> Substring {
        guard let slash = text.firstIndex(of: "/") else { return text[...] }
        guard text[..<slash].hasSuffix(":"), text[slash...].hasPrefix("//") else {
            throw .usage("the target \(quoted(text)) holds a '/': name the host alone, or write https:// before it")
        }
        let scheme = text[..<slash].dropLast().lowercased()
        guard scheme == "https" else {
            throw .usage(
                "the target \(quoted(text)) is no https URL: pincheck speaks TLS only, write https:// or host:port"
            )
        }
        return text[slash...].dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }
}

/// A host or an address with an optional port: `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address.
struct Place: Hashable, Sendable {
    /// The host or the address.
    let host: ServerName
    /// The host as the text has it.
    let writtenHost: String
    /// The port, `nil` when there is none.
    let port: Int?

    /// Reads a place; `kind` and `whole` say in messages what the text is part of.
    init(_ text: Substring, of kind: String, in whole: String) throws(CommandError) {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else {
                throw .usage(
                    "the \(kind) \(quoted(whole)) has a '[' without ']': write an IPv6 address as [2001:db8::1]:443"
                )
            }
            let inside = text[text.index(after: text.startIndex)..<end]
            guard let address = IPAddress(inside), address.isIPv6 else {
                throw .usage(
                    "the \(kind) \(quoted(whole)) has no IPv6 address in its brackets: write [2001:db8::1]:443"
                )
            }
            host = .ip(address)
            writtenHost = address.description
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else {
                throw .usage("the \(kind) \(quoted(whole)) has text after its ']': write [2001:db8::1]:443")
            }
            port = rest.isEmpty ? nil : try Port.read(rest.dropFirst(), of: kind, in: whole)
        } else if let address = IPAddress(text) {
            host = .ip(address)
            writtenHost = address.description
            port = nil
        } else {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2 else {
                throw .usage(
                    "the \(kind) \(quoted(whole)) has more than one ':' but is no IPv6 address: write host:port, "
                        + "or [2001:db8::1]:443"
                )
            }
            host = try Self.name(parts[0], of: kind, in: whole)
            writtenHost = HostName.written(parts[0], as: host)
            port = parts.count == 2 ? try Port.read(parts[1], of: kind, in: whole) : nil
        }
    }

    private static func name(_ text: Substring, of kind: String, in whole: String) throws(CommandError) -> ServerName {
        guard !text.isEmpty else {
            throw .usage("the \(kind) \(quoted(whole)) names no host: write host or host:port")
        }
        do {
            return try HostName.read(text)
        } catch {
            throw .usage("\(error)")
        }
    }
}

/// Port numbers.
enum Port {
    /// The port of HTTPS.
    static let https = 443

    /// Reads a port number; `kind` and `whole` say in messages what the text is part of.
    static func read(_ text: some StringProtocol, of kind: String, in whole: String) throws(CommandError) -> Int {
        guard !text.isEmpty, text.utf8.count <= 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(text), (1...65_535).contains(port)
        else {
            throw .usage(
                "the \(kind) \(quoted(whole)) has the port \(quoted(text)): a port is a number from 1 to 65535"
            )
        }
        return port
    }
}
