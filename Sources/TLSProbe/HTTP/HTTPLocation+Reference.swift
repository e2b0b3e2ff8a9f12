extension HTTPLocation {
    /// The location that a reference leads to from here, as in the Location of a redirect (RFC 3986, 5.2); its fragment is left out.
    ///
    /// What servers forget to encode is encoded.
    package func following(_ reference: String) throws(HTTPLocationError) -> HTTPLocation {
        let text = Self.encodedWhereNeeded(reference)
        let origin = (isSecure ? "https" : "http") + "://" + authority
        if text.firstRange(of: "://").map({ Self.isScheme(text[..<$0.lowerBound]) }) ?? false {
            return try HTTPLocation(text)
        }
        if text.hasPrefix("//") { return try HTTPLocation((isSecure ? "https:" : "http:") + text) }
        let colon = text.firstIndex(of: ":")
        let slash = text.firstIndex { $0 == "/" || $0 == "?" || $0 == "#" } ?? text.endIndex
        if let colon, colon < slash, Self.isScheme(text[..<colon]) { throw .noScheme }
        let parts = Self.parts(text)
        let own = Self.parts(path)
        let path: String
        if parts.path.isEmpty {
            path = own.path + (parts.query ?? own.query ?? "")
        } else if parts.path.hasPrefix("/") {
            path = Self.withoutDots(parts.path) + (parts.query ?? "")
        } else {
            let directory = own.path.lastIndex(of: "/").map { own.path[...$0] } ?? "/"
            path = Self.withoutDots(directory + parts.path) + (parts.query ?? "")
        }
        return try HTTPLocation(origin + path)
    }

    package var lastSegment: String {
        let path = path.prefix { $0 != "?" }
        return String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    /// Whether both are of the same scheme, host and port.
    package func hasOrigin(of other: HTTPLocation) -> Bool {
        isSecure == other.isSecure && host == other.host && port == other.port
    }

    /// A reference without its fragment, as its path and its query with the question mark.
    private static func parts(_ text: String) -> (path: Substring, query: String?) {
        let text = text.prefix { $0 != "#" }
        let path = text.prefix { $0 != "?" }
        return (path, path.endIndex == text.endIndex ? nil : String(text[path.endIndex...]))
    }

    private static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, Unicode.Scalar(first).properties.isAlphabetic else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
    }

    /// A path without its `.` and `..` (RFC 3986, 5.2.4).
    private static func withoutDots(_ path: some StringProtocol) -> String {
        var result: [Substring] = []
        let segments = String(path).split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { result.append("") }
            case "..":
                if result.count > 1 { result.removeLast() }
                if isLast { result.append("") }
            default: result.append(segment)
            }
        }
        let joined = result.joined(separator: "/")
        return joined.hasPrefix("/") ? joined : "/" + joined
    }

    /// A reference in which every byte that no URL has as it is stands percent-encoded.
    private static func encodedWhereNeeded(_ text: String) -> String {
        guard !isEncoded(text) else { return text }
        return text.utf8.reduce(into: "") { result, byte in
            let scalar = String(UnicodeScalar(byte))
            result += byte < 0x80 && isEncoded(scalar) ? scalar : percentEncoded(byte)
        }
    }
}
