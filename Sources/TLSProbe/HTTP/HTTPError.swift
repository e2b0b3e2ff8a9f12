/// Why a response did not come to its end.
package enum HTTPError: Error, Sendable, Hashable {
    case stopped
    /// The deadline passed before the head was complete, or all where no patience was given.
    case deadlineExceeded
    /// Nothing came for so long.
    case tooSlow(Duration)
    /// The server closed the connection after so many bytes of heads of which the last was not complete.
    case closedEarly(received: Int)
    /// The connection ended within the body, or without the server saying that it is whole.
    case cutOff
    case reset
    case alert(TLSAlert)
    case notHTTP
    /// A head or a body is none of HTTP/1, or contradicts itself.
    case malformed
    case spokeFirst
    /// The heads that the server sent, interim ones among them, are longer than so many bytes, or what is around them is.
    case tooLong(limit: Int)
    /// What is around the parts of the body is much more than the body.
    case tooMuchOverhead
    /// The handshake came to no end, for want of a client certificate: there was no connection to ask on.
    case handshakeNotCompleted
    case tlsFailure(String)
    /// There was no connection; of one without TLS alone.
    case noConnection(ProbeError)
    /// The task was cancelled, or the prober was shut down.
    case cancelled
}

extension HTTPError: CustomStringConvertible {
    /// What happened instead, for the end of a line that names what was asked for.
    package var description: String {
        switch self {
        case .stopped: "it was stopped"
        case .deadlineExceeded: "the server did not answer in time"
        case .tooSlow(let time): "the server sent nothing for \(time.components.seconds) s"
        case .closedEarly(0): "the server closed the connection without a word"
        case .closedEarly(let received): "the server closed the connection after \(received) bytes of a head"
        case .cutOff: "the connection ended before the answer was complete"
        case .reset: "the server reset the connection"
        case .alert(let alert): "the server ended the connection with the alert \(alert)"
        case .notHTTP: "what the server sent does not begin with a status line of HTTP/1"
        case .malformed: "what the server sent is not HTTP/1"
        case .spokeFirst: "the server spoke before it was asked, as no HTTP server does"
        case .tooLong(let limit): "what the server sent has no end of a head within \(limit) bytes"
        case .tooMuchOverhead: "what the server sent around the document is too long"
        case .handshakeNotCompleted: "the server ended the handshake for want of a client certificate"
        case .tlsFailure(let detail): "TLS failed (\(detail))"
        case .noConnection(let error): error.description
        case .cancelled: "it was cancelled"
        }
    }
}
