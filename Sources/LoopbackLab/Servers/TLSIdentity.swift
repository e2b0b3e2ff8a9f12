internal import COpenSSL

/// What a TLS server shows and proves: certificates in wire order and the key it signs the handshake with.
public struct TLSIdentity: Sendable {
    /// The DER encodings of the certificates in the order they are sent, the server's own first.
    public let chain: [[UInt8]]
    /// The key that signs the handshake.
    public let key: LabKey

    /// An identity that presents these certificates in this order, whatever they are, and signs with the first one's key.
    ///
    /// - Precondition: `chain` is not empty.
    public init(_ chain: [LabCertificate]) { self.init(der: chain.map(\.der), key: chain[0].key) }

    /// An identity from encodings that may come from anywhere.
    ///
    /// The server does not start when `key` is not the one in the first certificate; see ``impostor(presenting:signingWith:)``.
    ///
    /// - Precondition: `chain` is not empty.
    public init(der chain: [[UInt8]], key: LabKey) {
        precondition(!chain.isEmpty, "a TLS server presents at least one certificate")
        self.chain = chain
        self.key = key
    }

    /// An attacker's identity: it presents a copied chain and signs with a key of its own, so that the client must find the
    /// handshake's signature wrong.
    ///
    /// - Parameters:
    ///   - chain: the certificates to present.
    ///   - key: the attacker's key, on the same elliptic curve as the key of the first certificate.
    /// - Returns: the identity.
    /// - Throws: ``LabError/unsupported(_:)`` when the keys are not on one elliptic curve.
    public static func impostor(
        presenting chain: [LabCertificate], signingWith key: LabKey
    ) throws(LabError) -> TLSIdentity { TLSIdentity(der: chain.map(\.der), key: try key.disguised(as: chain[0].key)) }
}

extension LabKey {
    /// A key that signs with this private key and claims the public key of `other`.
    ///
    /// OpenSSL compares only public keys when it is given a certificate and a key, so a server accepts the result.
    fileprivate func disguised(as other: LabKey) throws(LabError) -> LabKey {
        guard algorithm == other.algorithm, [.p256, .p384, .p521].contains(algorithm) else {
            throw .unsupported("a \(algorithm) key posing as \(other.algorithm); use two keys on one elliptic curve")
        }
        ERR_clear_error()
        var point: UnsafeMutablePointer<UInt8>?
        let length = EVP_PKEY_get1_encoded_public_key(other.pointer, &point)
        defer { COpenSSL_OPENSSL_free(point) }
        guard length > 0, let copy = EVP_PKEY_dup(pointer) else { throw .openSSL("copy a key") }
        guard EVP_PKEY_set1_encoded_public_key(copy, point, length) == 1 else {
            EVP_PKEY_free(copy)
            throw .openSSL("disguise a key")
        }
        return try LabKey(takingOwnershipOf: copy, algorithm: algorithm)
    }
}
