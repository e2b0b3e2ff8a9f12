internal import COpenSSL
package import Pinning

/// SHA-256 by OpenSSL.
package enum Hashing {
    /// Fetched once: looking the algorithm up by name each time costs more than hashing a certificate does.
    ///
    /// Unsafe only to the compiler: an `EVP_MD` never changes, and this one lives as long as the process.
    nonisolated(unsafe) private static let configured = EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) fileprivate static let sha256 = configured ?? unconfigured()

    /// A digest of the default provider where OpenSSL's configuration leaves that out: no hash here depends on what anybody configures.
    private static func unconfigured() -> OpaquePointer? {
        guard let library = OSSL_LIB_CTX_new(), OSSL_PROVIDER_load(library, "default") != nil else { return nil }
        return EVP_MD_fetch(library, "SHA256", nil)
    }

    /// Whether OpenSSL has what everything here rests on; it has not when its configuration leaves the default provider out.
    package static var isAvailable: Bool { configured != nil }

    /// The SHA-256 hash of `bytes` (`EVP_Digest`).
    package static func sha256(_ bytes: [UInt8]) -> SHA256Digest {
        var digest = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
        let status = EVP_Digest(bytes, bytes.count, &digest, nil, sha256, nil)
        guard status == 1, let digest = SHA256Digest(bytes: digest) else {
            preconditionFailure("OpenSSL offers no SHA-256, not even by its default provider")
        }
        return digest
    }
}

/// A SHA-256 hash of bytes that come in parts (`EVP_DigestUpdate`).
///
/// Not Sendable: one thread at a time adds to it.
package final class RunningSHA256 {
    private let context: OpaquePointer

    package init() {
        guard let context = EVP_MD_CTX_new() else {
            preconditionFailure("OpenSSL gives no context only when memory is out")
        }
        self.context = context
        restart()
    }

    deinit { EVP_MD_CTX_free(context) }

    package func restart() {
        guard EVP_DigestInit_ex(context, Hashing.sha256, nil) == 1 else {
            preconditionFailure("OpenSSL offers no SHA-256, not even by its default provider")
        }
    }

    package func add(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    /// The hash of all that was added; nothing is added afterwards.
    package func finish() -> SHA256Digest {
        var digest = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1, let value = SHA256Digest(bytes: digest) else {
            preconditionFailure("OpenSSL offers no SHA-256, not even by its default provider")
        }
        return value
    }
}
