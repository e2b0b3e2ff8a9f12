/// A log's promise to publish a certificate (SCT, RFC 6962, 3.2), version 1; its signature is not verified.
package struct SignedCertificateTimestamp: Hashable {
    /// SHA-256 of the log's key, which identifies the log.
    package let logID: SHA256Digest
    package let time: Timestamp

    package init(logID: SHA256Digest, time: Timestamp) { (self.logID, self.time) = (logID, time) }
}

/// The timestamps in a leaf and the server's OCSP response; without them no rule for evidence applies.
package struct LeafEvidence: Hashable {
    package enum Staple: Hashable {
        case none
        /// One current answer: the certificate is good.
        case good
        /// An answer of any date: the certificate was revoked, for the reason of this number (RFC 5280, 5.3.1).
        case revoked(at: Timestamp, reason: Int?)
        /// Any other response; the clause describes its fault.
        case unusable(String)
    }

    package let timestamps: [SignedCertificateTimestamp]
    package let staple: Staple

    /// Makes the evidence at a moment, without timestamps from its future (RFC 6962, 5.2).
    package init(timestamps: [SignedCertificateTimestamp], staple: Staple = .none, at time: Timestamp) {
        self.timestamps = timestamps.filter { $0.time <= time }
        self.staple = staple
    }

    package var logs: Int { Set(timestamps.map(\.logID)).count }
    var earliestTimestamp: Timestamp? { timestamps.map(\.time).min() }
}
