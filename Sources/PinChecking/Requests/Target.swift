import Base
package import Pinning

/// What the user named: a host or an address, perhaps with a port.
package struct Target: Hashable, Sendable {
    /// The text as it was given, not escaped.
    package let text: String
    package let host: ServerName
    package let writtenHost: String
    /// The port, `nil` when the text has none.
    package let port: Int?

    /// Reads `host`, `host:port`, `[v6]:port`, a bare IPv6 address, or `https://host[:port]/path`.
    ///
    /// - Throws: ``RequestError``, which quotes the text and says what to write.
    package init(_ text: String) throws(RequestError) {
        guard !text.isEmpty else { throw .malformed(.target, text, .empty) }
        guard text != "-" else { throw .malformed(.target, text, .dash) }
        let authority = try Self.authority(of: text)
        guard !authority.utf8.contains(UInt8(ascii: "@")) else { throw .malformed(.target, text, .userName) }
        let place = try Place(authority, of: .target, in: text)
        self.text = text
        host = place.host
        writtenHost = place.writtenHost
        port = place.port
    }

    /// The part of a URL that names the server, or the whole text when it is no URL.
    private static func authority(of text: String) throws(RequestError) -> Substring {
        guard let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) else { return text[...] }
        guard text[..<slash].hasSuffix(":"), text[slash...].hasPrefix("//") else {
            throw .malformed(.target, text, .slash)
        }
        guard text[..<slash].dropLast().lowercased() == "https" else { throw .malformed(.target, text, .scheme) }
        return text[slash...].dropFirst(2).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    }
}
