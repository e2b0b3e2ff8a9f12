import Base
package import Pinning

package struct HTTPLocation: Hashable, CustomStringConvertible {
    package let isSecure: Bool
    package let host: ServerName
    /// The port, 1…65535.
    let port: UInt16
    /// The path and the query, beginning with `/`.
    package let path: String

    /// Reads a URL without its fragment; rejects characters that a URL has to percent-encode.
    package init(_ text: some StringProtocol) throws(Problem) {
        guard let colon = text.firstRange(of: "://") else { throw Self.noScheme }
        switch text[..<colon.lowerBound].lowercased() {
        case "http": isSecure = false
        case "https": isSecure = true
        default: throw Self.noScheme
        }
        guard Self.isEncoded(text) else { throw Self.unencoded }
        let rest = text[colon.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[authority.endIndex...]
        self.path = path.hasPrefix("/") ? String(path) : "/" + path
        guard !authority.contains("@") else { throw .usage("holds a user name: leave out everything up to the '@'") }
        let end = authority.firstIndex(of: "]").map { authority.index(after: $0) } ?? authority.startIndex
        let mark = authority[end...].firstIndex(of: ":")
        do { host = try ServerName(authority[..<(mark ?? authority.endIndex)]) } catch {
            throw .usage("names no host: \(error)")
        }
        guard let mark else {
            port = isSecure ? 443 : 80
            return
        }
        let digits = authority[authority.index(after: mark)...]
        // A number may have a sign; a port may not.
        guard digits.utf8.allSatisfy(\.isDigit), let port = UInt16(digits), port > 0 else {
            throw .usage("has no port from 1 to 65535 behind its colon")
        }
        self.port = port
    }

    private static let noScheme = Problem.usage("is not an http or https URL: begin it with http:// or https://")
    fileprivate static let unencoded = Problem.usage(
        "has a character that a URL writes percent-encoded, as in %20 for a space")

    /// Printable characters that are not allowed in any part of a URL (RFC 3986, 2).
    private static let unsafe = Set(#""<>\^`{|}"#.utf8)

    /// `true` if every byte is allowed in a URL without percent-encoding (RFC 3986, 2.1).
    static func isEncoded(_ text: some StringProtocol) -> Bool { text.utf8.allSatisfy(isAllowed) }

    private static func isAllowed(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) && !unsafe.contains(byte) }

    /// The text with all but unreserved characters percent-encoded (RFC 3986, 2.3).
    package static func percentEncoded(_ text: String) -> String {
        percentEncoded(text) { $0.isAlphanumeric || "-._~".utf8.contains($0) }
    }

    private static func percentEncoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let digits = String(byte, radix: 16, uppercase: true)
            result += isKept(byte) ? String(UnicodeScalar(byte)) : "%" + (digits.count == 1 ? "0" : "") + digits
        }
    }

    package var authority: String { Self.authority(host, Int(port), defaultPort: isSecure ? 443 : 80) }

    /// A host and a port in the form of the Host header (RFC 9110, 7.2).
    package static func authority(_ host: ServerName, _ port: Int, defaultPort: Int) -> String {
        let name = if case .ip(let address) = host, address.isIPv6 { "[\(address)]" } else { host.description }
        return port == defaultPort ? name : "\(name):\(port)"
    }

    package var description: String { origin + path }
    private var origin: String { (isSecure ? "https://" : "http://") + authority }
    /// The URL for messages, as in `https://a.example/b?…`: a query may contain a token.
    package var shown: String { origin + HTTPRequest(self).shownPath }

    /// The target of a reference from here (RFC 3986, 5.2) without its fragment; bytes that need encoding get it.
    package func following(_ reference: String) throws(Problem) -> Self {
        let text = Self.percentEncoded(reference, keeping: Self.isAllowed)
        let start = text.prefix { !":/?#".contains($0) }
        if text[start.endIndex...].hasPrefix(":"), Self.isScheme(start) { return try Self(text) }
        if text.hasPrefix("//") { return try Self((isSecure ? "https:" : "http:") + text) }
        let parts = Self.parts(text)
        let own = Self.parts(path)
        guard !parts.path.isEmpty else { return try Self(origin + own.path + (parts.query ?? own.query ?? "")) }
        let directory = own.path.lastIndex(of: "/").map { own.path[...$0] } ?? "/"
        let path = parts.path.hasPrefix("/") ? parts.path : directory + parts.path
        return try Self(origin + Self.withoutDots(path) + (parts.query ?? ""))
    }

    package var lastSegment: String {
        let path = path.prefix { $0 != "?" }
        return String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
    }

    package func hasOrigin(of other: HTTPLocation) -> Bool {
        isSecure == other.isSecure && host == other.host && port == other.port
    }

    /// The path, and the query with its `?`; the fragment is left out.
    private static func parts(_ text: String) -> (path: Substring, query: String?) {
        let text = text.prefix { $0 != "#" }
        let path = text.prefix { $0 != "?" }
        return (path, path.endIndex == text.endIndex ? nil : String(text[path.endIndex...]))
    }

    private static func isScheme(_ text: some StringProtocol) -> Bool {
        guard let first = text.utf8.first, Unicode.Scalar(first).properties.isAlphabetic else { return false }
        return text.utf8.allSatisfy { $0.isAlphanumeric || "+-.".utf8.contains($0) }
    }

    /// Removes `.` and `..` from a path (RFC 3986, 5.2.4).
    private static func withoutDots(_ path: some StringProtocol) -> String {
        var result: [Substring] = []
        let segments = String(path).parts(at: "/")
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            if segment == "..", result.count > 1 { result.removeLast() }
            if segment != ".", segment != ".." { result.append(segment) } else if isLast { result.append("") }
        }
        let joined = result.joined(separator: "/")
        return joined.hasPrefix("/") ? joined : "/" + joined
    }
}

/// The path and the query of a request (origin-form, RFC 9112, 3.2.1).
package struct HTTPPath: Hashable, CustomStringConvertible {
    package let description: String

    /// The most bytes of a path; every server should accept as many (RFC 9110, 4.1).
    static let lengthLimit = 8_000

    /// Reads a path with its query, which is sent as it is written.
    package init(_ text: String) throws(Problem) {
        guard text.hasPrefix("/") else { throw .usage("is not a path: begin it with '/', as in /health") }
        guard HTTPLocation.isEncoded(text) else { throw HTTPLocation.unencoded }
        // A fragment is never sent (RFC 9110, 4.2.5).
        guard !text.contains("#") else {
            throw .usage("has a fragment, which no client sends: leave out everything from the '#' on")
        }
        guard text.utf8.count <= Self.lengthLimit else {
            throw .usage("is longer than \(Self.lengthLimit) bytes: use a shorter path")
        }
        description = text
    }
}
