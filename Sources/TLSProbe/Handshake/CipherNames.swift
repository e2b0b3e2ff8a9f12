internal import COpenSSL
internal import Synchronization
internal import X509

/// The names of cipher suites, which OpenSSL knows.
package enum CipherNames {
    /// Looked up with; made when a name is first asked for, and never freed.
    private struct Handle: @unchecked Sendable {
        // Nothing of it changes, and the mutex lets one thread at a time look.
        let ssl: OpaquePointer?

        init() {
            OpenSSLNames.learn()
            let context = SSL_CTX_new(TLS_client_method())
            ssl = SSL_new(context)
            SSL_CTX_free(context)
        }
    }

    private static let handle = Mutex(Handle())

    /// OpenSSL's name of each cipher suite, or its number.
    package static func names(of numbers: [UInt16]) -> [String] {
        handle.withLock { handle in
            numbers.map { number in
                let found = withUnsafeBytes(of: number.bigEndian) {
                    SSL_CIPHER_find(handle.ssl, $0.bindMemory(to: UInt8.self).baseAddress)
                }
                return SSL_CIPHER_get_name(found).flatMap { found == nil ? nil : String(cString: $0) }
                    ?? HelloNames.hexadecimal(number)
            }
        }
    }
}
