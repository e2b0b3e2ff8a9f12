/// A log of certificates, as far as its promises go (RFC 6962): it signs timestamps and keeps nothing.
public struct LabLog: Sendable {
    /// What a timestamp is for.
    public enum Entry: Sendable {
        /// A certificate in DER.
        case certificate([UInt8])
        /// A TBSCertificate without its timestamps, and SHA-256 of the issuer's SubjectPublicKeyInfo.
        case precertificate([UInt8], issuerKeySHA256: [UInt8])
    }

    /// The log's key.
    public let key: LabKey
    /// What the log is known by: SHA-256 of its SubjectPublicKeyInfo.
    public var id: [UInt8] { key.publicKeySHA256 }

    /// A log with a new key, or this one.
    public init(key: LabKey? = nil) throws(LabError) { self.key = if let key { key } else { try LabKey.generate() } }

    /// Promises to publish an entry: a SerializedSCT of version 1, signed with SHA-256 (RFC 6962, 3.2).
    ///
    /// - Parameters:
    ///   - entry: what is promised.
    ///   - milliseconds: when, since 1970; `nil` for now.
    /// - Returns: the encoding.
    /// - Throws: ``LabError`` when OpenSSL cannot sign.
    public func timestamp(for entry: Entry, milliseconds: UInt64? = nil) throws(LabError) -> [UInt8] {
        let time = Self.number(milliseconds ?? UInt64(LabClock.now) * 1_000, 8)
        let signed: [UInt8] =
            switch entry {
            case .certificate(let der): [0, 0] + Self.number(UInt64(der.count), 3) + der
            case .precertificate(let toBeSigned, let issuer):
                [0, 1] + issuer + Self.number(UInt64(toBeSigned.count), 3) + toBeSigned
            }
        // Version 1 and the kind of the signature, certificate_timestamp, are both written as 0.
        let signature = try key.sign([0, 0] + time + signed + [0, 0], digest: .sha256)
        let kind: UInt8 = if case .rsa = key.algorithm { 1 } else { 3 }
        return [0] + id + time + [0, 0, 4, kind] + Self.number(UInt64(signature.count), 2) + signature
    }

    /// A SignedCertificateTimestampList of these timestamps, as the TLS extension holds it.
    public static func list(_ timestamps: [[UInt8]]) -> [UInt8] {
        let parts = timestamps.flatMap { number(UInt64($0.count), 2) + $0 }
        return number(UInt64(parts.count), 2) + parts
    }

    /// The extension of a certificate that holds a list, right or wrong (RFC 6962, 3.3).
    public static func certificateExtension(_ list: [UInt8]) -> CertificateTemplate.Extension {
        CertificateTemplate.Extension(OID(1, 3, 6, 1, 4, 1, 11129, 2, 4, 2), value: DER.octetString(list))
    }

    private static func number(_ number: UInt64, _ size: Int) -> [UInt8] {
        (1...size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (size - $0))) }
    }
}

extension LabCertificate {
    /// Issues a certificate that holds a timestamp of each log, as an authority does: the logs sign what it will be without them.
    public func issue(
        _ template: CertificateTemplate, key: LabKey? = nil, loggedBy logs: [LabLog], milliseconds: UInt64? = nil
    ) throws(LabError) -> LabCertificate {
        let key = if let key { key } else { try LabKey.generate() }
        let template = template.with { $0.serialNumber = $0.serialNumber ?? [0x40] + randomBytes(15) }
        let toBeSigned = try template.toBeSigned(key: key, issuerName: subject, issuerKey: self.key)
        var timestamps: [[UInt8]] = []
        for log in logs {
            let entry = LabLog.Entry.precertificate(toBeSigned, issuerKeySHA256: publicKeySHA256)
            timestamps.append(try log.timestamp(for: entry, milliseconds: milliseconds))
        }
        let added = LabLog.certificateExtension(LabLog.list(timestamps))
        return try issue(template.with { $0.additionalExtensions.append(added) }, key: key)
    }
}
