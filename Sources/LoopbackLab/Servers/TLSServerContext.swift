internal import COpenSSL

/// The SSL_CTX of each set of identities of one server.
///
/// Sendable because the contexts are set up once in the initialiser and only read afterwards: OpenSSL allows any number of
/// threads to make connections from one SSL_CTX.
final class TLSServerContext: @unchecked Sendable {
    /// An SSL_CTX that is freed with its last owner.
    private final class Handle {
        let pointer: OpaquePointer

        init() throws(LabError) {
            COpenSSL_learn_names()
            ERR_clear_error()
            guard let pointer = SSL_CTX_new(TLS_server_method()) else { throw .openSSL("make a TLS context") }
            self.pointer = pointer
        }

        deinit { SSL_CTX_free(pointer) }
    }

    let settings: TLSServerSettings
    private let handle: Handle
    private var byName: [String: Handle] = [:]

    /// Builds the contexts; throws when a certificate does not parse or a key does not fit its certificate.
    init(_ settings: TLSServerSettings) throws(LabError) {
        self.settings = settings
        handle = try Self.makeHandle(settings, settings.identities)
        for (name, identities) in settings.identitiesByName { byName[name] = try Self.makeHandle(settings, identities) }
        COpenSSL_SSL_CTX_set_tlsext_servername_callback(handle.pointer) { ssl, alert, _ in
            guard let session = TLSSession.of(ssl) else { return SSL_TLSEXT_ERR_ALERT_FATAL }
            return session.chooseIdentity(alert)
        }
        SSL_CTX_set_alpn_select_cb(
            handle.pointer,
            { ssl, chosen, length, offered, offeredLength, _ in
                guard let session = TLSSession.of(ssl), let chosen, let length, let offered else {
                    return SSL_TLSEXT_ERR_NOACK
                }
                let offer = UnsafeBufferPointer(start: offered, count: Int(offeredLength))
                guard let position = session.chooseProtocol(Array(offer)) else { return SSL_TLSEXT_ERR_NOACK }
                chosen.pointee = offered + position.lowerBound
                length.pointee = UInt8(position.count)
                return SSL_TLSEXT_ERR_OK
            }, nil)
    }

    func makeConnection() -> OpaquePointer? { SSL_new(handle.pointer) }

    /// The context kept for a name indication in any case of letters, borrowed; `nil` for an unknown name.
    func context(for name: String) -> OpaquePointer? { byName[name.lowercased()]?.pointer }

    private static func makeHandle(
        _ settings: TLSServerSettings, _ identities: [TLSIdentity]
    ) throws(LabError) -> Handle {
        let handle = try Handle()
        try setUp(handle.pointer, settings)
        for identity in identities { try use(identity, in: handle.pointer) }
        return handle
    }

    private static func setUp(_ context: OpaquePointer, _ settings: TLSServerSettings) throws(LabError) {
        SSL_CTX_set_security_level(context, 0)
        guard COpenSSL_SSL_CTX_set_min_proto_version(context, settings.minimumVersion.rawValue) == 1,
            COpenSSL_SSL_CTX_set_max_proto_version(context, settings.maximumVersion.rawValue) == 1,
            SSL_CTX_set_cipher_list(context, settings.cipherList) == 1,
            settings.groups.map({ COpenSSL_SSL_CTX_set1_groups_list(context, $0) == 1 }) ?? true,
            SSL_CTX_set_num_tickets(context, settings.sessionTickets) == 1,
            SSL_CTX_set_block_padding(context, settings.recordPadding) == 1
        else { throw .openSSL("set up a TLS server") }
        _ = COpenSSL_SSL_CTX_set_session_cache_mode(context, Int(SSL_SESS_CACHE_OFF))
        let mode =
            switch settings.clientCertificate {
            case .notRequested: SSL_VERIFY_NONE
            case .requested: SSL_VERIFY_PEER
            case .required: SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT
            }
        if settings.prefersOwnCiphers { _ = SSL_CTX_set_options(context, COpenSSL_SSL_OP_CIPHER_SERVER_PREFERENCE()) }
        if settings.offersFiniteFieldGroups { _ = COpenSSL_SSL_CTX_set_dh_auto(context, 1) }
        if let group = settings.finiteFieldGroup {
            let maker = EVP_PKEY_CTX_new_from_name(nil, "DH", nil)
            defer { EVP_PKEY_CTX_free(maker) }
            var parameters: OpaquePointer?
            // The context owns the parameters once it has taken them.
            guard EVP_PKEY_paramgen_init(maker) == 1, EVP_PKEY_CTX_set_dh_nid(maker, group) == 1,
                EVP_PKEY_paramgen(maker, &parameters) == 1, SSL_CTX_set0_tmp_dh_pkey(context, parameters) == 1
            else { throw .openSSL("set up a Diffie-Hellman group") }
        }
        _ = COpenSSL_SSL_CTX_set_tlsext_status_cb(context) { ssl, _ in
            guard let session = TLSSession.of(ssl), let staple = session.staple,
                let copy = COpenSSL_OPENSSL_memdup(staple, staple.count)
            else { return SSL_TLSEXT_ERR_NOACK }
            let bytes = copy.assumingMemoryBound(to: UInt8.self)
            // The connection frees it.
            _ = COpenSSL_SSL_set_tlsext_status_ocsp_resp(ssl, bytes, staple.count)
            return SSL_TLSEXT_ERR_OK
        }
        // Any client certificate will do.
        SSL_CTX_set_verify(context, mode) { _, _ in 1 }
    }

    private static func use(_ identity: TLSIdentity, in context: OpaquePointer) throws(LabError) {
        for (depth, certificate) in identity.chain.enumerated() {
            let certificate = certificate.openSSL
            // Both calls take a reference of their own.
            defer { X509_free(certificate) }
            let status =
                depth == 0
                ? Int(SSL_CTX_use_certificate(context, certificate))
                : COpenSSL_SSL_CTX_add1_chain_cert(context, certificate)
            guard status == 1 else { throw .openSSL("present certificate \(depth) of a server's chain") }
        }
        guard SSL_CTX_use_PrivateKey(context, identity.key.pointer) == 1 else {
            throw .openSSL("use a server's key with its certificate")
        }
    }
}

/// What a TLS server shows and proves: certificates in the order they are sent, the server's own first, and the key it signs the
/// handshake with.
package struct TLSIdentity: Sendable {
    let chain: [LabCertificate]
    let key: LabKey

    /// An identity that presents these certificates, whatever they are, and signs with the first one's key.
    package init(_ chain: [LabCertificate]) { self.init(chain, key: chain[0].key) }

    private init(_ chain: [LabCertificate], key: LabKey) { (self.chain, self.key) = (chain, key) }

    /// An attacker's identity: it presents a copied chain and signs with a key of its own, so that the client must find the
    /// handshake's signature wrong.
    ///
    /// - Throws: ``LabError/unsupported(_:)`` when the keys are not on one elliptic curve.
    package static func impostor(
        presenting chain: [LabCertificate], signingWith key: LabKey
    ) throws(LabError) -> TLSIdentity { TLSIdentity(chain, key: try key.disguised(as: chain[0].key)) }
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
