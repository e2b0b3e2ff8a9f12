package struct LabCertificate: Hashable {
    package private(set) var der: [UInt8]
    package let key: LabKey
    package let template: CertificateTemplate

    package var subject: DistinguishedName { template.subject }
    package var sha256: [UInt8] { LoopbackLab.sha256(der) }
    package var publicKeySHA256: [UInt8] { key.publicKeySHA256 }
    package var pem: String { LoopbackLab.pem(der, label: "CERTIFICATE") }

    package static func selfSigned(_ template: CertificateTemplate, key: LabKey? = nil) throws(LabError) -> Self {
        let key = if let key { key } else { try LabKey.generate() }
        return try Self(template, key: key, issuerName: template.subject, issuerKey: key)
    }

    /// Makes self-signed CAs with different names, for chains with needless certificates.
    package static func strangers(_ count: Int) throws(LabError) -> [LabCertificate] {
        var strangers: [LabCertificate] = []
        for number in 0..<count {
            strangers.append(try selfSigned(.authority(DistinguishedName(commonName: "Stranger \(number)"))))
        }
        return strangers
    }

    private init(
        _ template: CertificateTemplate, key: LabKey, issuerName: DistinguishedName, issuerKey: LabKey
    ) throws(LabError) {
        let toBeSigned = try template.toBeSigned(key: key, issuerName: issuerName, issuerKey: issuerKey)
        der = try issuerKey.signedStructure(toBeSigned, digest: template.digest, saying: template.outerAlgorithm)
        self.key = key
        self.template = template
    }

    /// Issues a certificate with this one's key and name, even if this one's extensions forbid it.
    package func issue(_ template: CertificateTemplate, key: LabKey? = nil) throws(LabError) -> Self {
        let key = if let key { key } else { try LabKey.generate() }
        return try Self(template, key: key, issuerName: subject, issuerKey: self.key)
    }

    package func withBrokenSignature() -> Self {
        var copy = self
        copy.der[copy.der.count - 1] ^= 1
        return copy
    }

    /// Issues `other` again with the same key and a new serial number; by another CA it is a cross-signature.
    package func reissue(
        _ other: LabCertificate, changing change: (inout CertificateTemplate) -> Void = { _ in }
    ) throws(LabError) -> Self {
        try issue(other.template.with { $0.serialNumber = nil }.with(change), key: other.key)
    }

    /// Issues `other` again with a new key, by default of the same algorithm.
    package func renew(
        _ other: LabCertificate, key: LabKey? = nil, changing change: (inout CertificateTemplate) -> Void = { _ in }
    ) throws(LabError) -> Self {
        let key = if let key { key } else { try LabKey.generate(other.key.algorithm) }
        return try issue(other.template.with { $0.serialNumber = nil }.with(change), key: key)
    }

    package static func == (left: Self, right: Self) -> Bool { left.der == right.der }

    package func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension LabKey {
    /// A PKCS #10 request for a certificate with this key (RFC 2986, 4), in DER, without attributes.
    package func certificationRequest(for subject: DistinguishedName) throws(LabError) -> [UInt8] {
        let information = DER.sequence(DER.integer([0]), subject.der, publicKeyInfo, DER.explicit(0, []))
        return try signedStructure(information, digest: .sha256)
    }
}

extension CertificateTemplate {
    /// The TBSCertificate (RFC 5280, 4.1), ready to be signed by `issuerKey`.
    func toBeSigned(key: LabKey, issuerName: DistinguishedName, issuerKey: LabKey) throws(LabError) -> [UInt8] {
        // With the first bit clear and the second set, the random number is positive and exactly 16 bytes long.
        let serial = serialNumber ?? [randomBytes(1)[0] & 0x3f | 0x40] + randomBytes(15)
        let extensions = encodedExtensions(key: key, issuerKey: issuerKey)
        return DER.sequence(
            version == 1 ? [] : DER.explicit(0, DER.integer([version - 1])), DER.integer(serial),
            try issuerKey.signatureAlgorithm(digest),
            (issuer ?? issuerName).der, DER.sequence(DER.time(notBefore), DER.time(notAfter)), subject.der,
            publicKeyInfo ?? key.publicKeyInfo, extensions.isEmpty ? [] : DER.explicit(3, DER.element(0x30, extensions))
        )
    }

    private func encodedExtensions(key: LabKey, issuerKey: LabKey) -> [UInt8] {
        var encoded: [UInt8] = []
        func add(_ arc: UInt, critical: Bool = false, _ value: [UInt8]) {
            encoded += Extension(OID(2, 5, 29, arc), isCritical: critical, value: value).der
        }
        if let isAuthority {
            // DER omits default values, here FALSE (X.690, 11.5).
            let limit = pathLength.map { DER.integer(DER.minimalBytes(UInt($0))) } ?? []
            add(19, critical: true, DER.sequence(isAuthority ? DER.boolean(true) + limit : []))
        }
        if let keyUsage { add(15, critical: true, DER.namedBits(keyUsage.map(\.rawValue))) }
        if let extendedKeyUsage { add(37, DER.element(0x30, extendedKeyUsage.flatMap(\.der))) }
        if let identifier = subjectKeyIdentifier.bytes(for: key) { add(14, DER.octetString(identifier)) }
        if let identifier = authorityKeyIdentifier.bytes(for: issuerKey) {
            add(35, DER.sequence(DER.implicit(0, identifier)))
        }
        if !alternativeNames.isEmpty { add(17, DER.element(0x30, alternativeNames.flatMap(\.der))) }
        let subtrees = [permittedNames, excludedNames].enumerated().flatMap { tag, bases in
            bases.isEmpty ? [] : DER.explicit(UInt8(tag), bases.flatMap { DER.sequence($0.der) })
        }
        if !subtrees.isEmpty { add(30, critical: true, DER.element(0x30, subtrees)) }
        return encoded + additionalExtensions.flatMap(\.der)
    }
}

extension CertificateTemplate.KeyIdentifier {
    /// The identifier; a derived one is the first 160 bits of the SubjectPublicKeyInfo's SHA-256 (as in RFC 7093, 2).
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

/// The trust settings of a certificate in a store, in OpenSSL's own format (`openssl x509 -trustout`).
package struct TrustSettings: Hashable {
    /// The only purposes for which the certificate is trusted; an empty list means all.
    var trusted: [OID] = []
    var rejected: [OID] = []

    package init(trusted: [OID] = [], rejected: [OID] = []) { (self.trusted, self.rejected) = (trusted, rejected) }

    /// The `X509_CERT_AUX` that `d2i_X509_AUX` reads after the certificate.
    package var der: [UInt8] {
        DER.sequence(
            trusted.isEmpty ? [] : DER.element(0x30, trusted.flatMap(\.der)),
            rejected.isEmpty ? [] : DER.explicit(0, rejected.flatMap(\.der)))
    }
}

extension LabCertificate {
    package func pem(_ settings: TrustSettings) -> String {
        LoopbackLab.pem(der + settings.der, label: "TRUSTED CERTIFICATE")
    }
}
