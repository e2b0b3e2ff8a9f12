extension CertificateTemplate {
    /// The TBSCertificate (RFC 5280, 4.1), ready to be signed by `issuerKey`.
    func toBeSigned(key: LabKey, issuerName: DistinguishedName, issuerKey: LabKey) throws(LabError) -> [UInt8] {
        // A random serial number has its first bit clear and its second set: 16 bytes, positive, never zero.
        let serial = serialNumber ?? [randomBytes(1)[0] & 0x3f | 0x40] + randomBytes(15)
        let extensions = encodedExtensions(key: key, issuerKey: issuerKey)
        return DER.sequence(
            DER.explicit(0, DER.integer([2])), DER.integer(serial), try issuerKey.signatureAlgorithm(digest),
            (issuer ?? issuerName).der, DER.sequence(DER.time(notBefore), DER.time(notAfter)), subject.der,
            key.publicKeyInfo, extensions.isEmpty ? [] : DER.explicit(3, DER.element(0x30, extensions)))
    }

    private func encodedExtensions(key: LabKey, issuerKey: LabKey) -> [UInt8] {
        var encoded: [UInt8] = []
        func add(_ arc: UInt, critical: Bool = false, _ value: [UInt8]) {
            encoded += Extension(OID(2, 5, 29, arc), isCritical: critical, value: value).der
        }
        if let basicConstraints { add(19, critical: basicConstraints.isCritical, basicConstraints.der) }
        if let keyUsage { add(15, critical: true, DER.namedBits(keyUsage.map(\.rawValue))) }
        if let extendedKeyUsage {
            add(37, critical: extendedKeyUsageIsCritical, DER.element(0x30, extendedKeyUsage.flatMap(\.der)))
        }
        if let identifier = subjectKeyIdentifier.bytes(for: key) { add(14, DER.octetString(identifier)) }
        if let identifier = authorityKeyIdentifier.bytes(for: issuerKey) {
            add(35, DER.sequence(DER.implicit(0, identifier)))
        }
        if !alternativeNames.isEmpty {
            add(17, critical: alternativeNamesAreCritical, DER.element(0x30, alternativeNames.flatMap(\.der)))
        }
        if let nameConstraints { add(30, critical: true, nameConstraints.der) }
        return encoded + additionalExtensions.flatMap(\.der)
    }
}

extension CertificateTemplate.BasicConstraints {
    /// The BasicConstraints element; a FALSE cA is left out, as DER wants of a default.
    fileprivate var der: [UInt8] {
        DER.sequence(
            isAuthority ? DER.boolean(true) : [], pathLength.map { DER.integer(DER.minimalBytes(UInt($0))) } ?? [])
    }
}

extension CertificateTemplate.NameConstraints {
    fileprivate var der: [UInt8] { DER.sequence(subtrees(0, permitted), subtrees(1, excluded)) }

    private func subtrees(_ tag: UInt8, _ bases: [GeneralName]) -> [UInt8] {
        bases.isEmpty ? [] : DER.explicit(tag, bases.flatMap { DER.sequence($0.der) })
    }
}

extension CertificateTemplate.KeyIdentifier {
    /// The identifier, `nil` when the extension is to be left out.
    ///
    /// Derived identifiers are the first 160 bits of the SHA-256 of the SubjectPublicKeyInfo, in the manner of RFC 7093, 2.
    fileprivate func bytes(for key: LabKey) -> [UInt8]? {
        switch self {
        case .absent: nil
        case .derived: Array(key.publicKeySHA256.prefix(20))
        case .bytes(let bytes): bytes
        }
    }
}

extension CertificateTemplate.Extension {
    fileprivate var der: [UInt8] {
        DER.sequence(identifier.der, isCritical ? DER.boolean(true) : [], DER.octetString(value))
    }
}
