import COpenSSL
import Synchronization

/// A private key, Sendable because it never changes, its references are counted atomically, and each signature has its
/// own context.
package final class LabKey: Hashable, @unchecked Sendable {
    package enum Algorithm: Hashable {
        case p256
        case p384
        case p521
        /// ECDSA on P-256, with the parameters of the curve in place of its name.
        case p256Described
        /// RSA with a modulus of `bits`; from 2048 bits on a key takes a noticeable part of a second to make.
        case rsa(bits: Int)
        /// RSA of 2048 bits, only for PSS signatures (id-RSASSA-PSS).
        case rsaPSS
        /// RSA of 2048 bits with a public exponent of 1,100 bits: each verification costs as much as a signature.
        case rsaOfLongExponent
        case ed25519
    }

    package let algorithm: Algorithm
    /// The DER encoding of the SubjectPublicKeyInfo (RFC 5280, 4.1.2.7).
    package let publicKeyInfo: [UInt8]
    /// SHA-256 of ``publicKeyInfo``: the 32 bytes of a public-key pin (RFC 7469, 2.4).
    package let publicKeySHA256: [UInt8]
    /// The EVP_PKEY, which this object owns.
    package let pointer: OpaquePointer
    /// The private scalar of a key from ``fixed(_:)``, whose signatures are deterministic.
    let secret: [UInt8]?

    /// Takes ownership of one reference to `key`, even if it throws.
    init(takingOwnershipOf key: OpaquePointer, algorithm: Algorithm, secret: [UInt8]? = nil) throws(LabError) {
        publicKeyInfo = encoded { i2d_PUBKEY(key, $0) }
        guard !publicKeyInfo.isEmpty else {
            EVP_PKEY_free(key)
            throw .openSSL("encode a public key")
        }
        publicKeySHA256 = sha256(publicKeyInfo)
        pointer = key
        self.algorithm = algorithm
        self.secret = secret
    }

    deinit { EVP_PKEY_free(pointer) }

    package static func generate(_ algorithm: Algorithm = .p256) throws(LabError) -> LabKey {
        COpenSSL_learn_names()
        ERR_clear_error()
        let kind =
            switch algorithm {
            case .p256, .p256Described, .p384, .p521: "EC"
            case .rsa, .rsaOfLongExponent: "RSA"
            case .rsaPSS: "RSA-PSS"
            case .ed25519: "ED25519"
            }
        let context = EVP_PKEY_CTX_new_from_name(nil, kind, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var key: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, setUp(context, for: algorithm), EVP_PKEY_keygen(context, &key) == 1,
            let key
        else { throw .openSSL("make a key of the kind \(algorithm)") }
        return try LabKey(takingOwnershipOf: key, algorithm: algorithm)
    }

    private static func setUp(_ context: OpaquePointer?, for algorithm: Algorithm) -> Bool {
        switch algorithm {
        case .p256, .p384, .p521: return EVP_PKEY_CTX_set_group_name(context, "P-" + "\(algorithm)".dropFirst()) == 1
        case .p256Described:
            // 0 is OPENSSL_EC_EXPLICIT_CURVE.
            return setUp(context, for: .p256) && EVP_PKEY_CTX_set_ec_param_enc(context, 0) == 1
        case .rsa(let bits): return EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(clamping: bits)) == 1
        case .rsaPSS: return setUp(context, for: .rsa(bits: 2_048))
        case .rsaOfLongExponent:
            let exponent = BN_new()
            defer { BN_free(exponent) }
            return setUp(context, for: .rsa(bits: 2_048)) && BN_set_bit(exponent, 1_099) == 1
                && BN_add_word(exponent, 1) == 1 && EVP_PKEY_CTX_set1_rsa_keygen_pubexp(context, exponent) == 1
        case .ed25519: return true
        }
    }

    private static let cache = Mutex<[String: LabKey]>([:])

    /// The key of this algorithm and label, made once in a process, because RSA keys take long to make.
    package static func shared(_ algorithm: Algorithm, label: String) throws(LabError) -> LabKey {
        let name = "\(algorithm) \(label)"
        if let key = cache.withLock({ $0[name] }) { return key }
        // Made outside of the lock; of two threads, the first to finish decides.
        let made = try generate(algorithm)
        return cache.withLock { keys in
            if let key = keys[name] { return key }
            keys[name] = made
            return made
        }
    }

    /// The private key as unencrypted PKCS #8 in PEM.
    package func privateKeyPEM() throws(LabError) -> String {
        ERR_clear_error()
        let info = EVP_PKEY2PKCS8(pointer)
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        let der = encoded { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
        guard !der.isEmpty else { throw .openSSL("write a private key") }
        return pem(der, label: "PRIVATE KEY")
    }

    package var publicKeyPEM: String { pem(publicKeyInfo, label: "PUBLIC KEY") }

    package static func == (left: LabKey, right: LabKey) -> Bool { left.publicKeyInfo == right.publicKeyInfo }

    package func hash(into hasher: inout Hasher) { hasher.combine(publicKeySHA256) }

    /// The P-256 key whose private scalar is the SHA-256 of `label`; its SHA-256 signatures are always the same.
    package static func fixed(_ label: String) throws(LabError) -> LabKey {
        ERR_clear_error()
        let secret = sha256(Array(label.utf8))
        let encoded = DER.sequence(
            DER.integer([1]), DER.octetString(secret), DER.explicit(0, OID(1, 2, 840, 10045, 3, 1, 7).der))
        guard let key = decoded(encoded, { d2i_AutoPrivateKey(nil, $0, $1) }) else {
            throw .openSSL("make the key of '\(label)'")
        }
        return try LabKey(takingOwnershipOf: key, algorithm: .p256, secret: secret)
    }

    /// An ECDSA signature (FIPS 186-5, 6.4.1) with the constant nonce 1: deterministic, and it reveals the private key.
    static func signature(of message: [UInt8], by secret: [UInt8]) throws(LabError) -> [UInt8] {
        // With nonce 1, r is the x coordinate of P-256's base point, and s is hash + r · secret, modulo the order.
        var base: OpaquePointer?
        var order: OpaquePointer?
        BN_hex2bn(&base, "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
        BN_hex2bn(&order, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let scalar = BN_bin2bn(secret, Int32(secret.count), nil)
        let digest = BN_bin2bn(sha256(message), 32, nil)
        let sum = BN_new()
        let context = BN_CTX_new()
        defer {
            for number in [base, order, scalar, digest, sum] { BN_free(number) }
            BN_CTX_free(context)
        }
        var r = zeros(32)
        var s = r
        guard BN_mod_mul(sum, base, scalar, order, context) == 1, BN_mod_add(sum, sum, digest, order, context) == 1,
            BN_bn2binpad(base, &r, 32) == 32, BN_bn2binpad(sum, &s, 32) == 32
        else { throw .openSSL("sign with a fixed key") }
        return DER.sequence(DER.integer(r), DER.integer(s))
    }
}

/// The hash that an issuer signs with, by OpenSSL's name; Ed25519 has a fixed one.
package enum SignatureDigest: String {
    case sha256
    /// SHA-1, which no client of today accepts below a root.
    case sha1
    /// MD5, only with RSA keys.
    case md5
}

extension LabKey {
    /// The AlgorithmIdentifier of this key's signatures made with `digest` (RFC 3279, RFC 4055, RFC 5758, RFC 8410).
    func signatureAlgorithm(_ digest: SignatureDigest) throws(LabError) -> [UInt8] {
        try withSigner(digest) { _, key in
            var bytes = zeros(64)
            let count = bytes.withUnsafeMutableBytes { buffer in
                // The parameter contains a pointer to the name, so it is used only in this closure.
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
            var signature = zeros(length)
            guard EVP_DigestSign(context, &signature, &length, message, message.count) == 1 else { return [] }
            return Array(signature.prefix(length))
        }
    }

    /// The bytes that `body` returns for a signing context of this key; no bytes are an error.
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

    /// The `SEQUENCE { toBeSigned, signatureAlgorithm, signature }` of certificates and requests.
    func signedStructure(
        _ toBeSigned: [UInt8], digest: SignatureDigest, saying algorithm: [UInt8]? = nil
    ) throws(LabError) -> [UInt8] {
        let algorithm = if let algorithm { algorithm } else { try signatureAlgorithm(digest) }
        let signature = try sign(toBeSigned, digest: digest)
        return DER.sequence(toBeSigned, algorithm, DER.bitString(signature))
    }
}

func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = zeros(32)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil) == 1 else {
        fatalError("OpenSSL could not compute SHA-256")
    }
    return digest
}

func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = zeros(count)
    guard RAND_bytes(&bytes, Int32(count)) == 1 else { fatalError("OpenSSL has no randomness") }
    return bytes
}

/// The bytes that an `i2d` function of OpenSSL writes; none if it fails.
func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = encode(&bytes)
    defer { COpenSSL_OPENSSL_free(bytes) }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(max(0, count))))
}

/// The value that a `d2i` function of OpenSSL reads; `nil` if it fails.
package func decoded(
    _ der: [UInt8], _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
) -> OpaquePointer? {
    der.withUnsafeBufferPointer { bytes in
        var cursor = bytes.baseAddress
        return decode(&cursor, bytes.count)
    }
}
