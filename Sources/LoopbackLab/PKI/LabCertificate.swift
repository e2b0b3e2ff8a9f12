/// A certificate together with its private key and the template it was made from: what an authority or a server holds.
public struct LabCertificate: Sendable {
    /// The DER encoding.
    public let der: [UInt8]
    /// The subject's key.
    public let key: LabKey
    /// What it was made from.
    public let template: CertificateTemplate
    /// SHA-256 of ``der``.
    public let sha256: [UInt8]

    /// The subject.
    public var subject: DistinguishedName { template.subject }
    /// SHA-256 of the SubjectPublicKeyInfo.
    public var publicKeySHA256: [UInt8] { key.publicKeySHA256 }
    /// The PEM text.
    public var pem: String { LoopbackLab.pem(der, label: "CERTIFICATE") }

    /// Makes a certificate that is its own issuer.
    ///
    /// - Parameters:
    ///   - template: the contents; ``CertificateTemplate/authority(_:pathLength:)`` for a root.
    ///   - key: the key, `nil` for a new P-256 one.
    /// - Returns: the certificate.
    /// - Throws: ``LabError`` when OpenSSL cannot make the key or sign with the template's digest.
    public static func selfSigned(
        _ template: CertificateTemplate, key: LabKey? = nil
    ) throws(LabError) -> LabCertificate {
        let key = if let key { key } else { try LabKey.generate() }
        return try LabCertificate(template, key: key, issuerName: template.subject, issuerKey: key)
    }

    /// Makes so many self-signed authorities, each with a name of its own, for chains that carry what is not needed.
    public static func strangers(_ count: Int) throws(LabError) -> [LabCertificate] {
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
        der = try issuerKey.signed(toBeSigned, digest: template.digest)
        sha256 = LoopbackLab.sha256(der)
        self.key = key
        self.template = template
    }

    /// Issues a certificate with this one's key and name, whether or not this one is allowed to.
    ///
    /// - Parameters:
    ///   - template: the contents of the new certificate.
    ///   - key: its key, `nil` for a new P-256 one.
    /// - Returns: the certificate.
    /// - Throws: ``LabError`` when OpenSSL cannot make the key or sign with the template's digest.
    public func issue(_ template: CertificateTemplate, key: LabKey? = nil) throws(LabError) -> LabCertificate {
        let key = if let key { key } else { try LabKey.generate() }
        return try LabCertificate(template, key: key, issuerName: subject, issuerKey: self.key)
    }

    /// Issues `other` again: the same contents and key, another serial number and so other bytes.
    ///
    /// On an authority that did not issue `other` this is a cross-signature.
    public func reissue(
        _ other: LabCertificate, changing change: (inout CertificateTemplate) -> Void = { _ in }
    ) throws(LabError) -> LabCertificate {
        try issue(other.template.with { $0.serialNumber = nil }.with(change), key: other.key)
    }

    /// Issues `other` again with a new key, of the same kind as the old one unless `key` is given.
    public func renew(
        _ other: LabCertificate, key: LabKey? = nil, changing change: (inout CertificateTemplate) -> Void = { _ in }
    ) throws(LabError) -> LabCertificate {
        let key = if let key { key } else { try LabKey.generate(other.key.algorithm) }
        return try issue(other.template.with { $0.serialNumber = nil }.with(change), key: key)
    }

    /// Signs the name and key of `authority`, which another root already vouches for: a cross-certificate.
    public func crossSign(_ authority: LabCertificate) throws(LabError) -> LabCertificate { try reissue(authority) }
}

extension LabCertificate: Hashable {
    /// Whether both have the same DER encoding.
    public static func == (left: LabCertificate, right: LabCertificate) -> Bool { left.der == right.der }

    /// Feeds the hash of the encoding.
    public func hash(into hasher: inout Hasher) { hasher.combine(sha256) }
}

extension LabKey {
    /// The DER encoding of a certification request (RFC 2986) for this key, without attributes.
    public func certificationRequest(
        _ subject: DistinguishedName, digest: SignatureDigest = .sha256
    ) throws(LabError) -> [UInt8] {
        let information = DER.sequence(DER.integer([0]), subject.der, publicKeyInfo, DER.explicit(0, []))
        return try signed(information, digest: digest)
    }
}
