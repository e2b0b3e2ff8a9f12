package import Pinning

/// What a probe saw of a server.
///
/// Nothing in it was verified but that the server holds the leaf's private key.
package struct Handshake: Sendable, Hashable {
    /// The address of the server, `nil` where a proxy found it.
    package let peer: PeerAddress?
    /// The way through a proxy, `nil` for none.
    package let proxy: ProxyPassage?
    package let tlsVersion: TLSVersion
    /// The cipher suite under OpenSSL's name, as in `TLS_AES_256_GCM_SHA384` or `ECDHE-RSA-AES128-GCM-SHA256`.
    package let cipher: String
    /// The group of the key exchange, as in `X25519` or `P-256`; `nil` for a key exchange without one.
    package let group: String?
    package let keyExchange: KeyExchange
    /// The application protocol the server chose, in the server's words; `nil` when it chose none.
    package let alpn: String?
    /// The certificates the server sent, in wire order.
    package let presented: PresentedChain
    package let clientCertificateRequested: Bool
    /// Whether it got one; not whether it liked it, which TLS 1.3 does not say in the handshake.
    package let clientCertificateSent: Bool
    /// Whether the handshake ran to its end.
    ///
    /// It does not when a server before TLS 1.3 insists on a client certificate; its key is proven by then all the same.
    package let handshakeCompleted: Bool
    /// The OCSP response that the server sent in the handshake (RFC 6066, 8), not read yet; `nil` for none.
    ///
    /// At most ``TLSContext/certificateListLimit`` bytes.
    package let staple: [UInt8]?
    package let timings: ProbeTimings
}

/// How long the phases of a probe took.
package struct ProbeTimings: Sendable, Hashable {
    /// From the start to the first address; `nil` when nothing was resolved.
    package let resolve: Duration?
    package let connect: Duration
    /// From the established connection to a proxy until it let this one through; `nil` for none.
    package let proxy: Duration?
    /// From then on, or from the established connection, to the end of the handshake.
    package let handshake: Duration
}

package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    package let ip: IPAddress
    package let port: UInt16

    package init(ip: IPAddress, port: UInt16) { (self.ip, self.port) = (ip, port) }

    /// `203.0.113.7:443` or `[2001:db8::1]:443`.
    package var description: String { ip.isIPv6 ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}
