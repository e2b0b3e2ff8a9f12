internal import COpenSSL
internal import Synchronization
internal import X509

/// Owns the `SSL_CTX` all probes of one event loop share.
///
/// It trusts nothing and verifies nothing: the chain is judged later. Not Sendable: it belongs to the event loop's thread.
final class TLSContext {
    /// The largest Certificate message taken, in bytes: ten thousand names in a certificate are about 300 KB.
    static let certificateListLimit = 2 << 20
    /// The most certificates taken: reading one costs more than checking a signature, and no honest server sends a tenth of it.
    static let certificateCountLimit = 256

    private static let libraries = Mutex<[Int: UInt]>([:])

    /// An `OSSL_LIB_CTX` of the loop's own, set up by the same configuration file; it lives as long as the process.
    ///
    /// OpenSSL locks what it keeps in one: two loops that share it lose a third of their time.
    static func library(ofLoop index: Int) -> OpaquePointer? {
        let address = libraries.withLock { made -> UInt? in
            if let known = made[index] { return known }
            guard let library = OSSL_LIB_CTX_new() else { return nil }
            _ = OSSL_LIB_CTX_load_config(library, nil)
            made[index] = UInt(bitPattern: library)
            return made[index]
        }
        return address.flatMap(OpaquePointer.init(bitPattern:))
    }

    let pointer: OpaquePointer

    /// Makes the context with `SSL_CTX_new_ex`; the first one in a process initialises OpenSSL (about 2 ms).
    ///
    /// - Throws: ``OpenSSLSetUpError`` when OpenSSL lacks something it needs, such as its provider.
    init(in library: OpaquePointer? = nil) throws(OpenSSLSetUpError) {
        OpenSSLNames.learn()
        OpenSSLErrors.clear()
        guard let pointer = SSL_CTX_new_ex(library, nil, TLS_client_method()) else { throw OpenSSLSetUpError() }
        self.pointer = pointer
        // Level 0, so that a server with an RSA-1024 key or SHA-1 signatures ends in a readable verdict instead of an alert.
        SSL_CTX_set_security_level(pointer, 0)
        SSL_CTX_set_security_callback(pointer, COpenSSL_allows)
        // Everything OpenSSL can do but suites without authentication, without encryption, or with shared secrets, and those that agree
        // on a key in a finite field: BoringSSL and Apple have none, and they cost a client a hundred times what a curve costs.
        guard SSL_CTX_set_cipher_list(pointer, "ALL:!aNULL:!eNULL:!PSK:!SRP:!kDHE:@SECLEVEL=0") == 1 else {
            throw OpenSSLSetUpError()
        }
        _ = SSL_CTX_set_options(pointer, COpenSSL_options())
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_CERT_LIST, Self.certificateListLimit, nil)
        SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
        // OpenSSL builds and judges a path even if the outcome is ignored; this keeps it from spending the time.
        SSL_CTX_set_cert_verify_callback(pointer, { _, _ in 1 }, nil)
        SSL_CTX_set_msg_callback(pointer) { isWritten, _, type, message, length, ssl, _ in
            guard isWritten == 0, type == SSL3_RT_HANDSHAKE, let message, length > 0 else { return }
            TLSConnection.owner(of: ssl)?.examine(UnsafeRawBufferPointer(start: message, count: length))
        }
        SSL_CTX_set_client_cert_cb(pointer) { ssl, _, _ in
            TLSConnection.owner(of: ssl)?.noteClientCertificateRequest()
            return 0
        }
        OpenSSLErrors.clear()
    }

    deinit { SSL_CTX_free(pointer) }
}

/// OpenSSL could not be set up: what it said about it.
struct OpenSSLSetUpError: Error { let detail = OpenSSLErrors.take().text }

extension ClientIdentity {
    /// Has `ssl` send the certificates when it is asked to; returns false when OpenSSL refuses.
    func use(on ssl: OpaquePointer) -> Bool {
        guard SSL_use_certificate(ssl, certificates.first) == 1, SSL_use_PrivateKey(ssl, key) == 1 else { return false }
        // Without a certificate OpenSSL asks the context's callback for one; with one it asks this.
        SSL_set_cert_cb(
            ssl,
            { ssl, _ in
                TLSConnection.owner(of: ssl)?.noteClientCertificateRequest()
                return 1
            }, nil)
        return certificates.dropFirst().allSatisfy {
            SSL_ctrl(ssl, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer($0)) == 1
        }
    }
}
