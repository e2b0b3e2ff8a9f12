internal import COpenSSL

/// What a ClientHello offers so that only a certificate with a key of one type fits.
///
/// TLS 1.3 servers choose by signature_algorithms alone, older ones by the cipher suites and then by signature_algorithms.
extension CertificateKeyType {
    /// Algorithms that only an authority may have used on a certificate in TLS 1.3 (RFC 8446, 4.2.3).
    ///
    /// Servers that hold the signatures on their certificates against the offer would otherwise not send an ECDSA certificate that
    /// an RSA authority issued. Before TLS 1.3 the cipher suites keep these from choosing an RSA certificate.
    private static let forAuthorities = "rsa_pkcs1_sha256:rsa_pkcs1_sha384:rsa_pkcs1_sha512:RSA+SHA1"

    private var signatureAlgorithms: String {
        switch self {
        case .rsa:
            "rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:"
                + "rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512:" + Self.forAuthorities
        case .ecdsa:
            "ecdsa_secp256r1_sha256:ecdsa_secp384r1_sha384:ecdsa_secp521r1_sha512:ECDSA+SHA1:" + Self.forAuthorities
        case .ed25519: "ed25519:" + Self.forAuthorities
        }
    }

    /// Cipher suites before TLS 1.3; those for ECDSA are for EdDSA too (RFC 8422, 5.3).
    private var cipherList: String {
        switch self {
        case .rsa: "aRSA:!eNULL:!PSK:!SRP:@SECLEVEL=0"
        case .ecdsa, .ed25519: "aECDSA:!eNULL:!PSK:!SRP:@SECLEVEL=0"
        }
    }

    /// Everything a client certificate may be used with: what is offered to the server must not restrict the client.
    static let forClients =
        "ecdsa_secp256r1_sha256:ecdsa_secp384r1_sha384:ecdsa_secp521r1_sha512:ed25519:ed448:"
        + "rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:"
        + "rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512:" + forAuthorities + ":ECDSA+SHA1"

    /// Restricts the offer of `ssl` (`SSL_set1_sigalgs_list`, `SSL_set_cipher_list`); returns false when OpenSSL refuses.
    func restrict(_ ssl: OpaquePointer) -> Bool {
        COpenSSL_SSL_set1_sigalgs_list(ssl, signatureAlgorithms) == 1
            && COpenSSL_SSL_set1_client_sigalgs_list(ssl, Self.forClients) == 1
            && SSL_set_cipher_list(ssl, cipherList) == 1
    }
}
