/// A log of certificates, as far as its promises go (RFC 6962): its timestamps are not signed.
public struct LabLog: Sendable {
    /// What the log is known by: 32 bytes.
    public let id: [UInt8]

    /// A new log.
    public init() { id = randomBytes(32) }

    /// A promise to publish a certificate: a SerializedSCT of version 1 (RFC 6962, 3.2).
    ///
    /// - Parameter milliseconds: when, since 1970; `nil` for now.
    /// - Returns: the encoding.
    public func timestamp(milliseconds: UInt64? = nil) -> [UInt8] {
        let time = Self.number(milliseconds ?? UInt64(LabClock.now) * 1_000, 8)
        // Version 1 is written as 0; no extensions, SHA-256, ECDSA and a signature follow.
        return [0] + id + time + [0, 0, 4, 3, 0, 8] + randomBytes(8)
    }

    /// A SignedCertificateTimestampList of these timestamps.
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
    /// Issues a certificate that holds a timestamp of each log.
    public func issue(
        _ template: CertificateTemplate, key: LabKey? = nil, loggedBy logs: [LabLog], milliseconds: UInt64? = nil
    ) throws(LabError) -> LabCertificate {
        let list = LabLog.list(logs.map { $0.timestamp(milliseconds: milliseconds) })
        return try issue(template.with { $0.additionalExtensions.append(LabLog.certificateExtension(list)) }, key: key)
    }
}
