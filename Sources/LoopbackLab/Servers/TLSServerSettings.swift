/// A version of TLS, by OpenSSL's name.
package enum TLSVersion: String, Sendable, Hashable {
    case tls10 = "TLSv1"
    case tls11 = "TLSv1.1"
    case tls12 = "TLSv1.2"
    case tls13 = "TLSv1.3"
}

/// The conduct of a TLS server in and after a handshake, at security level 0: any key and any hash will do.
package struct TLSServerSettings: Sendable, Changeable {
    /// The request for a client certificate, of which any will do.
    package enum ClientCertificate: Sendable, Hashable {
        case notRequested
        /// Requested, but not needed for the handshake.
        case requested
        /// Requested, and needed for the handshake.
        case required
    }

    /// The identities for an unknown name or none, one for a type of key; the client's signature algorithms decide.
    package var identities: [TLSIdentity]
    /// The identities for clients that indicate one of these names, in lower case.
    package var identitiesByName: [String: [TLSIdentity]] = [:]
    /// `true` if clients that indicate no name get the fatal alert unrecognized_name (RFC 6066, 3).
    package var requiresName = false
    /// The bytes for clients that cannot be served, in place of the alert with the reason.
    package var refusal: [UInt8]?
    package var minimumVersion = TLSVersion.tls10
    package var maximumVersion = TLSVersion.tls13
    package var clientCertificate = ClientCertificate.notRequested
    /// The application protocols (ALPN, RFC 7301) in the server's order of preference; none ignores the extension.
    package var applicationProtocols: [String] = []
    package var application = Responder.silent
    /// Further settings by the commands of SSL_CONF_cmd(3) for files: `CipherString` is the list for TLS 1.2 and older,
    /// and `Groups` = `P-521` provokes a HelloRetryRequest.
    package var options = ["CipherString": "DEFAULT:@SECLEVEL=0"]
    /// The OCSP response for clients that request one (RFC 6066, 8), right or wrong; `nil` ignores the extension.
    package var staple: [UInt8]?
    /// The finite-field group of DHE suites (RFC 7919) by OpenSSL's number, as in `NID_ffdhe4096`; `nil` makes a prime
    /// as long as the certificate's key.
    package var finiteFieldGroup: Int32?

    package init(_ identities: [TLSIdentity]) { self.identities = identities }

    package init(presenting chain: [LabCertificate]) { self.init([TLSIdentity(chain)]) }
}

/// The application of a server after the handshake, which answers a request or speaks first.
package struct Responder: Sendable {
    package struct Answer: Sendable {
        package enum Ending: Sendable, Hashable {
            /// close_notify and the end of the server's side.
            case goodbye
            /// The end of the server's side without close_notify.
            case cut
            /// Nothing; a close_notify is answered by one.
            case silence
            /// Bytes over and over, each time in a record, as fast as the client takes them.
            case repeats([UInt8])
            /// Requests for new keys without end (KeyUpdate, TLS 1.3), as fast as the client takes them.
            case renewsKeys
            /// A request for another handshake (HelloRequest, up to TLS 1.2), in which another certificate could be presented.
            case renegotiates
        }

        package var bytes: [UInt8]
        package var ending: Ending

        package init(_ bytes: [UInt8], _ ending: Ending = .goodbye) { (self.bytes, self.ending) = (bytes, ending) }

        /// An answer of a head, whose line breaks become CRLF, and a body.
        package init(_ head: String, _ body: some Sequence<UInt8> = [], _ ending: Ending = .goodbye) {
            let head = head.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
            self.init(Array((head + "\r\n\r\n").utf8) + Array(body), ending)
        }
    }

    /// `true` if a request is waited for, up to the empty line after the head of an HTTP request.
    let waits: Bool
    let answer: @Sendable (String) -> Answer

    package init(_ answer: @escaping @Sendable (String) -> Answer) { (waits, self.answer) = (true, answer) }

    private init(greeting: Answer) { (waits, answer) = (false, { _ in greeting }) }

    package static let silent = Responder { _ in Answer([], .silence) }

    package static func answers(_ bytes: [UInt8], _ ending: Answer.Ending = .goodbye) -> Responder {
        Responder { _ in Answer(bytes, ending) }
    }

    /// A responder that sends bytes at once, as a server that speaks first.
    package static func greets(_ bytes: [UInt8] = [], _ ending: Answer.Ending = .silence) -> Responder {
        Responder(greeting: Answer(bytes, ending))
    }

    /// A responder that sends zeros without end, and at once.
    package static let floods = greets([], .repeats([UInt8](repeating: 0, count: 16_384)))
}
