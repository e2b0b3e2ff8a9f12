internal import COpenSSL

package enum TLSVersion: Int32, Sendable, Hashable, Comparable {
    case tls10 = 0x0301
    case tls11 = 0x0302
    case tls12 = 0x0303
    case tls13 = 0x0304

    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// How a TLS server answers a handshake and what it does after one.
///
/// Security level 0: it takes any key and any hash.
package struct TLSServerSettings: Sendable, Changeable {
    /// Whether the server asks for a client certificate.
    ///
    /// Any certificate will do.
    package enum ClientCertificate: Sendable, Hashable {
        case notRequested
        /// It asks, and goes on without one.
        case requested
        /// It asks, and fails the handshake without one.
        case required
    }

    /// What the server sends once the handshake is complete.
    package enum Application: Sendable {
        /// Nothing; a close_notify is answered by one.
        case silent
        /// These bytes at once, as a server does that speaks first.
        case greets([UInt8])
        /// These bytes and close_notify, once the client has sent an empty line (the end of an HTTP request's head).
        case answers([UInt8])
        /// These bytes, once the client has sent an empty line, and then the others over and over, as fast as the client takes them;
        /// with no others it stays silent. It never says goodbye first.
        case goesOn([UInt8], repeating: [UInt8] = [])
        /// These bytes, once the client has sent an empty line, and then one byte after another without end, each in its own record.
        case crumbles([UInt8])
        /// What a responder answers to the request, once the client has sent an empty line.
        case responds(Responder)
        /// Zeros without end, as fast as the client takes them.
        case floods
        /// Requests for new keys without end (KeyUpdate, TLS 1.3), as fast as the client takes them.
        case renewsKeys
        /// A request for another handshake (HelloRequest, up to TLS 1.2), in which another certificate could be presented.
        case renegotiates
    }

    /// What a client gets whose handshake cannot be completed.
    package enum Refusal: Sendable, Hashable {
        /// The alert that says why.
        case reason
        /// The fatal alert with this number (RFC 8446, 6), whatever the reason is.
        case alert(UInt8)
        /// Nothing: the connection is closed.
        case hangsUp
    }

    /// What is presented without a name indication or with an unknown one.
    ///
    /// At most one identity for each type of key: with an RSA and an EC identity the client's signature algorithms decide.
    package var identities: [TLSIdentity]
    /// What is presented to clients that indicate one of these names, in lower case.
    package var identitiesByName: [String: [TLSIdentity]] = [:]
    /// Whether clients that indicate no name get the fatal alert unrecognized_name (RFC 6066, 3).
    package var requiresName = false
    /// What clients get that cannot be served.
    package var refusal = Refusal.reason
    package var minimumVersion = TLSVersion.tls10
    package var maximumVersion = TLSVersion.tls13
    package var clientCertificate = ClientCertificate.notRequested
    /// The application protocols (ALPN, RFC 7301) in the server's order of preference; none: the extension is ignored.
    package var applicationProtocols: [String] = []
    package var application = Application.silent
    /// OpenSSL's cipher list for TLS 1.2 and older.
    package var cipherList = "DEFAULT:@SECLEVEL=0"
    /// Whether the order of ``cipherList`` decides, and not the client's.
    package var prefersOwnCiphers = false
    /// OpenSSL's list of key exchange groups, `nil` for its default; `P-521` alone provokes a HelloRetryRequest.
    package var groups: String?
    /// How many TLS 1.3 session tickets follow the handshake.
    package var sessionTickets = 2
    /// To a multiple of how many bytes records of TLS 1.3 are padded, at most 16,384; 1 for not at all.
    package var recordPadding = 1
    /// What clients get that ask for an OCSP response (RFC 6066, 8), right or wrong; `nil`: the extension is ignored.
    package var staple: [UInt8]?
    /// Whether there are DHE suites, whose prime is as long as the certificate's key (`SSL_CTX_set_dh_auto`).
    package var offersFiniteFieldGroups = false
    /// The finite-field group of those suites (RFC 7919) by OpenSSL's number, as in `NID_ffdhe4096`.
    package var finiteFieldGroup: Int32?

    package init(_ identities: [TLSIdentity]) { self.identities = identities }

    package init(presenting chain: [LabCertificate]) { self.init([TLSIdentity(chain)]) }
}

/// A proxy with one server behind it, whatever it is asked for.
package struct ProxySettings: Sendable, Changeable {
    package enum Speech: Sendable, Hashable {
        case http
        case socks5
    }

    /// What a client gets that has said what it wants.
    package enum Answer: Sendable, Hashable {
        /// The way to the server.
        case passage
        /// These bytes, after which the proxy closes its side.
        case refusal([UInt8])
        /// These bytes, after which it stays silent; none for a proxy that never answers.
        case silence(after: [UInt8])
    }

    package var speech: Speech
    package var server: TLSServerSettings
    package var answer = Answer.passage
    /// The name and password of the only user, `nil` where anybody may come.
    package var user: (name: String, password: String)?
    /// What the proxy itself presents where it is spoken to over TLS, `nil` where it is not.
    package var tls: TLSServerSettings?

    /// A proxy that lets everybody through to `server`.
    package init(_ speech: Speech, to server: TLSServerSettings) { (self.speech, self.server) = (speech, server) }
}

/// Answers requests of a test's own making.
package struct Responder: Sendable {
    package struct Answer: Sendable {
        /// How the server's side of the connection ends.
        package enum Ending: Sendable {
            /// By close_notify.
            case goodbye
            /// The connection is closed without it.
            case cut
            /// It does not: nothing more is sent.
            case silence
        }

        package var bytes: [UInt8]
        package var ending: Ending

        package init(_ bytes: [UInt8], _ ending: Ending = .goodbye) { (self.bytes, self.ending) = (bytes, ending) }

        /// An answer of a head, the line breaks of which are made right, and a body.
        package init(_ head: String, _ body: some Sequence<UInt8> = [], _ ending: Ending = .goodbye) {
            let head = head.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\r\n")
            self.init(Array((head + "\r\n\r\n").utf8) + Array(body), ending)
        }
    }

    let answer: @Sendable (String) -> Answer

    /// A responder that answers by `answer`, which is handed the head of a request.
    package init(_ answer: @escaping @Sendable (String) -> Answer) { self.answer = answer }
}
