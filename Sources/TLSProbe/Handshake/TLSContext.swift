import COpenSSL
import Synchronization
import X509

/// Owns the `SSL_CTX` of an event loop's probes; it verifies nothing, because chains are judged later.
final class TLSContext {
    /// The largest accepted Certificate message, in bytes; a certificate with ten thousand names has about 300 KB.
    static let certificateListLimit = 2 << 20
    /// The most accepted certificates: reading one costs more than a signature check, and honest servers send few.
    static let certificateCountLimit = 256

    private static let libraries = Mutex<[Int: UInt]>([:])

    /// The `OSSL_LIB_CTX` of a loop, for the life of the process: two loops that share one lose a third of their time.
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

    /// Creates the context; the first in a process initialises OpenSSL (about 2 ms).
    init(in library: OpaquePointer? = nil) throws(OpenSSLSetUpError) {
        COpenSSL_learn_names()
        ERR_clear_error()
        guard let pointer = SSL_CTX_new_ex(library, nil, TLS_client_method()) else { throw OpenSSLSetUpError() }
        self.pointer = pointer
        // Level 0, so that an RSA-1024 key or SHA-1 signatures give a readable verdict instead of an alert.
        SSL_CTX_set_security_level(pointer, 0)
        SSL_CTX_set_security_callback(pointer, COpenSSL_allows)
        // BoringSSL and Apple do not have DHE, for which a client pays a hundred times the price of a curve.
        guard SSL_CTX_set_cipher_list(pointer, "ALL:!aNULL:!eNULL:!PSK:!SRP:!kDHE:@SECLEVEL=0") == 1 else {
            throw OpenSSLSetUpError()
        }
        _ = SSL_CTX_set_options(pointer, COpenSSL_options())
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(SSL_MODE_RELEASE_BUFFERS), nil)
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MAX_CERT_LIST, Self.certificateListLimit, nil)
        SSL_CTX_set_verify(pointer, SSL_VERIFY_NONE, nil)
        // OpenSSL builds and verifies a path even if the result is ignored; the callback saves the time.
        SSL_CTX_set_cert_verify_callback(pointer, { _, _ in 1 }, nil)
        SSL_CTX_set_msg_callback(pointer) { isWritten, _, type, message, length, ssl, _ in
            guard isWritten == 0, type == SSL3_RT_HANDSHAKE, let message, length > 0 else { return }
            TLSConnection.owner(of: ssl)?.examine(UnsafeRawBufferPointer(start: message, count: length))
        }
        SSL_CTX_set_client_cert_cb(pointer) { ssl, _, _ in
            TLSConnection.owner(of: ssl)?.noteClientCertificateRequest()
            return 0
        }
        ERR_clear_error()
    }

    deinit { SSL_CTX_free(pointer) }
}

struct OpenSSLSetUpError: Error { let detail = OpenSSLErrors.take().text }

extension ClientIdentity {
    /// Has `ssl` send the certificates if the server requests them.
    func use(on ssl: OpaquePointer) -> Bool {
        guard SSL_use_certificate(ssl, certificates.first?.pointer) == 1, SSL_use_PrivateKey(ssl, key) == 1 else {
            return false
        }
        // OpenSSL calls this callback if a certificate is set, and the context's otherwise.
        SSL_set_cert_cb(
            ssl,
            { ssl, _ in
                TLSConnection.owner(of: ssl)?.noteClientCertificateRequest()
                return 1
            }, nil)
        return certificates.dropFirst().allSatisfy {
            SSL_ctrl(ssl, SSL_CTRL_CHAIN_CERT, 1, UnsafeMutableRawPointer($0.pointer)) == 1
        }
    }
}
