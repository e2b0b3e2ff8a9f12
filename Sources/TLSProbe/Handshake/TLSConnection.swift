import COpenSSL
import NIOCore
import Pinning
import X509

/// Owns one `SSL` with the two memory BIOs that it reads from and writes to, on the event loop's thread.
///
/// No call suspends, so the thread's OpenSSL error queue always belongs to the last call.
final class TLSConnection {
    enum Step {
        case needsInput, complete, closed
        case failed(OpenSSLErrors)
    }

    let ssl: OpaquePointer
    // `ssl` owns both.
    private let input: OpaquePointer
    private let output: OpaquePointer
    private(set) var clientCertificateRequested = false
    /// `true` if the server had proved its key at its request for a client certificate; RSA key exchange does it later.
    private(set) var keyProvenAtRequest = false
    /// Keeps alive the certificate and key that `ssl` may send.
    private let identity: ClientIdentity?
    /// `true` if no certificate was sent, because none fits the server's request.
    private var hadNoFittingCertificate = false
    /// The reason why the server's certificates were not read.
    var refusal: ProbeError.Reason?

    /// The numbers of messages of TLS itself, records and bytes of data since ``limitMessages()``.
    private var messages = 0
    private var records = 0
    var dataCount = 0
    /// The error of a server that sent more messages or records than accepted.
    private(set) var talk: String?

    var clientCertificateSent: Bool { identity != nil && clientCertificateRequested && !hadNoFittingCertificate }

    init(context: TLSContext, request: ProbeRequest) throws(OpenSSLSetUpError) {
        ERR_clear_error()
        guard let ssl = SSL_new(context.pointer) else { throw OpenSSLSetUpError() }
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            throw OpenSSLSetUpError()
        }
        // An empty BIO means "not yet", never "end of file".
        BIO_ctrl(input, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        SSL_set_bio(ssl, input, output)
        SSL_set_connect_state(ssl)
        (self.ssl, self.input, self.output) = (ssl, input, output)
        identity = request.clientIdentity
        // OpenSSL reserves index 0 for applications (SSL_set_app_data).
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
        // Any value means that the request names groups.
        if request.offer.groups != nil { SSL_set0_security_ex_data(ssl, UnsafeMutableRawPointer(ssl)) }
        guard COpenSSL_SSL_set_min_proto_version(ssl, Int32(request.minimumTLS.rawValue)) == 1,
            COpenSSL_SSL_set_max_proto_version(ssl, Int32(request.maximumTLS.rawValue)) == 1,
            request.serverNameIndication.map({ COpenSSL_SSL_set_tlsext_host_name(ssl, $0) == 1 }) ?? true,
            SSL_ctrl(ssl, SSL_CTRL_SET_TLSEXT_STATUS_REQ_TYPE, Int(TLSEXT_STATUSTYPE_ocsp), nil) == 1,
            Self.offer(request.alpn, on: ssl), request.keyType?.offer.restrict(ssl) ?? true,
            request.offer.isEmpty || request.offer.restrict(ssl), request.clientIdentity?.use(on: ssl) ?? true
        else { throw OpenSSLSetUpError() }
    }

    deinit { SSL_free(ssl) }

    func receive(_ bytes: ByteBuffer) {
        bytes.withUnsafeReadableBytes { bytes in _ = BIO_write(input, bytes.baseAddress, Int32(clamping: bytes.count)) }
    }

    /// Counts a record or a message of TLS itself; bytes after the last accepted one are discarded unread.
    func note(isMessage: Bool) {
        if isMessage { messages += 1 } else { records += 1 }
        if messages > Self.messageLimit {
            talk = Self.tooTalkative
        } else if Double(records) > Double(Self.recordLimit) + Self.recordsForByte * Double(dataCount) {
            talk = "the server sent \(records) records with \(dataCount) bytes of data in them"
        }
        if talk != nil { BIO_ctrl(input, BIO_CTRL_RESET, 0, nil) }
    }

    /// `true` if a ticket or the like arrived since ``limitMessages()``.
    var hasHeard: Bool { messages > 0 }

    var unreadCount: Int { BIO_ctrl_pending(input) }

