package import Pinning

/// One HTTP/1.1 request without a body, for a server whose chain was accepted (RFC 9110, 9.3).
package struct HTTPQuestion: Sendable, Hashable {
    package enum Method: String, Sendable, Hashable {
        case get = "GET"
        /// What a document would come with.
        case head = "HEAD"
    }

    package let method: Method
    package let path: HTTPPath
    /// What the Host header says: the name, and the port unless it is that of HTTPS.
    package let authority: String

    package init(_ method: Method, _ path: HTTPPath, host: ServerName, port: Int) {
        self.method = method
        self.path = path
        authority = HTTPLocation.authority(host, port, defaultPort: 443)
    }

    /// The question in short, as in `GET /health`.
    package var title: String { "\(method.rawValue) \(path)" }

    /// The request as it is sent.
    ///
    /// No part of it can end a line: neither a path nor a name has control characters.
    var bytes: [UInt8] {
        let lines = [
            "\(method.rawValue) \(path) HTTP/1.1", "Host: \(authority)", "User-Agent: pincheck", "Accept: */*",
            "Connection: close", "", "",
        ]
        return Array(lines.joined(separator: "\r\n").utf8)
    }
}

/// The answer to a question: the head of it, whose status line is kept.
package struct HTTPAnswer: Sendable, Hashable {
    /// The status code, 101 or 200…999; interim answers (RFC 9110, 15.2) are passed over.
    package let status: Int
    /// The status line as the server wrote it, not escaped; at most ``HTTPHeadReader/statusLineLimit`` bytes.
    package let statusLine: String
    package let time: Duration
}

package enum HTTPAnswerError: Error, Sendable, Hashable {
    /// The deadline passed before the head of an answer was complete.
    case deadlineExceeded
    /// The server closed the connection after so many bytes of an answer whose head was not complete.
    case closedEarly(received: Int)
    /// The server reset the connection.
    case reset
    /// The server ended the connection with an alert.
    case alert(TLSAlert)
    /// What the server sent is no HTTP/1.0 or HTTP/1.1.
    case notHTTP
    /// The server spoke before it was asked.
    case spokeFirst
    /// The heads that the server sent, interim ones among them, are longer than so many bytes, or what is around them is.
    case tooLong(limit: Int)
    /// The handshake came to no end, for want of a client certificate: there was no connection to ask on.
    case handshakeNotCompleted
    /// TLS failed, in OpenSSL's words.
    case tlsFailure(String)
    /// The task was cancelled, or the prober was shut down.
    case cancelled
}

extension HTTPAnswerError: CustomStringConvertible {
    /// What happened instead of an answer, for the end of a line that names the question.
    package var description: String {
        switch self {
        case .deadlineExceeded: "the server did not answer in time"
        case .closedEarly(0): "the server closed the connection without a word"
        case .closedEarly(let received): "the server closed the connection after \(received) bytes of a head"
        case .reset: "the server reset the connection"
        case .alert(let alert): "the server ended the connection with the alert \(alert)"
        case .notHTTP: "what the server sent does not begin with a status line of HTTP/1"
        case .spokeFirst: "the server spoke before it was asked, as no HTTP server does"
        case .tooLong(let limit): "what the server sent has no end of a head within \(limit) bytes"
        case .handshakeNotCompleted: "the server ended the handshake for want of a client certificate"
        case .tlsFailure(let detail): "TLS failed (\(detail))"
        case .cancelled: "the check was cancelled"
        }
    }
}
