import COpenSSL

/// The SSL_CTX of a server, and one for each name with other identities.
///
/// Sendable: only the initialiser changes it, and OpenSSL makes connections from one SSL_CTX in any number of threads.
final class TLSServerContext: @unchecked Sendable {
    let settings: TLSServerSettings
    let pointer: OpaquePointer
    private var byName: [String: TLSServerContext] = [:]

    init(_ settings: TLSServerSettings) throws(LabError) {
        self.settings = settings
        COpenSSL_learn_names()
        ERR_clear_error()
        guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw .openSSL("make a TLS context") }
        self.pointer = pointer
        try setUp()
        for identity in settings.identities { try use(identity) }
        setCallbacks()
        for (name, identities) in settings.identitiesByName {
            byName[name] = try TLSServerContext(
                settings.with { ($0.identities, $0.identitiesByName) = (identities, [:]) })
        }
    }

    deinit { SSL_CTX_free(pointer) }

    /// The context for an indicated name, in any case of letters; borrowed, `nil` if the name is unknown.
    func context(for name: String) -> OpaquePointer? { byName[name.lowercased()]?.pointer }

    private func setUp() throws(LabError) {
        SSL_CTX_set_security_level(pointer, 0)
        let commands = SSL_CONF_CTX_new()
        defer { SSL_CONF_CTX_free(commands) }
        SSL_CONF_CTX_set_flags(commands, UInt32(SSL_CONF_FLAG_FILE | SSL_CONF_FLAG_SERVER))
        SSL_CONF_CTX_set_ssl_ctx(commands, pointer)
        let versions = [
            "MinProtocol": settings.minimumVersion.rawValue, "MaxProtocol": settings.maximumVersion.rawValue,
        ]
        for (name, value) in settings.options.merging(versions, uniquingKeysWith: { $1 })
        where SSL_CONF_cmd(commands, name, value) <= 0 { throw .openSSL("set up a TLS server with \(name) = \(value)") }
        guard SSL_CONF_CTX_finish(commands) == 1 else { throw .openSSL("set up a TLS server") }
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_DH_AUTO, settings.finiteFieldGroup == nil ? 1 : 0, nil)
        guard let group = settings.finiteFieldGroup else { return }
        let maker = EVP_PKEY_CTX_new_from_name(nil, "DH", nil)
        defer { EVP_PKEY_CTX_free(maker) }
        var parameters: OpaquePointer?
        // On success the context owns the parameters.
        guard EVP_PKEY_paramgen_init(maker) == 1, EVP_PKEY_CTX_set_dh_nid(maker, group) == 1,
            EVP_PKEY_paramgen(maker, &parameters) == 1, SSL_CTX_set0_tmp_dh_pkey(pointer, parameters) == 1
        else { throw .openSSL("set up a Diffie-Hellman group") }
    }

    private func setCallbacks() {
        COpenSSL_SSL_CTX_set_tlsext_servername_callback(pointer) { ssl, alert, _ in
            TLSSession.of(ssl)?.chooseIdentity(alert) ?? SSL_TLSEXT_ERR_ALERT_FATAL
        }
        SSL_CTX_set_alpn_select_cb(
            pointer,
            { ssl, chosen, length, offered, count, _ in
                let offer = Array(UnsafeBufferPointer(start: offered, count: Int(count)))
                guard let position = TLSSession.of(ssl)?.chooseProtocol(offer) else { return SSL_TLSEXT_ERR_NOACK }
                chosen?.pointee = offered.map { $0 + position.lowerBound }
                length?.pointee = UInt8(position.count)
                return SSL_TLSEXT_ERR_OK
            }, nil)
        _ = COpenSSL_SSL_CTX_set_tlsext_status_cb(pointer) { ssl, _ in
            guard let staple = TLSSession.of(ssl)?.staple, let copy = COpenSSL_OPENSSL_memdup(staple, staple.count)
            else { return SSL_TLSEXT_ERR_NOACK }
            // OpenSSL frees the copy with the connection.
            _ = COpenSSL_SSL_set_tlsext_status_ocsp_resp(ssl, copy.assumingMemoryBound(to: UInt8.self), staple.count)
            return SSL_TLSEXT_ERR_OK
        }
        let mode =
            switch settings.clientCertificate {
            case .notRequested: SSL_VERIFY_NONE
            case .requested: SSL_VERIFY_PEER
            case .required: SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
            }
        // Any client certificate is accepted.
        SSL_CTX_set_verify(pointer, mode) { _, _ in 1 }
    }

    private func use(_ identity: TLSIdentity) throws(LabError) {
        for (depth, certificate) in identity.chain.enumerated() {
            let certificate = certificate.openSSL
            // Both calls take a reference of their own.
            defer { X509_free(certificate) }
            let status =
                depth == 0
                ? Int(SSL_CTX_use_certificate(pointer, certificate))
                : SSL_CTX_ctrl(pointer, SSL_CTRL_CHAIN_CERT, 1, certificate.map(UnsafeMutableRawPointer.init))
            guard status == 1 else { throw .openSSL("present certificate \(depth) of a server's chain") }
        }
        guard SSL_CTX_use_PrivateKey(pointer, identity.key.pointer) == 1 else {
            throw .openSSL("use a server's key with its certificate")
        }
    }
}

/// The identity of a TLS server: its certificates in the order of sending, and the key that signs the handshake.
package struct TLSIdentity {
    let chain: [LabCertificate]
    let key: LabKey

    package init(_ chain: [LabCertificate]) { self.init(chain, key: chain[0].key) }

    private init(_ chain: [LabCertificate], key: LabKey) { (self.chain, self.key) = (chain, key) }

    /// An attacker's identity: it presents a copied chain but signs with a key of its own, which clients must refuse.
    ///
    /// - Throws: ``LabError/unsupported(_:)`` if the keys are not on one elliptic curve.
    package static func impostor(
        presenting chain: [LabCertificate], signingWith key: LabKey
    ) throws(LabError) -> Self { Self(chain, key: try key.disguised(as: chain[0].key)) }
}

extension LabKey {
    /// A key that signs with this one but claims the public key of `other`; OpenSSL compares only public keys.
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
