package import Pinning

/// The facts of a probe; only the server's possession of the leaf's private key was verified.
package struct Handshake: Sendable, Hashable {
    /// The address of the server; `nil` if a proxy looked it up.
    package let peer: PeerAddress?
    /// The way through a proxy; `nil` if there was none.
    package let proxy: ProxyPassage?
    /// What was negotiated; suites have OpenSSL's names, as in `TLS_AES_256_GCM_SHA384` or `ECDHE-RSA-AES128-GCM-SHA256`.
    package let facts: ConnectionFacts
    /// The application protocol in the server's words; `nil` if it chose none.
    package let alpn: String?
    /// The certificates the server sent, in wire order.
    package let presented: PresentedChain
    package let clientCertificateRequested: Bool
    /// `true` if it was sent one; TLS 1.3 does not show in the handshake if it was accepted.
    package let clientCertificateSent: Bool
    /// `true` if the handshake is complete; before TLS 1.3 a missing client certificate may end it after the proof.
    package let handshakeCompleted: Bool
    /// The OCSP response in the handshake (RFC 6066, 8), at most ``TLSContext/certificateListLimit`` bytes, not parsed.
    package let staple: [UInt8]?
    package let timings: ProbeTimings
}

package struct ProbeTimings: Sendable, Hashable {
    /// The time from the start to the first address; `nil` if nothing was resolved.
    package let resolve: Duration?
    package let connect: Duration
    /// The time from the connection to a proxy until it opened the way; `nil` without a proxy.
    package let proxy: Duration?
    /// The time from then, or from the connection, to the end of the handshake.
    package let handshake: Duration
}

package struct PeerAddress: Sendable, Hashable, CustomStringConvertible {
    package let ip: IPAddress
    package let port: UInt16

    package init(ip: IPAddress, port: UInt16) { (self.ip, self.port) = (ip, port) }

    /// The address as in `203.0.113.7:443` or `[2001:db8::1]:443`.
    package var description: String { ip.isIPv6 ? "[\(ip)]:\(port)" : "\(ip):\(port)" }
}

/// The restrictions of a ClientHello's offer: lists in OpenSSL's words, preferred first.
package struct HandshakeOffer: Sendable, Hashable {
    /// The groups of the key exchange, as in `X25519:P-256`; `nil` means OpenSSL's own.
    package var groups: String?
    /// The cipher suites: TLS 1.3's by their names, others by OpenSSL's; `nil` means all.
    package var ciphers: String?
    /// The algorithms for the server's signature, as in `rsa_pss_rsae_sha256`; `nil` means OpenSSL's own.
    package var signatureAlgorithms: String?

    package init() {}

    package var isEmpty: Bool { self == HandshakeOffer() }

    /// `true` if servers may still choose among certificates with keys of all types.
    package var leavesKeyTypesOpen: Bool { ciphers == nil && signatureAlgorithms == nil }

    /// The cipher suites of TLS 1.3 and of older versions, whose names of IANA, as in `TLS_RSA_WITH_AES_128_GCM_SHA256`, tell the key
    /// exchange.
    package var suites: (new: [Substring], old: [Substring]) {
        let suites = ciphers?.split { $0 == ":" } ?? []
        func isNew(_ suite: Substring) -> Bool { suite.hasPrefix("TLS_") && !suite.contains("_WITH_") }
        return (suites.filter(isNew), suites.filter { !isNew($0) })
    }

    /// This offer, with `other` for its open parts.
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

/// A type of key that a server may have a certificate for; a client sees only the one that fits its ClientHello.
package enum CertificateKeyType: String, Sendable, Hashable, CaseIterable {
    /// RSA, also with keys only for PSS signatures (id-RSASSA-PSS).
    case rsa
    /// ECDSA on any curve.
    case ecdsa
    /// EdDSA on Curve25519 (RFC 8032).
    case ed25519
}

extension CertificateKeyType: CustomStringConvertible {
    /// The name in the standards' letters, as in `RSA` or `Ed25519`.
    package var description: String { self == .ed25519 ? "Ed25519" : rawValue.uppercased() }
}
