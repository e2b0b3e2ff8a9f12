/// What a store says of a certificate beside it, in OpenSSL's own format (`openssl x509 -trustout`).
public struct TrustSettings: Sendable, Hashable {
    /// The purposes the certificate is trusted for and no others; none for all.
    public var trusted: [OID] = []
    /// The purposes it is never trusted for.
    public var rejected: [OID] = []

    /// Settings for some purposes.
    public init(trusted: [OID] = [], rejected: [OID] = []) {
        self.trusted = trusted
        self.rejected = rejected
    }

    /// `X509_CERT_AUX`: what `d2i_X509_AUX` finds behind the certificate.
    public var der: [UInt8] {
        DER.sequence(
            trusted.isEmpty ? [] : DER.element(0x30, trusted.flatMap(\.der)),
            rejected.isEmpty ? [] : DER.explicit(0, rejected.flatMap(\.der)))
    }
}

extension LabCertificate {
    /// The certificate with trust settings, as PEM.
    public func pem(_ settings: TrustSettings) -> String {
        LoopbackLab.pem(der + settings.der, label: "TRUSTED CERTIFICATE")
    }
}
