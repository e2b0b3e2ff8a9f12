import COpenSSL
import NIOCore

extension TLSConnection {
    /// The most messages of TLS itself after the handshake: tickets, and requests for new keys.
    ///
    /// An honest server sends a few. A new key costs 26 bytes and as many microseconds: a megabyte takes a second.
    static let messageLimit = 64
    static let tooTalkative = "the server sent more than \(messageLimit) tickets and requests for new keys"
    /// The most records, and the number of further ones for each byte of data (``recordsForByte``).
    ///
    /// Their number costs time, not their length: records may be padded to 16 KiB (RFC 8446, 5.4).
    static let recordLimit = 2_048
    static let recordsForByte = 0.25

    /// Begins to count records and messages of TLS itself; those of the handshake do not count.
    func limitMessages() {
        SSL_set_msg_callback(ssl) { isWritten, _, type, _, _, ssl, _ in
            guard isWritten == 0, type == SSL3_RT_HANDSHAKE || type == SSL3_RT_HEADER else { return }
            TLSConnection.owner(of: ssl)?.note(isMessage: type == SSL3_RT_HANDSHAKE)
        }
    }

    /// Decrypts received bytes (`SSL_read`), about `count`; without an ending, more bytes from the server are needed.
    func read(allocator: ByteBufferAllocator, expecting count: Int = 4_096) -> (data: ByteBuffer, ending: TLSEnding?) {
        var data = allocator.buffer(capacity: max(4_096, count))
        while true {
            ERR_clear_error()
            var result: Int32 = 0
            data.writeWithUnsafeMutableBytes(minimumWritableBytes: 4096) { space in
                result = SSL_read(ssl, space.baseAddress, Int32(clamping: space.count))
                return Int(max(0, result))
            }
            guard result <= 0 else {
                dataCount += Int(result)
                continue
            }
            if let talk { return (data, .failed(talk, nil)) }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return (data, nil)
            case SSL_ERROR_ZERO_RETURN: return (data, .closed)
            default:
                let errors = OpenSSLErrors.take()
                return (data, .failed(errors.text, errors.alert))
            }
        }
    }

    /// Encrypts all of `data` (`SSL_write`), because a memory BIO takes the whole; `false` if OpenSSL refuses.
    func write(_ data: ByteBuffer) -> Bool {
        guard data.readableBytes > 0 else { return true }
        ERR_clear_error()
        return data.withUnsafeReadableBytes { bytes in
            SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count)) > 0
        }
    }

    var staple: [UInt8]? {
        var start: UnsafePointer<UInt8>?
        let count = COpenSSL_SSL_get_tlsext_status_ocsp_resp(ssl, &start)
        guard count > 0, let start else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: count))
    }

    func reason(of errors: OpenSSLErrors, request: ProbeRequest) -> ProbeError.Reason {
        if let refusal { return refusal }
        let isReadingCertificates = SSL_get_state(ssl) == TLS_ST_CR_CERT
        guard let reason = errors.tlsReason else { return .tlsFailure(errors.text) }
        let noCommonVersion = ProbeError.Reason.protocolVersion(
            minimum: request.minimumTLS, maximum: request.maximumTLS)
        if let alert = errors.alert {
            if request.isExact { return .alert(alert) }
            // RFC 8446, 4.1.1, prescribes one of these two if no parameters fit; others, as 43, may have another cause.
            if let keyType = request.keyType, [40, 71].contains(alert.number) {
                return .keyTypeRefused(keyType, alert)
            }
            if !request.offer.isEmpty, alert.isForWantOfCommonParameters { return .offerRefused(request.offer, alert) }
            return alert == .protocolVersion ? noCommonVersion : .alert(alert)
        }
        if request.isExact, Self.choices.contains(reason) { return .offerRefused(request.offer, nil) }
        if !request.offer.isEmpty, !request.isExact,
            [SSL_R_NO_SUITABLE_GROUPS, SSL_R_NO_CIPHERS_AVAILABLE, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM].contains(
                reason)
        {
            return .offerRefused(request.offer, nil)
        }
        // Some servers ignore the offer and send the certificate they have.
        if let keyType = request.keyType, [SSL_R_WRONG_SIGNATURE_TYPE, SSL_R_WRONG_CERTIFICATE_TYPE].contains(reason) {
            return .keyTypeRefused(keyType, nil)
        }
        return switch reason {
        case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_WRONG_VERSION_NUMBER, SSL_R_VERSION_TOO_LOW,
            SSL_R_VERSION_TOO_HIGH, SSL_R_NO_PROTOCOLS_AVAILABLE:
            noCommonVersion
        case SSL_R_BAD_SIGNATURE, SSL_R_WRONG_SIGNATURE_TYPE, SSL_R_WRONG_SIGNATURE_SIZE,
            SSL_R_SIGNATURE_FOR_NON_SIGNING_CERTIFICATE:
            .keyNotProven
        case SSL_R_EXCESSIVE_MESSAGE_SIZE where isReadingCertificates:
            .certificatesTooLarge(limit: TLSContext.certificateListLimit)
        case SSL_R_EXCESSIVE_MESSAGE_SIZE: .tlsFailure("a message is longer than any of its kind")
        case Int32(ERR_R_ASN1_LIB) where !isReadingCertificates: .tlsFailure(errors.text)
        case Int32(ERR_R_ASN1_LIB), SSL_R_CERT_LENGTH_MISMATCH, SSL_R_UNABLE_TO_FIND_PUBLIC_KEY_PARAMETERS,
            SSL_R_UNKNOWN_CERTIFICATE_TYPE, SSL_R_WRONG_CERTIFICATE_TYPE:
            .unreadableCertificate(errors.text)
        case SSL_R_DH_KEY_TOO_SMALL:
            .tlsFailure("the server's Diffie-Hellman group has fewer than 1024 bits or more than 4096")
        default: .tlsFailure(errors.text)
        }
    }

    /// OpenSSL's reasons for a server that chooses a parameter that was not offered.
    private static let choices = [
        SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_WRONG_SSL_VERSION, SSL_R_VERSION_TOO_LOW, SSL_R_VERSION_TOO_HIGH,
        SSL_R_WRONG_CIPHER_RETURNED, SSL_R_UNKNOWN_CIPHER_RETURNED, SSL_R_WRONG_CURVE, SSL_R_BAD_KEY_SHARE,
        SSL_R_WRONG_SIGNATURE_TYPE, SSL_R_WRONG_CERTIFICATE_TYPE,
    ]
}

enum HandshakeOutcome {
    /// The server proved its key; `completed` is `false` if it then gave up for lack of a client certificate.
    case proven(TLSConnection, completed: Bool)
    case failed(ProbeError.Reason)
}

enum TLSEnding: Error {
    /// The other side sent close_notify.
    case closed
    /// The connection ended without close_notify.
    case cut
    /// TLS failed, in OpenSSL's words, with the alert of the other side if it sent one.
    case failed(String, TLSAlert?)

    var isFailure: Bool { if case .failed = self { true } else { false } }
}

extension IOError {
    var isReset: Bool { errnoCode == ECONNRESET || errnoCode == EPIPE }
}

extension ChannelHandlerContext {
    /// A promise for a write: NIO reports its failure only there.
    func writePromise(_ failed: @escaping (any Error) -> Void) -> EventLoopPromise<Void> {
        let promise = eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenFailure(failed)
        return promise
    }
}

extension Channel {
    /// Lets the loop serve other channels after each read of 16 KiB: tiny records, chunks and heads take much time.
    func readLittleAtATime() {
        try? syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        try? syncOptions?.setOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16 << 10))
    }
}
