internal import COpenSSL

// What a server can make a handshake cost: it chooses the key exchange and the key it signs with.
extension TLSConnection {
    /// Whether something costly is computed as soon as the server has sent all it needs.
    var nextIsCostly: Bool { costlyFlight == flights || sentCostlyShare && awaitsServerHello }

    var awaitsServerHello: Bool {
        let state = SSL_get_state(ssl)
        return state == TLS_ST_CW_CLNT_HELLO || state == TLS_ST_CR_SRVR_HELLO
    }

    /// Whether a ClientHello has sent a key of a finite-field group (RFC 8446, 4.2.8): the ServerHello is answered with it at once.
    var sharesFiniteFieldKey: Bool { finiteFieldBits(COpenSSL_SSL_get_tmp_key) != nil }

    /// Called for each message of the server's before it is read: refuses certificates that cost too much to read.
    func examine(_ message: UnsafeRawBufferPointer) {
        guard message.first == UInt8(SSL3_MT_CERTIFICATE) else { return }
        let objection = COpenSSL_certificate_message(
            message.baseAddress, message.count, SSL_version(ssl) >= TLS1_3_VERSION ? 1 : 0,
            TLSContext.certificateCountLimit)
        switch Int(objection) {
        case 0: return
        case Int(COpenSSL_CERTIFICATES_MANY): refusal = .tooManyCertificates(limit: TLSContext.certificateCountLimit)
        case Int(COpenSSL_CERTIFICATES_OWN_CURVE):
            refusal = .unreadableCertificate("a key describes a curve of its own, which costs too much to read")
        case Int(COpenSSL_CERTIFICATES_COSTLY):
            refusal = .unreadableCertificate("more keys than any chain has are in forms that are costly to read")
        default: refusal = .unreadableCertificate("one of them does not have the form of a certificate in DER")
        }
        // OpenSSL's own buffer, which is const for the callback only.
        COpenSSL_spoil(UnsafeMutableRawPointer(mutating: message.baseAddress), message.count)
    }

    /// Called when the server's certificates are there: stops the handshake where what comes next is costly.
    static func holdBeforeCostlyStep(_ verification: OpaquePointer?) {
        let ssl = X509_STORE_CTX_get_ex_data(verification, SSL_get_ex_data_X509_STORE_CTX_idx())
        guard let connection = owner(of: ssl.map { OpaquePointer($0) }), connection.costlyFlight == nil,
            connection.agreesByDiffieHellman || isCostly(X509_STORE_CTX_get0_cert(verification)),
            COpenSSL_SSL_set_retry_verify(connection.ssl) == 1
        else { return }
        connection.costlyFlight = connection.flights
    }

    /// Whether a handshake of TLS 1.2 or older agrees on a key by finite-field Diffie-Hellman.
    private var agreesByDiffieHellman: Bool {
        guard SSL_version(ssl) < TLS1_3_VERSION, let cipher = SSL_get_pending_cipher(ssl) else { return false }
        return SSL_CIPHER_get_kx_nid(cipher) == NID_kx_dhe
    }

    /// From here on a use of an RSA key is costly: the square of its length in units of 1,024 bits times the length of its exponent in bits.
    ///
    /// A key of 4,096 bits has 272; 4,096 are a millisecond. OpenSSL takes 16,384 bits, and up to 3,072 any exponent: 8 ms.
    private static let costlyRSA = 4_096

    /// Whether to use the key of a certificate costs a client much.
    private static func isCostly(_ leaf: OpaquePointer?) -> Bool {
        guard let leaf, let key = X509_get0_pubkey(leaf),
            [EVP_PKEY_RSA, EVP_PKEY_RSA_PSS].contains(EVP_PKEY_get_base_id(key))
        else { return false }
        var exponent: OpaquePointer?
        defer { BN_free(exponent) }
        guard EVP_PKEY_get_bn_param(key, "e", &exponent) == 1 else { return false }
        let bits = Int(EVP_PKEY_get_bits(key))
        return bits * bits / (1_024 * 1_024) * Int(BN_num_bits(exponent)) >= costlyRSA
    }
}
