import Pinning
package import TLSProbe

/// Whether connections go through a proxy.
package enum ProxyChoice: Hashable, Sendable {
    /// None, whatever the environment says.
    case direct
    case through(Proxy)

    /// The proxy of a text as curl has it: `[scheme://][user[:password]@]host[:port]`, `http` where there is no scheme.
    ///
    /// - Throws: ``RequestError``, which shows no name and no password.
    package static func named(_ text: String, by origin: String) throws(RequestError) -> ProxyChoice {
        .through(try ProxyText(text).proxy(namedBy: origin))
    }
}

/// A proxy's URL, taken apart.
private struct ProxyText {
    private let kind: Proxy.Kind
    private let user: Substring?
    private let place: Place

    /// The text without the user's name and password.
    private let shown: String

    init(_ text: String) throws(RequestError) {
        let start = text.firstRange(of: "://")
        let scheme = start.map { text[..<$0.lowerBound].lowercased() }
        let rest = start.map { text[$0.upperBound...] } ?? text[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let at = authority.lastIndex(of: "@")
        let host = at.map { authority[authority.index(after: $0)...] } ?? authority
        // A password with a slash ends the authority too early: nothing before the last `@` is shown.
        let visible = rest.lastIndex(of: "@").map { rest[rest.index(after: $0)...] } ?? rest
        shown =
            (scheme.map { "\($0)://" } ?? "") + (at == nil ? Self.withoutWords(inPlaceOfPort: visible) : visible[...])
        guard !text.isEmpty else { throw .malformed(.proxy, text, .empty) }
        guard at != nil || !rest.contains("@") else { throw .malformed(.proxy, shown, .proxyUser) }
        guard let kind = Proxy.Kind(rawValue: scheme ?? Proxy.Kind.http.rawValue) else {
            throw .malformed(.proxy, shown, .proxyScheme)
        }
        self.kind = kind
        user = at.map { authority[..<$0] }
        place = try Place(host, of: .proxy, in: shown)
    }

    /// The text without what is no number in the place of a port: a password, where the host behind it was lost.
    private static func withoutWords(inPlaceOfPort text: Substring) -> Substring {
        guard !text.hasPrefix("["), let colon = text.firstIndex(of: ":") else { return text }
        let port = text[text.index(after: colon)...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        return port.allSatisfy(\.isNumber) ? text : text[...colon] + "…"
    }

    func proxy(namedBy origin: String) throws(RequestError) -> Proxy {
        Proxy(
            kind, host: place.host, port: UInt16(place.port ?? kind.defaultPort), credentials: try credentials(),
            origin: origin)
    }

    private func credentials() throws(RequestError) -> ProxyCredentials? {
        guard let user, !user.isEmpty else { return nil }
        let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let name = Self.decoded(parts[0]), let password = Self.decoded(parts.count > 1 ? parts[1] : ""),
            let credentials = ProxyCredentials(user: name, password: password, for: kind)
        else { throw .malformed(.proxy, shown, .proxyUser) }
        return credentials
    }

    /// The bytes of a text with `%` and two digits for some of them, `nil` for anything else behind a `%`.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x41 + 10
        case 0x61...0x66: byte - 0x61 + 10
        default: nil
        }
    }
}
