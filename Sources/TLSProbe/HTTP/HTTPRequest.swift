import Base
package import Pinning

/// A GET without a body (RFC 9110, 9.3.1).
package struct HTTPRequest: Hashable {
    package static let method = "GET"

    package let path: String
    package let authority: String
    let fields: [HTTPField]

    package init(_ path: HTTPPath, host: ServerName, port: Int) {
        (self.path, fields) = (path.description, [])
        authority = HTTPLocation.authority(host, port, defaultPort: 443)
    }

    /// Requests `location`, by default with its own Host field.
    package init(_ location: HTTPLocation, authority: String? = nil, fields: [HTTPField] = []) {
        (path, self.authority, self.fields) = (location.path, authority ?? location.authority, fields)
    }

    /// The path for messages, as in `/health?…`: a query may contain a token.
    package var shownPath: String {
        let shown = path.prefix { $0 != "?" }
        return withoutSecrets(String(shown)) + (shown.endIndex == path.endIndex ? "" : "?…")
    }

    package var title: String { "\(Self.method) \(shownPath)" }

    /// The fields as they are sent; none contains a line break.
    var allFields: [HTTPField] {
        let own = [HTTPField(unchecked: "User-Agent", "pincheck"), HTTPField(unchecked: "Accept", "*/*")]
        return [HTTPField(unchecked: "Host", authority)]
            + own.filter { own in !fields.contains { $0.isNamed(own.name) } } + fields + [
                HTTPField(unchecked: "Connection", "close")
            ]
    }
}

/// A field of a head (RFC 9110, 5).
package struct HTTPField: Hashable {
    package let name: String
    package let value: String

    /// Reads `Name: value`; `nil` if the field is not allowed in a request.
    package init?(line: some StringProtocol) {
        guard let colon = line.firstIndex(of: ":") else { return nil }
        self.init(line[..<colon], line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" })
    }

    /// Makes a field; `nil` if the name is not a token, or the value has a control character.
    package init?(_ name: some StringProtocol, _ value: some StringProtocol) {
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains($0) }) else {
            return nil
        }
        guard value.utf8.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else { return nil }
        self.init(unchecked: String(name), String(value))
    }

    init(unchecked name: String, _ value: String) { (self.name, self.value) = (name, value) }

    package func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}

/// The head of a response, never an interim one (RFC 9110, 15.2).
package struct HTTPResponse: Hashable {
    /// The status code, 101 or 200…999.
    package let status: Int
    /// The status line as the server wrote it, not escaped; at most ``HTTPHeadReader/statusLineLimit`` bytes.
    package let statusLine: String
    /// The fields as the server wrote them, not escaped; none if only the head was wanted.
    package let fields: [HTTPField]
    /// The time from the request to the end of the head.
    package let time: Duration

    package init(status: Int, statusLine: String = "", fields: [HTTPField] = [], time: Duration = .zero) {
        (self.status, self.statusLine, self.fields, self.time) = (status, statusLine, fields, time)
    }

    /// The value of the field `name`; `nil` if there is none, or if several differ.
    package func value(of name: String) -> String? {
        let values = Set(fields.filter { $0.isNamed(name) }.map(\.value))
        return values.count == 1 ? values.first : nil
    }
}

package typealias HTTPResult = Result<HTTPResponse, HTTPError>

package enum HTTPError: Error, Hashable, CustomStringConvertible {
    case stopped
    /// The deadline passed before the head was complete; without a patience, before the whole response was.
    case deadlineExceeded
    case tooSlow(Duration)
    /// The connection ended before the last head was complete, after so many bytes.
    case closedEarly(received: Int)
    /// The connection ended within the body, or the server did not mark its end.
    case cutOff
    case reset
    case alert(TLSAlert)
    case notHTTP
    /// A head or a body that is not HTTP/1, or contradicts itself.
    case malformed
    case spokeFirst
    /// The heads, or the status line, are longer than so many bytes.
    case tooLong(limit: Int)
    /// The bytes around the parts of the body are far more than the body.
    case tooMuchOverhead
    case handshakeNotCompleted
    case tlsFailure(String)
    /// No connection was made; only without TLS.
    case noConnection(ProbeError)
    case cancelled

    /// The fact, to follow the name of the request.
    package var description: String {
        switch self {
        case .stopped: "it was stopped"
        case .deadlineExceeded: "the server did not answer in time"
        case .tooSlow(let time): "the server sent nothing for \(time.components.seconds) s"
        case .closedEarly(0): "the server closed the connection without an answer"
        case .closedEarly(let received): "the server closed the connection after \(received) bytes of a head"
        case .cutOff: "the connection ended before the answer was complete"
        case .reset: "the server reset the connection"
        case .alert(let alert): "the server ended the connection with the alert \(alert)"
        case .notHTTP: "what the server sent does not begin with a status line of HTTP/1"
        case .malformed: "what the server sent is not HTTP/1"
        case .spokeFirst: "the server spoke before it was asked, as no HTTP server does"
        case .tooLong(let limit): "the head of the response is longer than \(limit) bytes"
        case .tooMuchOverhead: "what the server sent around the document is too long"
        case .handshakeNotCompleted: "the server ended the handshake because it got no client certificate"
        case .tlsFailure(let detail): "TLS failed (\(detail))"
        case .noConnection(let error): error.description
        case .cancelled: "it was cancelled"
        }
    }
}
