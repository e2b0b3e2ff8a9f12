internal import COpenSSL

/// A version of TLS.
package enum TLSVersion: Int32, Sendable, Hashable, Comparable {
    /// TLS 1.0 (RFC 2246).
    case tls10 = 0x0301
    /// TLS 1.1 (RFC 4346).
    case tls11 = 0x0302
    /// TLS 1.2 (RFC 5246).
    case tls12 = 0x0303
    /// TLS 1.3 (RFC 8446).
    case tls13 = 0x0304

    /// Whether `left` is the older version.
    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

/// How a TLS server answers a handshake and what it does after one.
///
/// Security level 0: it takes any key and any hash.
package struct TLSServerSettings: Sendable {
    /// The answer to a name indication that no identity is kept for.
    package enum UnknownName: Sendable, Hashable {
        /// The default identities.
        case defaultIdentities
        /// The fatal alert unrecognized_name (RFC 6066, 3).
        case alert
    }

    /// Whether the server asks for a client certificate.
    ///
    /// Any certificate will do.
    package enum ClientCertificate: Sendable, Hashable {
        /// It does not ask.
        case notRequested
        /// It asks, and goes on without one.
        case requested
        /// It asks, and fails the handshake without one.
        case required
    }

    /// What the server sends once the handshake is complete.
    package enum Application: Sendable, Hashable {
        /// Nothing; a close_notify is answered by one.
        case silent
        /// These bytes at once, as a server does that speaks first.
        case greets([UInt8])
        /// These bytes and close_notify, once the client has sent an empty line (the end of an HTTP request's head).
        case answers([UInt8])
        /// Zeros without end, as fast as the client takes them.
        case floods
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

    /// What is presented without a name indication or, by ``unknownName``, with an unknown one.
    ///
    /// At most one identity for each type of key: with an RSA and an EC identity the client's signature algorithms decide.
    package var identities: [TLSIdentity]
    /// What is presented to clients that indicate one of these names, in lower case.
    package var identitiesByName: [String: [TLSIdentity]] = [:]
    /// The answer to an unknown name indication.
    package var unknownName = UnknownName.defaultIdentities
    /// The answer to a handshake without name indication.
    package var absentName = UnknownName.defaultIdentities
    /// What clients get that cannot be served.
    package var refusal = Refusal.reason
    /// The oldest version accepted.
    package var minimumVersion = TLSVersion.tls10
    /// The newest version accepted.
    package var maximumVersion = TLSVersion.tls13
    /// Whether a client certificate is asked for.
    package var clientCertificate = ClientCertificate.notRequested
    /// The application protocols (ALPN, RFC 7301) in the server's order of preference; none: the extension is ignored.
    package var applicationProtocols: [String] = []
    /// What is sent after the handshake.
    package var application = Application.silent
    /// OpenSSL's cipher list for TLS 1.2 and older.
    package var cipherList = "DEFAULT:@SECLEVEL=0"
    /// OpenSSL's list of key exchange groups, `nil` for its default; `P-521` alone provokes a HelloRetryRequest.
    package var groups: String?
    /// How many TLS 1.3 session tickets follow the handshake.
    package var sessionTickets = 2

    /// Settings with these default identities and the defaults above.
    package init(_ identities: [TLSIdentity]) {
        self.identities = identities
    }

    /// Settings that present these certificates in this order, with the first one's key.
    package init(presenting chain: [LabCertificate]) {
        self.init([TLSIdentity(chain)])
    }

    /// A copy changed by `change`.
    package func with(_ change: (inout TLSServerSettings) -> Void) -> TLSServerSettings {
        var copy = self
        change(&copy)
        return copy
    }
}
