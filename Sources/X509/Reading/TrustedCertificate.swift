import COpenSSL
import Pinning

/// A `TRUSTED CERTIFICATE`: a certificate followed by the trust settings of the store that contains it.
struct TrustedCertificate {
    let der: [UInt8]
    /// `true` if the settings reject TLS servers, or trust only other purposes (`X509_check_trust`).
    let isDistrusted: Bool

    /// Parses exactly one such block (`d2i_X509_AUX`); `nil` if the bytes are anything else.
    init?(_ bytes: [UInt8]) {
        guard COpenSSL_certificate(bytes, bytes.count) == 0,
            let parsed = DER.decoded(bytes, free: { X509_free($0) }, { d2i_X509_AUX(nil, $0, $1) })
        else { return nil }
        defer { X509_free(parsed) }
        guard let der = DER.encoding(with: { i2d_X509(parsed, $0) }) else { return nil }
        self.der = der
        isDistrusted = X509_check_trust(parsed, X509_TRUST_SSL_SERVER, 0) == X509_TRUST_REJECTED
    }
}
