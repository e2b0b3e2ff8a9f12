internal import COpenSSL

extension LabKey {
    /// The P-256 key of this label, the same in every process; its signatures with SHA-256 are the same each time too.
    ///
    /// The private scalar is the SHA-256 of the label.
    public static func fixed(_ label: String) throws(LabError) -> LabKey {
        ERR_clear_error()
        let secret = sha256(Array(label.utf8))
        let encoded = DER.sequence(
            DER.integer([1]), DER.octetString(secret), DER.explicit(0, OID(1, 2, 840, 10045, 3, 1, 7).der))
        let key = encoded.withUnsafeBufferPointer { bytes in
            var position = bytes.baseAddress
            return d2i_AutoPrivateKey(nil, &position, bytes.count)
        }
        guard let key else { throw .openSSL("make the key of '\(label)'") }
        return try LabKey(takingOwnershipOf: key, algorithm: .p256, secret: secret)
    }

    /// An ECDSA signature (FIPS 186-5, 6.4.1) whose secret number is 1: the same each time, and it gives the key away.
    static func signature(of message: [UInt8], by secret: [UInt8]) throws(LabError) -> [UInt8] {
        // With the number 1, r is the x coordinate of P-256's base point, and s the hash + r · secret, modulo the order.
        let r = number("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")
        let order = number("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")
        let hash = sha256(message)
        let context = BN_CTX_new()
        let base = BN_bin2bn(r, Int32(r.count), nil)
        let modulus = BN_bin2bn(order, Int32(order.count), nil)
        let scalar = BN_bin2bn(secret, Int32(secret.count), nil)
        let digest = BN_bin2bn(hash, Int32(hash.count), nil)
        let sum = BN_new()
        defer {
            for number in [base, modulus, scalar, digest, sum] { BN_free(number) }
            BN_CTX_free(context)
        }
        var s = [UInt8](repeating: 0, count: 32)
        guard BN_mod_mul(sum, base, scalar, modulus, context) == 1, BN_mod_add(sum, sum, digest, modulus, context) == 1,
            BN_bn2binpad(sum, &s, 32) == 32
        else { throw .openSSL("sign with a fixed key") }
        return DER.sequence(DER.integer(r), DER.integer(s))
    }

    private static func number(_ hexadecimal: String) -> [UInt8] {
        let digits = hexadecimal.compactMap { $0.hexDigitValue }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
