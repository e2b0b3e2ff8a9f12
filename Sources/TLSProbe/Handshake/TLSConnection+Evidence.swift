internal import COpenSSL

// What came along with the certificates, and how the keys were agreed on.
extension TLSConnection {
    /// The OCSP response that the server sent along, `nil` when it sent none.
    var staple: [UInt8]? {
        var start: UnsafePointer<UInt8>?
        let count = COpenSSL_SSL_get_tlsext_status_ocsp_resp(ssl, &start)
        guard count > 0, let start else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    var keyExchange: KeyExchange {
        guard let cipher = SSL_get_current_cipher(ssl) ?? SSL_get_pending_cipher(ssl) else { return .other }
        switch SSL_CIPHER_get_kx_nid(cipher) {
        case NID_kx_ecdhe: return .ephemeral
        // TLS 1.3 has groups of both kinds.
        case NID_kx_any: return finiteFieldBits.map { .ephemeralInGroup(bits: $0) } ?? .ephemeral
        case NID_kx_dhe: return finiteFieldBits.map { .ephemeralInGroup(bits: $0) } ?? .other
        case NID_kx_rsa: return .staticRSA
        default: return .other
        }
    }

    /// How long the prime of a Diffie-Hellman group is, `nil` for a curve.
    private var finiteFieldBits: Int? {
        var key: OpaquePointer?
        guard COpenSSL_SSL_get_peer_tmp_key(ssl, &key) == 1, let key else { return nil }
        defer { EVP_PKEY_free(key) }
        guard EVP_PKEY_is_a(key, "DH") == 1 else { return nil }
        return Int(EVP_PKEY_get_bits(key))
    }
}
