import Base
import X509

/// Whether the OpenSSL of this machine can be used at all.
package enum OpenSSLHealth {
    /// Throws when OpenSSL's configuration leaves it without algorithms, which would otherwise show as a crash.
    ///
    /// It sets OpenSSL up: only for commands that are about to read certificates anyway.
    package static func require() throws(CheckError) {
        guard !Hashing.isAvailable else { return }
        throw .said(
            .software,
            "OpenSSL offers no SHA-256: its default provider is not active; check the file that OPENSSL_CONF names")
    }
}
