internal import COpenSSL

/// A `TRUSTED CERTIFICATE`: a certificate followed by OpenSSL's trust settings.
///
/// The settings belong to the store the block stands in. They are read here and kept apart from the certificate, which others may
/// use under other settings, or under none.
struct TrustedCertificate {
    let der: [UInt8]
    /// Whether the settings forbid to trust the certificate for TLS servers (`X509_check_trust`): they reject that purpose, or trust
    /// others only.
    let isDistrusted: Bool
    /// Whether more bytes follow, whose meaning is not known.
    let hasTail: Bool

    /// Parses exactly one block's bytes (`d2i_X509_AUX`); `nil` when they are anything else.
    init?(_ bytes: [UInt8]) {
        self.init(beginning: bytes)
        guard !hasTail else { return nil }
    }

    /// Parses what `bytes` begin with; `nil` when that is no certificate, or is followed by broken settings.
    init?(beginning bytes: [UInt8]) { self.init(bytes, parse: d2i_X509_AUX) }

    /// Parses the certificate that `bytes` begin with, whatever follows (`d2i_X509`); `nil` when they begin with anything else.
    init?(ignoringSettingsOf bytes: [UInt8]) { self.init(bytes, parse: d2i_X509) }

    private init?(
        _ bytes: [UInt8],
        parse: (UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) ->
            OpaquePointer?
    ) {
        guard COpenSSL_certificate(bytes, bytes.count) == 0 else { return nil }
        OpenSSLNames.learn()
        OpenSSLFailure.forget()
        defer { OpenSSLFailure.forget() }
        var isEnd = false
        let parsed = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let certificate = parse(nil, &cursor, buffer.count)
            isEnd = cursor == buffer.baseAddress.map { $0 + buffer.count }
            return certificate
        }
        guard let parsed else { return nil }
        defer { X509_free(parsed) }
        guard let der = DER.encoding(with: { i2d_X509(parsed, $0) }) else { return nil }
        self.der = der
        isDistrusted = X509_check_trust(parsed, X509_TRUST_SSL_SERVER, 0) == X509_TRUST_REJECTED
        hasTail = !isEnd
    }
}