    func advance() -> Step {
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        if result == 1 { return .complete }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .needsInput
        case SSL_ERROR_ZERO_RETURN: return .closed
        default: return .failed(OpenSSLErrors.take())
        }
    }

    /// Writes close_notify (`SSL_shutdown`).
    func close() {
        ERR_clear_error()
        _ = SSL_shutdown(ssl)
        ERR_clear_error()
    }

    func takeOutput(allocator: ByteBufferAllocator) -> ByteBuffer? {
        var start: UnsafePointer<CChar>?
        let count = COpenSSL_BIO_get_mem_data(output, &start)
        guard count > 0, let start else { return nil }
        var buffer = allocator.buffer(capacity: count)
        buffer.writeBytes(UnsafeRawBufferPointer(start: start, count: count))
        BIO_ctrl(output, BIO_CTRL_RESET, 0, nil)
        return buffer
    }

    /// Refuses certificates that cost too much to read; called for each message of the server before OpenSSL reads it.
    func examine(_ message: UnsafeRawBufferPointer) {
        guard message.first == UInt8(SSL3_MT_CERTIFICATE) else { return }
        let objection = COpenSSL_certificate_message(
            message.baseAddress, message.count, SSL_version(ssl) >= TLS1_3_VERSION ? 1 : 0,
            TLSContext.certificateCountLimit)
        switch Int(objection) {
        case 0: return
        case Int(COpenSSL_MANY): refusal = .tooManyCertificates(limit: TLSContext.certificateCountLimit)
        case Int(COpenSSL_OWN_CURVE):
            refusal = .unreadableCertificate("a key describes a curve of its own, which costs too much to read")
        case Int(COpenSSL_LONG_RSA):
            refusal = .unreadableCertificate("an RSA key is longer than 8192 bits, or its exponent than 64")
        case Int(COpenSSL_COSTLY):
            refusal = .unreadableCertificate("more keys than any chain has are in forms that are costly to read")
        default: refusal = .unreadableCertificate("one of them does not have the form of a certificate in DER")
        }
        // A callback cannot refuse a message, so the first length after the header, of the list or of a context, is
        // overwritten with a wrong one, in OpenSSL's own buffer, which is const only for the callback.
        if message.count > 4 { UnsafeMutableRawBufferPointer(mutating: message)[4] = 0xFF }
    }

    static func owner(of ssl: OpaquePointer?) -> TLSConnection? {
        ssl.flatMap { SSL_get_ex_data($0, 0) }.map { Unmanaged.fromOpaque($0).takeUnretainedValue() }
    }

    func noteClientCertificateRequest() {
        // OpenSSL calls again, for another certificate, if the first does not fit.
        guard !clientCertificateRequested else { return hadNoFittingCertificate = true }
        clientCertificateRequested = true
        keyProvenAtRequest = serverHasSigned
    }

    /// `true` if the negotiated handshake has the server sign before its request for a client certificate.
    private var serverHasSigned: Bool {
        if SSL_version(ssl) >= TLS1_3_VERSION { return true }
        guard let cipher = SSL_get_pending_cipher(ssl) else { return false }
        let exchange = SSL_CIPHER_get_kx_nid(cipher)
        return exchange == NID_kx_ecdhe || exchange == NID_kx_dhe
    }

    private static func offer(_ protocols: [String], on ssl: OpaquePointer) -> Bool {
        guard !protocols.isEmpty else { return true }
        let list = protocols.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
        // Unlike nearly all of OpenSSL, this function returns 0 for success.
        return SSL_set_alpn_protos(ssl, list, UInt32(clamping: list.count)) == 0
    }

    var version: ProtocolVersion? { ProtocolVersion(rawValue: UInt16(truncatingIfNeeded: SSL_version(ssl))) }

    /// The negotiated parameters; `nil` before the server chose.
    func facts(for leaf: KeyAlgorithm) -> ConnectionFacts? {
        guard let version,
            let cipher = SSL_get_current_cipher(ssl) ?? SSL_get_pending_cipher(ssl),
            let name = SSL_CIPHER_get_name(cipher)
        else { return nil }
        let exchange = SSL_CIPHER_get_kx_nid(cipher)
        let group = NamedGroup.choice(of: ssl)
        return ConnectionFacts(
            version, (SSL_CIPHER_get_protocol_id(cipher), String(cString: name)), group: group,
            signature: version < .tls12 ? nil : SignatureScheme.choice(of: ssl, for: leaf),
            // Groups from 0x0100 to 0x01FF are finite fields, not curves (RFC 7919).
            primeBits: exchange == NID_kx_dhe || group.map { $0.number >> 8 == 1 } == true ? primeBits : nil,
            isStaticRSA: exchange == NID_kx_rsa)
    }

    private var primeBits: Int? {
        var key: OpaquePointer?
        guard COpenSSL_SSL_get_peer_tmp_key(ssl, &key) == 1, let key else { return nil }
        defer { EVP_PKEY_free(key) }
        return EVP_PKEY_is_a(key, "DH") == 1 ? Int(EVP_PKEY_get_bits(key)) : nil
    }

    var applicationProtocol: String? {
        var start: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &start, &count)
        guard let start, count > 0 else { return nil }
        return String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
    }

    func presentedChain() throws(X509Error) -> PresentedChain? {
        // A client's list begins with the leaf; it belongs to the session.
        let list = SSL_get_peer_cert_chain(ssl)
        var certificates: [Certificate] = []
        for index in 0..<max(0, OPENSSL_sk_num(list)) {
            guard let certificate = OPENSSL_sk_value(list, index) else { continue }
            certificates.append(try CertificateReader.certificate(borrowing: OpaquePointer(certificate)))
        }
        return PresentedChain(certificates)
    }
}
