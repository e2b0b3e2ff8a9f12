/// What a store says of a certificate beside it, in OpenSSL's own format (`openssl x509 -trustout`).
package struct TrustSettings: Sendable, Hashable {
    /// The purposes the certificate is trusted for and no others; none for all.
    package var trusted: [OID] = []
    /// The purposes it is never trusted for.
    package var rejected: [OID] = []

    /// Settings for some purposes.
    package init(trusted: [OID] = [], rejected: [OID] = []) {
        self.trusted = trusted
        self.rejected = rejected
    }

    /// `X509_CERT_AUX`: what `d2i_X509_AUX` finds behind the certificate.
    package var der: [UInt8] {
        DER.sequence(
            trusted.isEmpty ? [] : DER.element(0x30, trusted.flatMap(\.der)),
            rejected.isEmpty ? [] : DER.explicit(0, rejected.flatMap(\.der))
        )
    }
}

extension LabCertificate {
    /// The certificate with trust settings, as PEM.
    package func pem(_ settings: TrustSettings) -> String {
        LoopbackLab.pem(der + settings.der, label: "TRUSTED CERTIFICATE")
    }
}
