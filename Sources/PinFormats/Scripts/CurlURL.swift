internal import Base
internal import Pinning

/// What a word names that curl takes for a URL.
enum CurlURL {
    struct Server {
        var host: String
        /// `nil` where the port is computed.
        var port: Int?
    }

    /// Servers that are asked by TLS.
    case servers([Server])
    /// A server that is not written out.
    case unwritten
    /// No URL with `https`: another scheme, or none, or what may be a URL once it is computed.
    case other
    /// A URL with more hosts than are made of it here, or none.
    case unreadable(String)

    /// The number of hosts above which nobody wrote them for a pin.
    private static let mostServers = 1_000
    /// Longer is no host with a port, however its braces are written.
    private static let longestPlace = 8_192

    init(_ word: ShellWords.Word) {
        let text = word.text[...]
        guard text.utf8.count >= 8, text.prefix(8).lowercased() == "https://" else {
            let isURL =
                word.text.lowercased().holdsBytes(of: "https:")
                || word.isComputed && text.utf8.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: ":") }
            self = isURL ? .unwritten : .other
            return
        }
        let authority = text.dropFirst(8).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        guard place.utf8.count <= Self.longestPlace, let places = Self.alternatives(of: place) else {
            self = .unreadable("the braces in the host of this URL are not followed")
            return
        }
        var servers: [Server] = []
        for place in places {
            guard let server = Self.server(place[...], isComputed: word.isComputed) else {
                self = .unreadable("the host or port of this URL is not one that is written out")
                return
            }
            // What a script computes is not written out.
            guard !word.isComputed || !server.host.contains("$") else {
                self = .unwritten
                return
            }
            servers.append(server)
        }
        self = .servers(servers)
    }

    /// What curl makes of `{a,b}.example.com`, `nil` where that is nested, not closed, or too much.
    private static func alternatives(of text: Substring) -> [String]? {
        var results = [""]
        var rest = text
        while let opening = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            // A variable of a shell, as in ${HOST}.
            if rest[..<opening].hasSuffix("$"), let end = rest[opening...].firstIndex(of: "}") {
                results = results.map { $0 + rest[...end] }
                rest = rest[rest.index(after: end)...]
                continue
            }
            let inner = rest[opening...].dropFirst()
            guard rest[opening] == "{", let end = inner.firstIndex(of: "}"), !inner[..<end].contains("{") else {
                return nil
            }
            let parts = inner[..<end].split(separator: ",", omittingEmptySubsequences: false)
            guard parts.count * results.count <= mostServers else { return nil }
            results = results.flatMap { start in parts.map { start + rest[..<opening] + $0 } }
            rest = inner[end...].dropFirst()
        }
        return results.map { $0 + rest }
    }

    private static func server(_ text: Substring, isComputed: Bool) -> Server? {
        var host = text.prefix { $0 != ":" }
        if text.hasPrefix("[") {
            // Brackets are an address, or a range of hosts.
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.startIndex...end]
            guard IPAddress(String(host.dropFirst().dropLast())) != nil else { return nil }
        }
        guard !host.isEmpty, !host.dropFirst().contains("[") else { return nil }
        let rest = text[host.endIndex...]
        if rest.isEmpty || rest == ":" { return Server(host: String(host), port: 443) }
        let digits = rest.dropFirst()
        guard rest.hasPrefix(":") else { return nil }
        if isComputed, digits.contains("$") { return Server(host: String(host), port: nil) }
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let port = Int(digits),
            port <= 65_535
        else { return nil }
        return Server(host: String(host), port: port)
    }
}
