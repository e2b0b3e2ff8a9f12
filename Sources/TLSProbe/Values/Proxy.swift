package import Pinning

/// A proxy that connections go through.
package struct Proxy: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// HTTP's CONNECT (RFC 9110, 9.3.6).
        case http
        /// The same over TLS.
        case https
        /// SOCKS 5 (RFC 1928), which is given the address of the target.
        case socks5
        /// The same, which is given the name.
        case socks5h

        /// The port of a proxy that is named without one: the one that curl takes.
        package var defaultPort: Int { self == .https ? 443 : 1_080 }

        package var isSOCKS: Bool { self == .socks5 || self == .socks5h }
    }

    package var kind: Kind
    package var host: ServerName
    package var port: UInt16
    /// Who asks, `nil` for anybody.
    package var credentials: ProxyCredentials?
    /// What named it, as in `HTTPS_PROXY`.
    package var origin: String

    package init(_ kind: Kind, host: ServerName, port: UInt16, credentials: ProxyCredentials? = nil, origin: String) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credentials = credentials
        self.origin = origin
    }

    /// Whether both are the same proxy for the same user, whatever named it.
    package static func == (left: Proxy, right: Proxy) -> Bool {
        left.kind == right.kind && left.host == right.host && left.port == right.port
            && left.credentials == right.credentials
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(credentials)
    }

    /// The proxy as it is shown, without the credentials: `http://proxy.example:3128`.
    package var url: String {
        let name = "\(host)"
        return "\(kind.rawValue)://" + (name.utf8.contains(UInt8(ascii: ":")) ? "[\(name)]:\(port)" : "\(name):\(port)")
    }
}

/// The name and password of a user of a proxy; whatever prints a value of this type prints neither.
package struct ProxyCredentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    let user: [UInt8]
    let password: [UInt8]

    /// Credentials that a proxy of some kind can be told, `nil` for others.
    ///
    /// HTTP takes no control characters, and no colon in a name (RFC 7617, 2). SOCKS takes 1 to 255 bytes of a name, and as many or
    /// none of a password (RFC 1929, 2).
    package init?(user: [UInt8], password: [UInt8], for kind: Proxy.Kind) {
        self.user = user
        self.password = password
        guard isFit(for: kind) else { return nil }
    }

    package func isFit(for kind: Proxy.Kind) -> Bool {
        guard !kind.isSOCKS else { return (1...255).contains(user.count) && password.count <= 255 }
        return !user.contains(UInt8(ascii: ":")) && (user + password).allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    }

    package var description: String { "(hidden)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The way through a proxy, once it was passed.
package struct ProxyPassage: Sendable, Hashable {
    package let address: PeerAddress
    /// The connection to an `https` proxy itself, `nil` for another.
    package let tls: TLS?

    /// What is known of the connection to an `https` proxy, whose chain was judged apart from that of the server.
    package struct TLS: Sendable, Hashable {
        package let version: TLSVersion
        /// The cipher suite under OpenSSL's name.
        package let cipher: String
        package let leaf: Certificate
    }
}
