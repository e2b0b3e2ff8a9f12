package import Pinning

/// A small document to fetch with one GET (RFC 9110, 9.3.1).
package struct HTTPFetch: Sendable {
    package var location: HTTPLocation
    /// The media type to ask for, in the Accept header; without one everything is accepted.
    package var mediaType: String?
    package var family: ProbeRequest.AddressFamily
    /// The largest body taken, in bytes.
    package var sizeLimit: Int
    package var timeout: Duration
    /// Judges the chain of an `https` server before the request is sent: `nil` to go on, or why it is not trusted.
    ///
    /// Called on the event loop.
    package var objection: @Sendable (PresentedChain) -> String?

    package init(
        _ location: HTTPLocation, mediaType: String? = nil, family: ProbeRequest.AddressFamily = .any, sizeLimit: Int,
        timeout: Duration, objection: @escaping @Sendable (PresentedChain) -> String?
    ) {
        self.location = location
        self.mediaType = mediaType
        self.family = family
        self.sizeLimit = sizeLimit
        self.timeout = timeout
        self.objection = objection
    }

    var request: ProbeRequest {
        let destination: ProbeRequest.Destination =
            switch location.host {
            case .dns(let name): .resolve(host: name, family: family)
            case .ip(let address): .address(address)
            }
        return ProbeRequest(
            to: destination, port: location.port, serverNameIndication: ServerNameIndication(location.host),
            timeout: timeout)
    }
}

/// Why a document could not be fetched.
package enum HTTPFetchError: Error, Sendable, Hashable {
    /// There was no connection, or its handshake failed.
    case noConnection(ProbeError)
    /// The server's chain is not trusted, for the reason given.
    case untrusted(String)
    /// The server redirects, which is not followed; to where, if it says so.
    case redirect(String?)
    /// The server answered with another status than 200.
    case status(Int)
    /// The server's answer is no HTTP.
    case notHTTP
    /// The body is larger than so many bytes.
    case tooLarge(limit: Int)
    /// The server closed the connection before its answer was complete.
    case closedEarly
    /// TLS failed after the handshake, for the reason given.
    case tlsFailure(String)
    /// The deadline passed before the answer was complete; the duration is the timeout that was given.
    case deadlineExceeded(timeout: Duration)
    /// The task was cancelled, or the prober was shut down.
    case cancelled
}

extension HTTPFetchError: CustomStringConvertible {
    /// What is wrong, for the end of a line that names the URL; text of the server is in it as it came.
    package var description: String {
        switch self {
        case .noConnection(let error): error.description
        case .untrusted(let reason): "its certificate is not trusted: \(reason)"
        case .redirect(let place?):
            "it redirects to '\(place.unicodeScalars.count > 100 ? String(place.unicodeScalars.prefix(99)) + "…" : place)'"
                + ", which is not followed: give that address"
        case .redirect(nil): "it redirects, which is not followed"
        case .status(let code): "it answers with HTTP status \(code)"
        case .notHTTP: "it does not speak HTTP"
        case .tooLarge(let limit): "its answer is larger than \(limit / 1024) KiB"
        case .closedEarly: "it closed the connection before its answer was complete"
        case .tlsFailure(let reason): "TLS failed: \(reason)"
        case .deadlineExceeded: "it did not answer in time"
        case .cancelled: "the request was cancelled"
        }
    }
}

extension Prober {
    /// Fetches a document, within the deadline whatever the server does.
    ///
    /// Nothing but the one request is sent, on a connection of its own; an `https` server gets it after its chain was judged.
    package func body(of fetch: HTTPFetch) async throws(HTTPFetchError) -> [UInt8] {
        let exchange = HTTPExchange(fetch, in: workshop)
        return try await result(HTTPFetchError.cancelled) { deliver in
            exchange.start(deliver)
        } cancel: {
            exchange.cancel()
        }.get()
    }
}
