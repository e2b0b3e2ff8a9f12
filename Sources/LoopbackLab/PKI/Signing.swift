internal import COpenSSL

/// The hash an issuer signs with, by OpenSSL's name.
///
/// Ed25519 has its own and ignores this.
package enum SignatureDigest: String, Sendable, Hashable {
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
        try withSigner(digest) { _, key in
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = bytes.withUnsafeMutableBytes { buffer in
                // The parameter holds the name's place, not the name.
                "algorithm-id".withCString { name in
                    var parameters = [
                        OSSL_PARAM_construct_octet_string(name, buffer.baseAddress, buffer.count),
                        OSSL_PARAM_construct_end(),
                    ]
                    return EVP_PKEY_CTX_get_params(key, &parameters) == 1 ? parameters[0].return_size : 0
                }
            }
            return count <= bytes.count ? Array(bytes.prefix(count)) : []
        }
    }

    /// Signs `message` (EVP_DigestSign; PKCS #1 v1.5 for RSA).
    func sign(_ message: [UInt8], digest: SignatureDigest) throws(LabError) -> [UInt8] {
        if let secret, digest == .sha256 { return try Self.signature(of: message, by: secret) }
        return try withSigner(digest) { context, _ in
            var length = 0
            guard EVP_DigestSign(context, nil, &length, message, message.count) == 1 else { return [] }
            var signature = [UInt8](repeating: 0, count: length)
            guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else { return [] }
            return Array(signature.prefix(length))
        }
    }

    /// What `body` makes of a context that signs with this key, which is an error when it is nothing.
    private func withSigner(
        _ digest: SignatureDigest, _ body: (OpaquePointer?, OpaquePointer?) -> [UInt8]
    ) throws(LabError) -> [UInt8] {
        ERR_clear_error()
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var key: OpaquePointer?
        let name = algorithm == .ed25519 ? nil : digest.rawValue
        guard EVP_DigestSignInit_ex(context, &key, name, nil, nil, pointer, nil) == 1 else {
            throw .openSSL("sign with \(digest)")
        }
        let made = body(context, key)
        guard !made.isEmpty else { throw .openSSL("sign with \(digest)") }
        return made
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

/// What a `i2d` function of OpenSSL writes, nothing where it fails.
func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = encode(&bytes)
    defer { COpenSSL_OPENSSL_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(max(0, count))))
}

/// What a `d2i` function of OpenSSL reads, `nil` where it fails.
func decoded(
    _ der: [UInt8], _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes in
        var cursor = bytes.baseAddress
        return decode(&cursor, bytes.count)
    }
}
