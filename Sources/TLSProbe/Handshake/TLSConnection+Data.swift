internal import COpenSSL
internal import NIOCore

// What is sent and received once the handshake is complete.
extension TLSConnection {
    /// What could be decrypted of the bytes received so far.
    enum Reading {
        /// Data, which may be empty: more bytes from the server are needed.
        case data(ByteBuffer)
        /// Data, and after it the server said close_notify: there is no more.
        case end(ByteBuffer)
        case failed(ByteBuffer, OpenSSLErrors)
        /// Data, and after it more messages or records than are taken: what there is to say of that.
        case talkative(ByteBuffer, String)
    }

    /// How many messages of TLS itself are taken after the handshake: tickets, and requests for new keys.
    ///
    /// An honest server sends a few tickets, and changes its key after gigabytes. Each change has 26 bytes and costs as many
    /// microseconds, so that a megabyte of them would keep the loop from all others for a second.
    static let messageLimit = 64
    static let tooTalkative = "the server sent more than \(messageLimit) tickets and requests for new keys"
    /// How many records are taken, however little data is in them, and how many more for each byte of data.
    ///
    /// Their number is what costs, not their length: records may be padded to 16 KiB (RFC 8446, 5.4).
    static let recordLimit = 2_048
    static let recordsForByte = 0.25

    /// Has messages of TLS itself and records counted from here on: those of the handshake are over.
    func limitMessages() {
        SSL_set_msg_callback(ssl) { isWritten, _, type, _, _, ssl, _ in
            guard isWritten == 0, type == SSL3_RT_HANDSHAKE || type == SSL3_RT_HEADER, let ssl,
                let context = SSL_get_ex_data(ssl, 0)
            else { return }
            Unmanaged<TLSConnection>.fromOpaque(context).takeUnretainedValue().note(
                isMessage: type == SSL3_RT_HANDSHAKE)
        }
    }

    /// Decrypts what was received (`SSL_read`), which is expected to be so many bytes.
    func read(allocator: ByteBufferAllocator, expecting count: Int = 4_096) -> Reading {
        var data = allocator.buffer(capacity: max(4_096, count))
        while true {
            OpenSSLErrors.clear()
            var result: Int32 = 0
            data.writeWithUnsafeMutableBytes(minimumWritableBytes: 4096) { space in
                result = SSL_read(ssl, space.baseAddress, Int32(clamping: space.count))
                return Int(max(0, result))
            }
            guard result <= 0 else {
                noteData(Int(result))
                continue
            }
            if let talk { return .talkative(data, talk) }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .data(data)
            case SSL_ERROR_ZERO_RETURN: return .end(data)
            default: return .failed(data, OpenSSLErrors.take())
            }
        }
    }

    /// Encrypts all of `data` (`SSL_write`): over memory nothing is ever taken in part; returns false when OpenSSL refuses.
    func write(_ data: ByteBuffer) -> Bool {
        guard data.readableBytes > 0 else { return true }
        OpenSSLErrors.clear()
        return data.withUnsafeReadableBytes { bytes in
            SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count)) > 0
        }
    }
}
