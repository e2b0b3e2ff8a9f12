internal import COpenSSL

/// The server's side of a TLS connection over memory BIOs.
///
/// Used by one thread only.
final class TLSConversation: Conversation {
    private let context: TLSServerContext
    private let ssl: OpaquePointer
    // Both BIOs belong to the SSL.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private let log: ServerLog
    private let index: Int
    /// What is said over this one, `nil` where the settings say it.
    private let inner: (any Conversation)?
    private var isEstablished = false
    private var requestTail: [UInt8] = []
    private var wasAsked = false
    private var hasFailed = false
    private(set) var isFinished = false

    /// Prepares to answer a client, writing what it sees to the record `index` of `log`.
    ///
    /// `nil` when memory is short.
    init?(_ context: TLSServerContext, log: ServerLog, index: Int, around inner: (any Conversation)? = nil) {
        guard let ssl = context.makeConnection() else { return nil }
        guard let incoming = BIO_new(BIO_s_mem()), let outgoing = BIO_new(BIO_s_mem()) else {
            SSL_free(ssl)
            return nil
        }
        // An empty buffer means "wait", not "the end".
        _ = COpenSSL_BIO_set_mem_eof_return(incoming, -1)
        SSL_set_bio(ssl, incoming, outgoing)
        SSL_set_accept_state(ssl)
        (self.context, self.inner, self.ssl, self.incoming) = (context, inner, ssl, incoming)
        (self.outgoing, self.log, self.index) = (outgoing, log, index)
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    }

    deinit { SSL_free(ssl) }

    static func of(_ ssl: OpaquePointer?) -> TLSConversation? {
        SSL_get_ex_data(ssl, 0).map { Unmanaged<TLSConversation>.fromOpaque($0).takeUnretainedValue() }
    }

    func begin() {}

    func receive(_ bytes: ArraySlice<UInt8>) {
        bytes.withUnsafeBytes { _ = BIO_write(incoming, $0.baseAddress, Int32($0.count)) }
        guard !hasFailed else { return }
        if !isEstablished { handshake() }
        if isEstablished { read() }
    }

    func takeOutput() -> [UInt8] {
        if isEstablished, !isFinished {
            writeOnAndOn()
            if let inner { write(inner.takeOutput()) }
            if inner?.isFinished == true { sayGoodbye() }
        }
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(outgoing))
        guard !bytes.isEmpty else { return [] }
        if hasFailed, !isEstablished, context.settings.refusal != .reason {
            BIO_ctrl(outgoing, BIO_CTRL_RESET, 0, nil)
            if case .alert(let number) = context.settings.refusal { return [21, 3, 3, 0, 2, 2, number] }
            return []
        }
        let count = BIO_read(outgoing, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }

    // MARK: Callbacks of the handshake

    var staple: [UInt8]? { context.settings.staple }

