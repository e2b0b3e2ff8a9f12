extension LabKey {
    /// A PKCS #10 request for a certificate with this key (RFC 2986, 4), in DER, without attributes.
    public func certificationRequest(for subject: DistinguishedName) throws(LabError) -> [UInt8] {
        let info = DER.sequence(DER.integer([0]), subject.der, publicKeyInfo, DER.explicit(0, []))
        return try signed(info, digest: .sha256)
    }
}
