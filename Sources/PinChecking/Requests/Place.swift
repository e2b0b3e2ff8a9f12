package import Pinning

/// A host or an address with an optional port: `host`, `host:port`, `[v6]`, `[v6]:port` or a bare IPv6 address.
package struct Place: Hashable, Sendable {
    package let host: ServerName
    package let writtenHost: String
    /// The port, `nil` when there is none.
    package let port: Int?

    /// Reads a place; `part` and `whole` say in messages what the text is part of.
    package init(_ text: Substring, of part: RequestError.Part, in whole: String) throws(RequestError) {
        // Byte by byte, as names are read.
        let colon = UInt8(ascii: ":")
        if text.utf8.first == UInt8(ascii: "[") {
            guard let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) else {
                throw .malformed(part, whole, .unclosedBracket)
            }
            let inside = text[text.utf8.index(after: text.startIndex)..<end]
            guard let address = IPAddress(inside), address.isIPv6 else {
                throw .malformed(part, whole, .noAddressInBrackets)
            }
            host = .ip(address)
            writtenHost = address.description
            let rest = text[text.utf8.index(after: end)...]
            guard rest.isEmpty || rest.utf8.first == colon else { throw .malformed(part, whole, .textAfterBracket) }
            port = rest.isEmpty ? nil : try Port.read(Substring(rest.utf8.dropFirst()), of: part, in: whole)
        } else if let address = IPAddress(text) {
            host = .ip(address)
            writtenHost = address.description
            port = nil
        } else {
            let end = text.utf8.firstIndex(of: colon)
            let name = text[..<(end ?? text.endIndex)]
            let rest = end.map { text[text.utf8.index(after: $0)...] }
            guard rest?.utf8.contains(colon) != true else { throw .malformed(part, whole, .severalColons) }
            host = try Self.name(name, of: part, in: whole)
            writtenHost = HostName.written(name, as: host)
            port = try rest.map { (rest) throws(RequestError) in try Port.read(rest, of: part, in: whole) }
        }
    }

    private static func name(
        _ text: Substring, of part: RequestError.Part, in whole: String
    ) throws(RequestError) -> ServerName {
        guard !text.isEmpty else { throw .malformed(part, whole, .noHost) }
        do { return try HostName.read(text) } catch { throw .malformed(part, whole, .name(error)) }
    }

    package static func authority(_ address: String, _ port: Int) -> String {
        address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
    }
}

package enum Port {
    package static let https = 443

    /// Reads a port number; `part` and `whole` say in messages what the text is part of.
    package static func read(
        _ text: some StringProtocol, of part: RequestError.Part, in whole: String
    ) throws(RequestError) -> Int {
        guard !text.isEmpty, text.utf8.count <= 5, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = Int(text), (1...65_535).contains(port)
        else { throw .malformed(part, whole, .port(String(text))) }
        return port
    }
}
