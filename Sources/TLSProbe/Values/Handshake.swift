package import Pinning

/// The facts of a handshake, which proved that the server has the leaf's private key, and nothing else.
///
/// Results share them, because they are large to copy.
package final class Handshake: Sendable {
    /// The address of the server; `nil` if a proxy looked it up.
    package let peer: PeerAddress?
    package let proxy: ProxyPassage?
    /// The negotiated parameters, by OpenSSL's names.
    package let facts: ConnectionFacts
    /// The application protocol that the server chose (ALPN, RFC 7301); `nil` if it chose none.
    package let alpn: String?
    /// The certificates in wire order.
    package let presented: PresentedChain
    package let clientCertificateRequested: Bool
    /// `true` if the client certificate was sent; TLS 1.3 does not show if the server accepted it.
    package let clientCertificateSent: Bool
    /// `false` if the server, having proved its key, ended it for lack of a client certificate (before TLS 1.3).
    package let handshakeCompleted: Bool
    /// The stapled OCSP response (RFC 6066, 8), of at most ``TLSContext/certificateListLimit`` bytes, not parsed.
    package let staple: [UInt8]?
    package let timings: ProbeTimings

    init(
        peer: PeerAddress? = nil, proxy: ProxyPassage? = nil, facts: ConnectionFacts, alpn: String? = nil,
        presented: PresentedChain, clientCertificateRequested: Bool = false, clientCertificateSent: Bool = false,
        handshakeCompleted: Bool = true, staple: [UInt8]? = nil, timings: ProbeTimings
    ) {
        (self.peer, self.proxy, self.facts, self.alpn, self.presented) = (peer, proxy, facts, alpn, presented)
        self.clientCertificateRequested = clientCertificateRequested
        self.clientCertificateSent = clientCertificateSent
        (self.handshakeCompleted, self.staple, self.timings) = (handshakeCompleted, staple, timings)
    }
}

package struct ProbeTimings: Hashable {
    /// The time from the start to the first address; `nil` if nothing was resolved.
    package let resolve: Duration?
    package let connect: Duration
    /// The time from the connection to a proxy to its answer that the server is connected; `nil` without a proxy.
    package let proxy: Duration?
    /// The time from the end of ``proxy``, or of ``connect`` without a proxy, to the end of the handshake.
    package let handshake: Duration
}

package struct PeerAddress: Hashable, CustomStringConvertible {
    package let ip: IPAddress
    let port: UInt16

    package init(ip: IPAddress, port: UInt16) { (self.ip, self.port) = (ip, port) }

    package var description: String { "\(ip)".withPort(port) }
}

/// The restrictions of a ClientHello: lists in OpenSSL's notation, preferred first.
package struct HandshakeOffer: Hashable, CustomStringConvertible {
    /// The groups of the key exchange, as in `X25519:P-256`; `nil` means OpenSSL's default.
    package var groups: String?
    /// The cipher suites, by the RFC's names for TLS 1.3 and OpenSSL's for older versions; `nil` means all.
    package var ciphers: String?
    /// The algorithms for the server's signature, as in `rsa_pss_rsae_sha256`; `nil` means OpenSSL's default.
    package var signatureAlgorithms: String?

    package init() {}

    package var isEmpty: Bool { self == Self() }

    package var leavesKeyTypesOpen: Bool { ciphers == nil && signatureAlgorithms == nil }

    /// The cipher suites of TLS 1.3, and those of older versions, whose names by IANA contain `_WITH_`.
    package var suites: (new: [Substring], old: [Substring]) {
        let suites = ciphers?.split { $0 == ":" } ?? []
        func isNew(_ suite: Substring) -> Bool { suite.hasPrefix("TLS_") && !suite.contains("_WITH_") }
        return (suites.filter(isNew), suites.filter { !isNew($0) })
    }

    /// This offer, with the parts that it leaves open taken from `other`.
    package func merged(over other: Self) -> Self {
        var merged = self
        merged.groups = groups ?? other.groups
        merged.ciphers = ciphers ?? other.ciphers
        merged.signatureAlgorithms = signatureAlgorithms ?? other.signatureAlgorithms
        return merged
    }

    package var description: String {
        [
            groups.map { "groups \($0)" }, ciphers.map { "cipher suites \($0)" },
            signatureAlgorithms.map { "signature algorithms \($0)" },
        ].compactMap(\.self).joined(separator: "; ")
    }
}

/// A type of key; a server with a certificate for each type shows a client one that fits its ClientHello.
package enum CertificateKeyType: String, CaseIterable, CustomStringConvertible {
    /// RSA, also with keys only for PSS signatures (id-RSASSA-PSS).
    case rsa
    /// ECDSA on any curve.
    case ecdsa
    /// EdDSA on Curve25519 (RFC 8032).
    case ed25519

    package var description: String { self == .ed25519 ? "Ed25519" : rawValue.uppercased() }
}
