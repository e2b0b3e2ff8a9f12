/// What the TLS of a platform asks of the leaf before its client is asked anything.
extension Platform {
    /// Why the handshake ends for the key usage of the leaf (RFC 5280, 4.2.1.3), `nil` where it goes on.
    ///
    /// BoringSSL asks for digitalSignature in TLS 1.3, for elliptic curves and for ECDHE, and for keyEncipherment where RSA exchanges the
    /// key (KEY_USAGE_BIT_INCORRECT, measured; for RSA in TLS 1.2 since April 2023: older releases are judged as today's). Apple's stack
    /// is judged alike. OpenSSL has a rule of its own, which the ``PathVerifier`` keeps.
    ///
    /// - Parameters:
    ///   - leaf: the server's certificate.
    ///   - connection: what the handshake settled, `nil` for a chain that came without one, which is judged as for TLS 1.3.
    /// - Returns: the failure.
    public func handshakeFailure(of leaf: Certificate, on connection: ConnectionFacts?) -> TrustFailure? {
        guard family != .openssl, let usage = leaf.keyUsage else { return nil }
        var exchangesByRSA = false
        if case .rsa = leaf.publicKey.algorithm, let connection, connection.version < .tls13 {
            exchangesByRSA = !connection.hasECDHE && !connection.cipher.contains("DHE")
        }
        let needed = exchangesByRSA ? "keyEncipherment" : "digitalSignature"
        return usage.contains(needed)
            ? nil : TrustFailure(.keyUsage(lacking: needed), at: 0, of: leaf).refused(by: family)
    }
}
