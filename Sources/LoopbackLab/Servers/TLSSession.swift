import Base
import COpenSSL

/// The server's side of TLS over a stream, through memory BIOs; one thread uses it.
final class TLSSession: ByteStream {
    private let context: TLSServerContext
    private let ssl: OpaquePointer
    // The SSL owns both BIOs.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let stream: any ByteStream
    private let record: ConnectionRecord
    private var isFinished = false

    /// Prepares a handshake that begins with the bytes `input`; fails only if memory is short.
    init?(
        _ context: TLSServerContext, over stream: any ByteStream, _ record: @escaping ConnectionRecord,
        after input: [UInt8] = []
    ) {
        guard let ssl = SSL_new(context.pointer) else { return nil }
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            return nil
        }
        // An empty buffer means "wait", not "the end".
        BIO_ctrl(incoming, BIO_C_SET_BUF_MEM_EOF_RETURN, -1, nil)
        BIO_write(incoming, input, Int32(input.count))
        SSL_set_bio(ssl, incoming, outgoing)
        SSL_set_accept_state(ssl)
        self.context = context
        self.ssl = ssl
        self.incoming = incoming
        self.outgoing = outgoing
        self.stream = stream
        self.record = record
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_free(ssl) }

    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
        SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }

    var isSending: Bool { !isFinished && stream.isSending }
    var hasInput: Bool { BIO_ctrl_pending(incoming) > 0 || stream.hasInput }
    var staple: [UInt8]? { context.settings.staple }

    /// Chooses the identities for the indicated name; the result is that of OpenSSL's servername callback.
    func chooseIdentity(_ alert: UnsafeMutablePointer<Int32>?) -> Int32 {
        let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
        record {
            $0.serverName = name
            $0.clientHellos += 1
        }
        if let name, let named = context.context(for: name) {
            SSL_set_SSL_CTX(ssl, named)
            return SSL_TLSEXT_ERR_OK
        }
        guard name == nil, context.settings.requiresName else { return SSL_TLSEXT_ERR_OK }
        alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }

    /// The range of the server's preferred protocol in a client's ALPN offer (RFC 7301, 3.1); `nil` if it has none.
    func chooseProtocol(_ offer: [UInt8]) -> Range<Int>? {
        for name in context.settings.applicationProtocols {
            let entry = [UInt8(name.utf8.count)] + name.utf8
            let place = offer.indices.first { offer[$0...].starts(with: entry) }
            if let place { return place + 1..<place + entry.count }
        }
        return nil
    }

    func serve() {
        guard handshake() else { return }
        let application = context.settings.application
        var more = application.waits ? nil : send(application.answer(""))
        var request: [UInt8] = []
        var wasAsked = !application.waits
        while true {
            while let more, isSending, !hasInput {
                for _ in 0..<500 where isSending && BIO_ctrl_pending(outgoing) < 1 << 20 { more() }
                flush()
            }
            let bytes = read()
            guard !bytes.isEmpty else { return }
            guard !wasAsked, !isFinished else { continue }
            request += bytes
            let end = "\r\n\r\n".bytes
            wasAsked = request.indices.contains { request[$0...].starts(with: end) }
            if wasAsked { more = send(application.answer(String(utf8: request))) }
        }
    }

    /// Sends an answer and returns the action to repeat after it.
    private func send(_ answer: Responder.Answer) -> (() -> Void)? {
        write(answer.bytes)
        switch answer.ending {
        case .goodbye: finish()
        case .cut: cut()
        case .silence: break
        case .repeats(let bytes): return { self.encrypt(bytes) }
        case .renewsKeys:
            return { [ssl] in if SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 { SSL_do_handshake(ssl) } }
        case .renegotiates:
            SSL_renegotiate(ssl)
            SSL_do_handshake(ssl)
            flush()
        }
        return nil
    }

    func handshake() -> Bool {
        while true {
            ERR_clear_error()
            let status = SSL_do_handshake(ssl)
            if status != 1, SSL_get_error(ssl, status) != SSL_ERROR_WANT_READ {
                note("complete the handshake")
                if let refusal = context.settings.refusal { stream.write(refusal) } else { flush() }
                stream.finish()
                return false
            }
            flush()
            if status == 1 { break }
            guard takeInput() else { return false }
        }
        recordHandshake()
        return true
    }

    private func recordHandshake() {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        let certificate = SSL_get1_peer_certificate(ssl)
        defer { X509_free(certificate) }
        record {
            $0.completedHandshake = true
            $0.version = TLSVersion(rawValue: String(cString: SSL_get_version(ssl)))
            $0.applicationProtocol = name.map { String(utf8: UnsafeBufferPointer(start: $0, count: Int(length))) }
            $0.clientCertificate = certificate.map { certificate in encoded { i2d_X509(certificate, $0) } }
        }
    }

    private func takeInput() -> Bool {
        let bytes = stream.read()
        return !bytes.isEmpty && BIO_write(incoming, bytes, Int32(bytes.count)) > 0
    }

    private func flush() {
        var bytes = zeros(BIO_ctrl_pending(outgoing))
        guard BIO_read(outgoing, &bytes, Int32(bytes.count)) > 0 else { return }
        stream.write(bytes)
    }

    func read() -> [UInt8] {
        var buffer = zeros(16_384)
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, &buffer, Int32(buffer.count))
            if count > 0 {
                let bytes = Array(buffer.prefix(Int(count)))
                record {
                    $0.applicationOpening += bytes.prefix(
                        ConnectionObservation.openingLimit - $0.applicationOpening.count)
                }
                return bytes
            }
            switch SSL_get_error(ssl, count) {
            case SSL_ERROR_WANT_READ:
                flush()
                guard takeInput() else { return [] }
            case SSL_ERROR_ZERO_RETURN:
                record { $0.receivedCloseNotify = true }
                finish()
                return []
            default:
                note("read")
                cut()
                return []
            }
        }
    }

    func write(_ bytes: [UInt8]) {
        encrypt(bytes)
        flush()
    }

    private func encrypt(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while isSending, !rest.isEmpty {
            ERR_clear_error()
            let count = rest.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32(clamping: $0.count)) }
            guard count > 0 else {
                note("write")
                return cut()
            }
            rest = rest.dropFirst(Int(count))
        }
    }

    func finish() {
        ERR_clear_error()
        if SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 { SSL_shutdown(ssl) }
        cut()
    }

    private func cut() {
        flush()
        isFinished = true
        stream.finish()
    }

    private func note(_ operation: String) {
        let reason = LabError.openSSL(operation).description
        record { $0.failure = reason }
    }
}
