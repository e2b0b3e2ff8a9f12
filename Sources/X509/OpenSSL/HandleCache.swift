internal import Pinning
internal import Synchronization

/// Certificates that were seen lately, as values and in parsed form, so that neither has to be made again.
///
/// Parsing costs more than a signature check of the usual kind (about 0.15 ms in OpenSSL 3.0, most of it for finding a
/// decoder for the key), and chains of different servers share their intermediates.
final class HandleCache: Sendable {
    static let shared = HandleCache()

    /// More than any batch has distinct authorities at work at one time.
    private static let countLimit = 1_024
    /// Holds down what hostile servers with huge certificates can make this process keep, in bytes of DER.
    private static let sizeLimit = 16 << 20

    private struct Entries {
        var known: [SHA256Digest: (certificate: Certificate, handle: X509Handle)] = [:]
        var size = 0
    }

    private let entries = Mutex(Entries())

    /// The parsed form of `certificate`, `nil` when its bytes are no certificate.
    func handle(for certificate: Certificate) -> X509Handle? {
        if let known = entries.withLock({ $0.known[certificate.fingerprint] }) { return known.handle }
        guard let handle = X509Handle(der: certificate.der) else { return nil }
        remember(handle, for: certificate)
        return handle
    }

    /// The value of the certificate whose DER is `der`, `nil` when it was not seen lately.
    func certificate(der: [UInt8], fingerprint: SHA256Digest) -> Certificate? {
        let known = entries.withLock { $0.known[fingerprint]?.certificate }
        return known?.der == der ? known : nil
    }

    func remember(_ handle: X509Handle, for certificate: Certificate) {
        entries.withLock { entries in
            if entries.known.count >= Self.countLimit || entries.size + certificate.der.count > Self.sizeLimit {
                entries = Entries()
            }
            if entries.known.updateValue((certificate, handle), forKey: certificate.fingerprint) == nil {
                entries.size += certificate.der.count
            }
        }
    }
}
