internal import COpenSSL

/// A `TRUSTED CERTIFICATE`: a certificate followed by OpenSSL's trust settings.
///
/// The settings belong to the store the block stands in. They are read here and kept apart from the certificate, which others may
/// use under other settings, or under none.
struct TrustedCertificate {
    /// The certificate alone, in DER.
    let der: [UInt8]
    /// Whether the settings forbid to trust the certificate for TLS servers (`X509_check_trust`): they reject that purpose, or trust
    /// others only.
    let isDistrusted: Bool

    /// Parses exactly one block's bytes (`d2i_X509_AUX`); `nil` when they are anything else.
    init?(_ bytes: [UInt8]) {
        OpenSSLFailure.forget()
        let parsed = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            guard let certificate = d2i_X509_AUX(nil, &cursor, buffer.count) else { return nil }
            guard cursor == buffer.baseAddress.map({ $0 + buffer.count }) else {
                X509_free(certificate)
                return nil
            }
            return certificate
        }
        guard let parsed else { return nil }
        defer { X509_free(parsed) }
        guard let der = DER.encoding(with: { i2d_X509(parsed, $0) }) else { return nil }
        self.der = der
        isDistrusted = X509_check_trust(parsed, X509_TRUST_SSL_SERVER, 0) == X509_TRUST_REJECTED
    }
}
