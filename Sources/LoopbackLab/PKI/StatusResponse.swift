import COpenSSL

/// An OCSP response about one certificate (RFC 6960, 4.2), valid or not.
package struct StatusResponse: Changeable {
    package enum Status: Hashable {
        case good
        /// Revoked at a time in seconds since 1970, with the number of a CRLReason (RFC 5280, 5.3.1).
        case revoked(at: Int64, reason: UInt8?)
        case unknown
    }

    package var status = Status.good
    /// The hash of the issuer's name and key; nearly all responders use SHA-1.
    package var digest = SignatureDigest.sha1
    /// The time at which the status is known to be right, in seconds since 1970.
    package var thisUpdate = LabClock.now - LabClock.hour
    /// The time of the next response, in seconds since 1970; `nil` leaves it out.
    package var nextUpdate: Int64? = LabClock.now + 7 * LabClock.day
    /// Further statuses in the same response; their own `responder` and `others` are ignored.
    package var others: [StatusResponse] = []
    /// The responder, whose certificate is then sent along; `nil` if the issuer signs.
    package var responder: LabCertificate?

    package init() {}

    /// An error response (RFC 6960, 4.2.1); status 3 is tryLater.
    package static func refusal(status: UInt8) -> [UInt8] { DER.sequence(DER.element(0x0A, [status])) }

    package func der(about certificate: LabCertificate, from issuer: LabCertificate) throws(LabError) -> [UInt8] {
        let signer = responder ?? issuer
        let data = DER.sequence(
            DER.explicit(1, signer.subject.der), DER.generalizedTime(thisUpdate),
            DER.sequence(([self] + others).flatMap { $0.single(certificate, issuer) }))
        let algorithm = try signer.key.signatureAlgorithm(.sha256)
        let signature = try signer.key.sign(data, digest: .sha256)
        let certificates = responder.map { DER.explicit(0, DER.sequence($0.der)) } ?? []
        let basic = DER.sequence(data, algorithm, DER.bitString(signature), certificates)
        let kind = OID(1, 3, 6, 1, 5, 5, 7, 48, 1, 1)
        return DER.sequence(DER.element(0x0A, [0]), DER.explicit(0, DER.sequence(kind.der, DER.octetString(basic))))
    }

    private func single(_ certificate: LabCertificate, _ issuer: LabCertificate) -> [UInt8] {
        let subject = certificate.openSSL
        let authority = issuer.openSSL
        let identifier = OCSP_cert_to_id(EVP_get_digestbyname(digest.rawValue), subject, authority)
        defer {
            OCSP_CERTID_free(identifier)
            X509_free(subject)
            X509_free(authority)
        }
        return DER.sequence(
            encoded { i2d_OCSP_CERTID(identifier, $0) }, encodedStatus, DER.generalizedTime(thisUpdate),
            nextUpdate.map { DER.explicit(0, DER.generalizedTime($0)) } ?? [])
    }

    private var encodedStatus: [UInt8] {
        switch status {
        case .good: DER.implicit(0, [])
        case .unknown: DER.implicit(2, [])
        case .revoked(let time, let reason):
            DER.explicit(1, DER.generalizedTime(time) + (reason.map { DER.explicit(0, DER.element(0x0A, [$0])) } ?? []))
        }
    }
}

/// A certificate-transparency log (RFC 6962), whose timestamps have random bytes as signatures.
package struct LabLog {
    package let id: [UInt8]

    package init() { id = randomBytes(32) }

    /// A SerializedSCT of version 1 (RFC 6962, 3.2); the time is in milliseconds since 1970, by default now.
    package func timestamp(milliseconds: UInt64? = nil) -> [UInt8] {
        let time = Self.number(milliseconds ?? UInt64(LabClock.now) * 1_000, 8)
        // Version 1 is written as 0; no extensions, SHA-256, ECDSA and a signature follow.
        return [0] + id + time + [0, 0, 4, 3, 0, 8] + randomBytes(8)
    }

    package static func list(_ timestamps: [[UInt8]]) -> [UInt8] {
        let parts = timestamps.flatMap { number(UInt64($0.count), 2) + $0 }
        return number(UInt64(parts.count), 2) + parts
    }

    /// The certificate extension with a list of timestamps, well-formed or not (RFC 6962, 3.3).
    package static func certificateExtension(_ list: [UInt8]) -> CertificateTemplate.Extension {
        CertificateTemplate.Extension(OID(1, 3, 6, 1, 4, 1, 11129, 2, 4, 2), value: DER.octetString(list))
    }

    private static func number(_ number: UInt64, _ size: Int) -> [UInt8] {
        (1...size).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * (size - $0))) }
    }
}

extension LabCertificate {
    package func issue(
        _ template: CertificateTemplate, key: LabKey? = nil, loggedBy logs: [LabLog], milliseconds: UInt64? = nil
    ) throws(LabError) -> Self {
        let list = LabLog.list(logs.map { $0.timestamp(milliseconds: milliseconds) })
        return try issue(template.with { $0.additionalExtensions.append(LabLog.certificateExtension(list)) }, key: key)
    }
}
