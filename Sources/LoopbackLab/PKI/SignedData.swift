/// The certificates in a PKCS #7 message without anything signed, as `.p7b` files are (RFC 5652, 5.1), in DER.
public func signedData(of certificates: [LabCertificate]) -> [UInt8] {
    let content = DER.sequence(
        DER.integer([1]), DER.element(0x31, []), DER.sequence(OID(1, 2, 840, 113549, 1, 7, 1).der),
        DER.explicit(0, certificates.flatMap(\.der)), DER.element(0x31, []))
    return DER.sequence(OID(1, 2, 840, 113549, 1, 7, 2).der, DER.explicit(0, content))
}
