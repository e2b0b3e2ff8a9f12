package enum TLSVersion: String {
    case tls10 = "TLSv1"
    case tls11 = "TLSv1.1"
    case tls12 = "TLSv1.2"
    case tls13 = "TLSv1.3"
}

/// The settings of a TLS server, at OpenSSL's security level 0, which allows every key and hash.
package struct TLSServerSettings: Changeable {
    /// The request for a client certificate; every certificate is accepted.
    package enum ClientCertificate {
        case notRequested
        case requested
        case required
    }

    /// The identities for no or an unknown name, one for each type of key; the client's signature algorithms decide.
    var identities: [TLSIdentity]
    /// The identities for clients that indicate one of these names, in lower case.
    package var identitiesByName: [String: [TLSIdentity]] = [:]
    /// `true` if clients that indicate no name get the fatal alert unrecognized_name (RFC 6066, 3).
    package var requiresName = false
    /// The bytes sent in place of an alert if the handshake fails; `nil` sends the alert.
    package var refusal: [UInt8]?
    package var minimumVersion = TLSVersion.tls10
    package var maximumVersion = TLSVersion.tls13
    package var clientCertificate = ClientCertificate.notRequested
    /// The application protocols (ALPN, RFC 7301) in the server's order of preference; none ignores the extension.
    package var applicationProtocols: [String] = []
    package var application = Responder.silent
    /// Commands of SSL_CONF_cmd(3) for configuration files; `Groups` = `P-521` provokes a HelloRetryRequest.
    package var options = ["CipherString": "DEFAULT:@SECLEVEL=0", "Groups": "X25519:P-256:X448:P-384:P-521"]
    /// The OCSP response for clients that request one (RFC 6066, 8), valid or not; `nil` ignores the extension.
    package var staple: [UInt8]?
    /// The NID of the group for DHE (RFC 7919), as in `NID_ffdhe4096`; `nil` uses a prime as long as the server's key.
    package var finiteFieldGroup: Int32?

    package init(_ identities: [TLSIdentity]) { self.identities = identities }

    package init(presenting chain: [LabCertificate]) { self.init([TLSIdentity(chain)]) }
}

/// The application of a server after the handshake: it answers a request or speaks first.
package struct Responder {
    package struct Answer {
        package enum Ending: Hashable {
            /// Sends close_notify and closes the sending side.
            case goodbye
            /// Closes the sending side without close_notify.
            case cut
            /// Stays silent, except that it answers a close_notify with one.
            case silence
            /// Sends the bytes again and again, a record each time, as fast as the client takes them.
            case repeats([UInt8])
            /// Sends KeyUpdate requests (TLS 1.3) without end, as fast as the client takes them.
            case renewsKeys
            /// Sends a HelloRequest (up to TLS 1.2): the new handshake could present another certificate.
            case renegotiates
        }

        package var bytes: [UInt8]
        var ending: Ending

        package init(_ bytes: [UInt8], _ ending: Ending = .goodbye) { (self.bytes, self.ending) = (bytes, ending) }

        /// An HTTP answer; the line breaks of its head become CRLF.
        package init(_ head: String, _ body: some Sequence<UInt8> = [], _ ending: Ending = .goodbye) {
            self.init(Array((head + "\n\n").replacing("\n", with: "\r\n").utf8) + Array(body), ending)
        }
    }

    /// `true` if the server waits for a request, up to the empty line after its head.
    let waits: Bool
    let answer: @Sendable (String) -> Answer

    package init(_ answer: @escaping @Sendable (String) -> Answer) { (waits, self.answer) = (true, answer) }

    private init(greeting: Answer) { (waits, answer) = (false, { _ in greeting }) }

    package static let silent = Responder { _ in Answer([], .silence) }

    package static func answers(_ bytes: [UInt8], _ ending: Answer.Ending = .goodbye) -> Self {
        Responder { _ in Answer(bytes, ending) }
    }

    /// A responder that sends bytes right after the handshake, like a server that speaks first.
    package static func greets(_ bytes: [UInt8] = [], _ ending: Answer.Ending = .silence) -> Self {
        Responder(greeting: Answer(bytes, ending))
    }

    package static let floods = greets([], .repeats(zeros(16_384)))
}
