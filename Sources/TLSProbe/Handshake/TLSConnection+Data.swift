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
        /// Data, and after it the connection failed.
        case failed(ByteBuffer, OpenSSLErrors)
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
            guard result <= 0 else { continue }
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
