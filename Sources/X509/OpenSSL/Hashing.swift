import Base
import COpenSSL
package import Pinning

package enum Hashing {
    /// SHA-256, fetched once, because a look-up by name costs more than hashing a certificate.
    ///
    /// Threads may share it: an `EVP_MD` is immutable, and this one is never freed.
    nonisolated(unsafe) private static let configured = EVP_MD_fetch(nil, "SHA256", nil)
    nonisolated(unsafe) fileprivate static let sha256 = configured ?? fetchUnconfigured()

    /// Loads the default provider, because OpenSSL's configuration (openssl.cnf) does not.
    private static func fetchUnconfigured() -> OpaquePointer? {
        guard let library = OSSL_LIB_CTX_new(), OSSL_PROVIDER_load(library, "default") != nil else { return nil }
        return EVP_MD_fetch(library, "SHA256", nil)
    }

    /// Sets OpenSSL up; throws if its configuration leaves it without algorithms, because a later call would crash.
    package static func require() throws(Problem) {
        guard configured == nil else { return }
        throw .software(
            "OpenSSL offers no SHA-256: its default provider is not active; check the file that OPENSSL_CONF names")
    }

    /// Sets OpenSSL up by the file that OPENSSL_CONF names, if it is set; OpenSSL reads it to its end.
    package static func requireNamedConfiguration() throws(Problem) {
        guard let path = getenv("OPENSSL_CONF").map({ String(cString: $0) }) else { return }
        guard !isEndless(path) else {
            throw .noInput(
                "OpenSSL's configuration \(quoted(path)) is not a regular file of at most 1 MiB: let OPENSSL_CONF name "
                    + "another, or /dev/null for none")
        }
        try require()
    }

    /// `true` if a read of the file may never end or fill the memory.
    private static func isEndless(_ path: String) -> Bool {
        var (status, null) = (stat(), stat())
        guard stat(path, &status) == 0 else { return false }
        switch FileKind(status) {
        case .regular: return status.st_size > 1 << 20
        // OpenSSL reports a directory as unreadable.
        case .directory: return false
        default: return stat("/dev/null", &null) != 0 || null.st_rdev != status.st_rdev
        }
    }

    package static func sha256(_ bytes: [UInt8]) -> SHA256Digest {
        var digest = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
        let status = EVP_Digest(bytes, bytes.count, &digest, nil, sha256, nil)
        guard status == 1, let digest = SHA256Digest(bytes: digest) else { fail() }
        return digest
    }

    fileprivate static func fail() -> Never {
        preconditionFailure("OpenSSL offers no SHA-256, not even by its default provider")
    }
}

/// Hashes bytes that arrive in parts (`EVP_DigestUpdate`), on one thread at a time.
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

    package func restart() { guard EVP_DigestInit_ex(context, Hashing.sha256, nil) == 1 else { Hashing.fail() } }

    package func add(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    /// The hash of all added bytes; none may be added afterwards.
    package func finish() -> SHA256Digest {
        var digest = [UInt8](repeating: 0, count: SHA256Digest.byteCount)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1, let value = SHA256Digest(bytes: digest) else {
            Hashing.fail()
        }
        return value
    }
}

extension SHA256Digest {
    /// Reads 64 hexadecimal digits.
    package init?(hexadecimal digits: String) {
        let values = digits.utf8.compactMap { digit in
            switch digit {
            case 0x30...0x39: digit - 0x30
            case 0x41...0x46, 0x61...0x66: digit & 0x0F + 9
            default: nil as UInt8?
            }
        }
        guard values.count == 64, digits.utf8.count == 64 else { return nil }
        self.init(bytes: stride(from: 0, to: 64, by: 2).map { values[$0] << 4 | values[$0 + 1] })
    }
}
