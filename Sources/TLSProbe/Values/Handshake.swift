package import Pinning

/// What a probe saw of a server.
///
/// Nothing in it was verified but that the server holds the leaf's private key.
package struct Handshake: Sendable, Hashable {
    /// The address of the server, `nil` where a proxy found it.
    package let peer: PeerAddress?
    /// The way through a proxy, `nil` for none.
    package let proxy: ProxyPassage?
    /// What was negotiated; suites have OpenSSL's names, as in `TLS_AES_256_GCM_SHA384` or `ECDHE-RSA-AES128-GCM-SHA256`.
    package let facts: ConnectionFacts
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

/// What a ClientHello offers, where that is not everything: lists in OpenSSL's words, preferred first.
package struct HandshakeOffer: Sendable, Hashable {
    /// The groups of the key exchange, as in `X25519:P-256`; `nil` for OpenSSL's own.
    package var groups: String?
    /// The cipher suites: those of TLS 1.3 by their names, the others by what OpenSSL has for them; `nil` for all.
    package var ciphers: String?
    /// The algorithms that the server may sign with, as in `rsa_pss_rsae_sha256`; `nil` for OpenSSL's own.
    package var signatureAlgorithms: String?

    package init() {}

    package var isEmpty: Bool { self == HandshakeOffer() }

    /// Whether servers may still choose among certificates with keys of all types.
    package var leavesKeyTypesOpen: Bool { ciphers == nil && signatureAlgorithms == nil }

    /// The cipher suites of TLS 1.3 and those of older versions: OpenSSL names no other with `TLS_`.
    package var suites: (new: [Substring], old: [Substring]) {
        let suites = ciphers?.split { $0 == ":" } ?? []
        return (suites.filter { $0.hasPrefix("TLS_") }, suites.filter { !$0.hasPrefix("TLS_") })
    }

    /// This offer, with `other` for the parts of which it says nothing.
    package func merged(over other: HandshakeOffer) -> HandshakeOffer {
        var merged = self
        merged.groups = groups ?? other.groups
        merged.ciphers = ciphers ?? other.ciphers
        merged.signatureAlgorithms = signatureAlgorithms ?? other.signatureAlgorithms
        return merged
    }
}

extension HandshakeOffer: CustomStringConvertible {
    package var description: String {
        [
            groups.map { "groups \($0)" }, ciphers.map { "cipher suites \($0)" },
            signatureAlgorithms.map { "signature algorithms \($0)" },
        ].compactMap(\.self).joined(separator: "; ")
    }
}

/// A type of key that a server may have a certificate with, besides those with keys of other types.
///
/// A client sees one of a server's certificates only: the one that fits what its ClientHello offers. Restricting the offer to one type
/// shows the certificate with a key of that type.
package enum CertificateKeyType: String, Sendable, Hashable, CaseIterable {
    /// RSA, also with keys that are for PSS signatures only (id-RSASSA-PSS).
    case rsa
    /// ECDSA on whatever curve.
    case ecdsa
    /// EdDSA on Curve25519 (RFC 8032).
    case ed25519
}

extension CertificateKeyType: CustomStringConvertible {
    /// The name in the standards' letters, as in `RSA` or `Ed25519`.
    package var description: String { self == .ed25519 ? "Ed25519" : rawValue.uppercased() }
}
