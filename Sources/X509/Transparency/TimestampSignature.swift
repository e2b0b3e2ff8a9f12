internal import COpenSSL
package import Pinning

/// Verifies the signatures of the signed certificate timestamps of a certificate (RFC 6962, 3.2).
package struct TimestampSignature {
    private let leaf: Certificate
    private let issuer: Certificate?
    /// What timestamps inside of the certificate sign of it; made once, as it costs as much as the certificate is large.
    private lazy var precertificate: [UInt8]? = issuer.flatMap { issuer in
        Self.toBeSigned(leaf).map { issuer.publicKey.spkiSHA256.bytes + Self.number($0.count, 3) + $0 }
    }

    /// Signatures for a certificate.
    ///
    /// - Parameters:
    ///   - leaf: the certificate.
    ///   - issuer: the certificate that signed it, which timestamps inside of a certificate name; `nil` where it is not at hand.
    package init(for leaf: Certificate, issuedBy issuer: Certificate?) {
        self.leaf = leaf
        self.issuer = issuer
    }

    /// Whether a log's key made the signature of a timestamp.
    ///
    /// - Parameters:
    ///   - timestamp: the timestamp; where it was found decides what it signs.
    ///   - key: the log's key, a DER SubjectPublicKeyInfo.
    /// - Returns: `nil` where it cannot be said for want of the issuer.
    package mutating func isValid(_ timestamp: SignedCertificateTimestamp, byKey key: [UInt8]) -> Bool? {
        // SHA-256 with RSA or ECDSA is all there is (RFC 6962, 2.1.4).
        guard timestamp.hashAlgorithm == 4 else { return false }
        let entry: [UInt8]
        if timestamp.source.isBesideCertificate {
            entry = [0, 0] + Self.number(leaf.der.count, 3) + leaf.der
        } else {
            guard issuer != nil else { return nil }
            guard let precertificate else { return false }
            entry = [0, 1] + precertificate
        }
        let time = (0..<8).map { UInt8(truncatingIfNeeded: timestamp.milliseconds >> UInt64(56 - 8 * $0)) }
        let extensions = Self.number(timestamp.extensions.count, 2) + timestamp.extensions
        return Self.verify(timestamp, [0, 0] + time + entry + extensions, key)
    }

    private static func number(_ number: Int, _ size: Int) -> [UInt8] {
        (1...size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - $0))) }
    }

    /// The TBSCertificate without its timestamps, which is what logs have seen (`i2d_re_X509_tbs`).
    private static func toBeSigned(_ leaf: Certificate) -> [UInt8]? {
        guard let handle = HandleCache.shared.handle(for: leaf), let copy = X509_dup(handle.pointer) else { return nil }
        defer { X509_free(copy) }
        let index = X509_get_ext_by_NID(copy, NID_ct_precert_scts, -1)
        guard index >= 0, let removed = X509_delete_ext(copy, index) else { return nil }
        X509_EXTENSION_free(removed)
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_re_X509_tbs(copy, &start)
        guard count > 0, let start else { return nil }
        defer { COpenSSL_OPENSSL_free(start) }
        return Array(UnsafeBufferPointer(start: start, count: Int(count)))
    }

    private static func verify(_ timestamp: SignedCertificateTimestamp, _ signed: [UInt8], _ key: [UInt8]) -> Bool {
        OpenSSLNames.learn()
        OpenSSLFailure.forget()
        defer { OpenSSLFailure.forget() }
        let parsed = key.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_PUBKEY(nil, &cursor, bytes.count)
        }
        guard let parsed else { return false }
        defer { EVP_PKEY_free(parsed) }
        let kinds = [EVP_PKEY_RSA: 1, EVP_PKEY_EC: 3]
        guard kinds[EVP_PKEY_get_base_id(parsed)] == Int(timestamp.signatureAlgorithm), let context = EVP_MD_CTX_new()
        else { return false }
        defer { EVP_MD_CTX_free(context) }
        let signature = timestamp.signature
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, parsed) == 1
            && EVP_DigestVerify(context, signature, signature.count, signed, signed.count) == 1
    }
}
