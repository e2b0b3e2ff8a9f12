internal import COpenSSL
internal import Pinning

/// A certificate on its way through the search: the value and its parsed form.
struct PathNode: Sendable {
    let certificate: Certificate
    let handle: X509Handle

    init(certificate: Certificate, handle: X509Handle) {
        self.certificate = certificate
        self.handle = handle
    }

    /// A node for a value that crossed a module; `nil` when its bytes are no certificate.
    init?(_ certificate: Certificate) {
        guard let handle = HandleCache.shared.handle(for: certificate) else { return nil }
        self.init(certificate: certificate, handle: handle)
    }

    init?(anchor handle: X509Handle) {
        guard let der = DER.encoding(with: { i2d_X509(handle.pointer, $0) }) else { return nil }
        self.init(certificate: CertificateReader.certificate(from: handle, der: der), handle: handle)
    }
}