    /// Picks the identities for the name the client indicated; the result is the servername callback's.
    func chooseIdentity(_ alert: UnsafeMutablePointer<Int32>?) -> Int32 {
        let name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name).map { String(cString: $0) }
        log.update(index) {
            $0.serverName = name
            $0.clientHellos += 1
        }
        if let name, let named = context.context(for: name) {
            SSL_set_SSL_CTX(ssl, named)
            return SSL_TLSEXT_ERR_OK
        }
        let answer = name == nil ? context.settings.absentName : context.settings.unknownName
        switch answer {
        case .defaultIdentities: return SSL_TLSEXT_ERR_OK
        case .alert:
            alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
            return SSL_TLSEXT_ERR_ALERT_FATAL
        }
    }

    /// The place in a client's ALPN offer (RFC 7301, 3.1) of the protocol the server likes best.
    func chooseProtocol(_ offer: [UInt8]) -> Range<Int>? {
        var places: [String: Range<Int>] = [:]
        var position = 0
        while position < offer.count {
            let start = position + 1
            position = min(start + Int(offer[position]), offer.count)
            places[String(decoding: offer[start..<position], as: UTF8.self)] = start..<position
        }
        return context.settings.applicationProtocols.lazy.compactMap { places[$0] }.first
    }

    // MARK: Steps

    private func handshake() {
        ERR_clear_error()
        let status = SSL_do_handshake(ssl)
        guard status == 1 else {
            if SSL_get_error(ssl, status) != SSL_ERROR_WANT_READ { fail("complete the handshake") }
            return
        }
        isEstablished = true
        recordHandshake()
        switch context.settings.application {
        case .greets(let bytes): write(bytes)
        case .renegotiates:
            SSL_renegotiate(ssl)
            SSL_do_handshake(ssl)
        default: break
        }
    }

    private func recordHandshake() {
        let version = TLSVersion(rawValue: SSL_version(ssl))
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &length)
        let applicationProtocol = name.map {
            String(decoding: UnsafeBufferPointer(start: $0, count: Int(length)), as: UTF8.self)
        }
        let clientCertificate = peerCertificate()
        log.update(index) {
            $0.completedHandshake = true
            $0.version = version
            $0.applicationProtocol = applicationProtocol
            $0.clientCertificate = clientCertificate
        }
    }

    private func peerCertificate() -> [UInt8]? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        var encoded: UnsafeMutablePointer<UInt8>?
        let length = i2d_X509(certificate, &encoded)
        defer { COpenSSL_OPENSSL_free(encoded) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(max(0, length))))
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            ERR_clear_error()
            let count = SSL_read(ssl, &buffer, Int32(buffer.count))
            if count > 0 {
                log.update(index) {
                    let room = ConnectionObservation.openingLimit - $0.applicationOpening.count
                    $0.applicationOpening += buffer.prefix(min(Int(count), room))
                    $0.applicationBytesReceived += Int(count)
                }
                if let inner { inner.receive(buffer.prefix(Int(count))) } else { answer(buffer.prefix(Int(count))) }
                continue
            }
            switch SSL_get_error(ssl, count) {
            case SSL_ERROR_WANT_READ: break
            case SSL_ERROR_ZERO_RETURN:
                log.update(index) { $0.receivedCloseNotify = true }
                sayGoodbye()
            default: fail("read")
            }
            return
        }
    }

    private func answer(_ request: ArraySlice<UInt8>) {
        guard !isFinished, !wasAsked else { return }
        requestTail += request
        let end: [UInt8] = [13, 10, 13, 10]
        guard requestTail.indices.contains(where: { requestTail[$0...].starts(with: end) }) else {
            if case .responds = context.settings.application { return }
            requestTail = Array(requestTail.suffix(3))
            return
        }
        wasAsked = true
        switch context.settings.application {
        case .answers(let bytes):
            write(bytes)
            sayGoodbye()
        case .goesOn(let bytes, _), .crumbles(let bytes): write(bytes)
        case .responds(let responder):
            let answer = responder.answer(to: String(decoding: requestTail, as: UTF8.self))
            write(answer.bytes)
            switch answer.ending {
            case .goodbye: sayGoodbye()
            case .cut: isFinished = true
            case .silence: break
            }
        default: break
        }
    }

    /// Writes what has no end: as much as fits a record.
    private func writeOnAndOn() {
        switch context.settings.application {
        case .floods: write([UInt8](repeating: 0, count: 16_384))
        case .renewsKeys:
            for _ in 0..<500 where SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) == 1 { SSL_do_handshake(ssl) }
        case .crumbles where wasAsked: for _ in 0..<500 { write([0x78]) }
        case .goesOn(_, let bytes) where wasAsked && !bytes.isEmpty:
            write((0..<max(1, 16_384 / bytes.count)).flatMap { _ in bytes })
        default: break
        }
    }

    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            ERR_clear_error()
            let count = rest.withUnsafeBytes { SSL_write(ssl, $0.baseAddress, Int32(clamping: $0.count)) }
            guard count > 0 else { return fail("write") }
            rest = rest.dropFirst(Int(count))
        }
    }

    private func sayGoodbye() {
        ERR_clear_error()
        if SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 { SSL_shutdown(ssl) }
        isFinished = true
    }

    private func fail(_ operation: String) {
        let reason = LabError.openSSL(operation).description
        log.update(index) { $0.failure = reason }
        hasFailed = true
        isFinished = true
    }
}
