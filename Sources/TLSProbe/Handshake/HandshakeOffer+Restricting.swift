internal import Base
internal import COpenSSL
package import Pinning
internal import X509

extension HandshakeOffer {
    /// Restricts a part of the offer to a list, which OpenSSL has to take; commas stand for colons.
    package mutating func set(_ part: WritableKeyPath<HandshakeOffer, String?>, to list: String) throws(Problem) {
        var alone = HandshakeOffer()
        alone[keyPath: part] = list.replacing(",", with: ":")
        OpenSSLNames.learn()
        let context = SSL_CTX_new(TLS_client_method())
        let ssl = SSL_new(context)
        SSL_CTX_free(context)
        defer { SSL_free(ssl) }
        OpenSSLErrors.clear()
        let isTaken = ssl.map(alone.restrict) ?? false
        let errors = OpenSSLErrors.take()
        guard isTaken else {
            let version = OpenSSL_version(OPENSSL_VERSION_STRING).map { String(cString: $0) } ?? ""
            throw .usage("OpenSSL \(version) does not take it (\(errors.text))")
        }
        self[keyPath: part] = alone[keyPath: part]
    }

    /// Restricts what `ssl` offers; returns false when OpenSSL refuses.
    func restrict(_ ssl: OpaquePointer) -> Bool {
        if let groups, COpenSSL_SSL_set1_groups_list(ssl, groups) != 1 { return false }
        if let signatureAlgorithms {
            guard COpenSSL_SSL_set1_sigalgs_list(ssl, signatureAlgorithms) == 1,
                COpenSSL_SSL_set1_client_sigalgs_list(ssl, CertificateKeyType.forClients) == 1
            else { return false }
        }
        guard ciphers != nil else { return true }
        let suites = suites
        if !suites.new.isEmpty, SSL_set_ciphersuites(ssl, suites.new.joined(separator: ":")) != 1 { return false }
        guard !suites.old.isEmpty else { return !suites.new.isEmpty }
        return SSL_set_cipher_list(ssl, suites.old.joined(separator: ":") + ":@SECLEVEL=0") == 1
    }
}

/// What a ClientHello offers so that only a certificate with a key of one type fits.
///
/// TLS 1.3 servers choose by signature_algorithms alone, older ones by the cipher suites and then by signature_algorithms.
extension CertificateKeyType {
    /// Algorithms that only an authority may have used on a certificate in TLS 1.3 (RFC 8446, 4.2.3).
    ///
    /// Servers that hold the signatures on their certificates against the offer would otherwise not send an ECDSA certificate that
    /// an RSA authority issued. Before TLS 1.3 the cipher suites keep these from choosing an RSA certificate.
    private static let forAuthorities = "rsa_pkcs1_sha256:rsa_pkcs1_sha384:rsa_pkcs1_sha512:RSA+SHA1"

    /// The offer that only certificates with such a key fit.
    var offer: HandshakeOffer {
        var offer = HandshakeOffer()
        (offer.ciphers, offer.signatureAlgorithms) = (ciphers, signatureAlgorithms)
        return offer
    }

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
    private var ciphers: String { (self == .rsa ? "aRSA:!kDHE" : "aECDSA") + ":!eNULL:!PSK:!SRP" }

    /// Everything a client certificate may be used with: what is offered to the server must not restrict the client.
    static let forClients =
        "ecdsa_secp256r1_sha256:ecdsa_secp384r1_sha384:ecdsa_secp521r1_sha512:ed25519:ed448:"
        + "rsa_pss_rsae_sha256:rsa_pss_rsae_sha384:rsa_pss_rsae_sha512:"
        + "rsa_pss_pss_sha256:rsa_pss_pss_sha384:rsa_pss_pss_sha512:" + forAuthorities + ":ECDSA+SHA1"
}
