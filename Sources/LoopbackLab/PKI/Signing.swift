internal import COpenSSL

/// The hash an issuer signs with.
///
/// Ed25519 has its own and ignores this.
package enum SignatureDigest: Sendable, Hashable, CaseIterable {
    case sha256
    case sha384
    case sha512
    /// SHA-1, which no client of today accepts below a root.
    case sha1
    /// MD5, with RSA only.
    case md5
}

extension LabKey {
    /// The AlgorithmIdentifier of this key's signatures made with `digest` (RFC 3279, RFC 4055, RFC 5758, RFC 8410).
    func signatureAlgorithm(_ digest: SignatureDigest) throws(LabError) -> [UInt8] {
        switch algorithm {
        case .ed25519: return DER.sequence(OID(1, 3, 101, 112).der)
        case .rsa, .rsaOfLongExponent:
            let arc: UInt =
                switch digest {
                case .md5: 4
                case .sha1: 5
                case .sha256: 11
                case .sha384: 12
                case .sha512: 13
                }
            return DER.sequence(OID(1, 2, 840, 113549, 1, 1, arc).der, DER.null)
        case .p256, .p256Described, .p384, .p521:
            switch digest {
            case .sha1: return DER.sequence(OID(1, 2, 840, 10045, 4, 1).der)
            case .sha256: return DER.sequence(OID(1, 2, 840, 10045, 4, 3, 2).der)
            case .sha384: return DER.sequence(OID(1, 2, 840, 10045, 4, 3, 3).der)
            case .sha512: return DER.sequence(OID(1, 2, 840, 10045, 4, 3, 4).der)
            case .md5: throw .unsupported("an ECDSA signature with MD5; use an RSA key")
            }
        }
    }

    /// Signs `message` (EVP_DigestSign; PKCS #1 v1.5 for RSA).
    func sign(_ message: [UInt8], digest: SignatureDigest) throws(LabError) -> [UInt8] {
        if let secret, digest == .sha256 { return try Self.signature(of: message, by: secret) }
        ERR_clear_error()
        guard let context = EVP_MD_CTX_new() else { throw .openSSL("allocate a digest context") }
        defer { EVP_MD_CTX_free(context) }
        let algorithm =
            switch (self.algorithm, digest) {
            case (.ed25519, _): nil as OpaquePointer?
            case (_, .sha256): EVP_sha256()
            case (_, .sha384): EVP_sha384()
            case (_, .sha512): EVP_sha512()
            case (_, .sha1): EVP_sha1()
            case (_, .md5): EVP_md5()
            }
        var length = 0
        guard EVP_DigestSignInit(context, nil, algorithm, nil, pointer) == 1,
            EVP_DigestSign(context, nil, &length, message, message.count) == 1
        else { throw .openSSL("prepare a signature with \(digest)") }
        var signature = [UInt8](repeating: 0, count: length)
        guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else {
            throw .openSSL("sign with \(digest)")
        }
        return Array(signature.prefix(length))
    }

    /// `SEQUENCE { toBeSigned, signatureAlgorithm, signature }`: the shape of certificates and of requests.
    func signed(_ toBeSigned: [UInt8], digest: SignatureDigest) throws(LabError) -> [UInt8] {
        let algorithm = try signatureAlgorithm(digest)
        let signature = try sign(toBeSigned, digest: digest)
        return DER.sequence(toBeSigned, algorithm, DER.bitString(signature))
    }
}

/// SHA-256 of `bytes` (EVP_Digest).
func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else {
        fatalError("OpenSSL could not compute SHA-256")
    }
    return digest
}

/// `count` bytes of randomness (RAND_bytes).
func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard RAND_bytes(&bytes, Int32(count)) == 1 else { fatalError("OpenSSL has no randomness") }
    return bytes
}
