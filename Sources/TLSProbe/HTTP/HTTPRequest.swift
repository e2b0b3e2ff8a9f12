internal import Base
package import Pinning

/// One GET without a body (RFC 9110, 9.3.1).
package struct HTTPRequest: Sendable, Hashable {
    package static let method = "GET"

    /// The path and the query, as they are sent.
    package let path: String
    /// What the Host header says.
    package let authority: String
    /// Further fields, in their order.
    package let fields: [HTTPField]

    package init(_ path: HTTPPath, host: ServerName, port: Int) {
        self.path = path.description
        authority = HTTPLocation.authority(host, port, defaultPort: 443)
        fields = []
    }

    /// A request for what is at `location`, whose authority the Host header says unless another is given.
    package init(_ location: HTTPLocation, authority: String? = nil, fields: [HTTPField] = []) {
        path = location.path
        self.authority = authority ?? location.authority
        self.fields = fields
    }

    /// The path as it is shown, as in `/health?…`: a query may hold a token.
    package var shownPath: String {
        let shown = path.prefix { $0 != "?" }
        return withoutSecrets(String(shown)) + (shown.endIndex == path.endIndex ? "" : "?…")
    }

    /// The request in short, as in `GET /health`.
    package var title: String { "\(Self.method) \(shownPath)" }

    /// All fields as they are sent; none can end a line.
    var allFields: [HTTPField] {
        let own = [HTTPField(unchecked: "User-Agent", "pincheck"), HTTPField(unchecked: "Accept", "*/*")]
        return [HTTPField(unchecked: "Host", authority)]
            + own.filter { own in !fields.contains { $0.isNamed(own.name) } } + fields + [
                HTTPField(unchecked: "Connection", "close")
            ]
    }
}

/// A field of a head (RFC 9110, 5).
package struct HTTPField: Sendable, Hashable {
    package let name: String
    package let value: String

    /// Reads `Name: value`; `nil` for what no request may have.
    package init?(line: some StringProtocol) {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        self.init(line[..<colon], line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
    }

    /// A field with this name and value; `nil` for a name that is no token, and for a value that could end its line.
    package init?(_ name: some StringProtocol, _ value: some StringProtocol) {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else { return nil }
        guard value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.init(unchecked: String(name), String(value))
    }

    init(unchecked name: String, _ value: String) { (self.name, self.value) = (name, value) }

    package func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// The head of a response; interim ones (RFC 9110, 15.2) are passed over.
package struct HTTPResponse: Sendable, Hashable {
    /// The status code, 101 or 200…999.
    package let status: Int
    /// The status line as the server wrote it, not escaped; at most ``HTTPHeadReader/statusLineLimit`` bytes.
    package let statusLine: String
    /// The fields as the server wrote them, not escaped, in their order; none where the head alone was wanted.
    package let fields: [HTTPField]
    /// From the request to the end of the head.
    package let time: Duration

    package init(status: Int, statusLine: String = "", fields: [HTTPField] = [], time: Duration = .zero) {
        (self.status, self.statusLine, self.fields, self.time) = (status, statusLine, fields, time)
    }

    /// The value of the only field with this name; `nil` where there is none, or several that differ.
    package func value(of name: String) -> String? {
        let values = Set(fields.filter { $0.isNamed(name) }.map(\.value))
        return values.count == 1 ? values.first : nil
    }
}
