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
