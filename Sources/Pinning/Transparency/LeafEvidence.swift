/// A log's promise to publish a certificate (SCT, RFC 6962, 3.2), version 1.
///
/// Nothing of it is verified: anybody can make one up.
public struct SignedCertificateTimestamp: Sendable, Hashable {
    /// SHA-256 of the log's key: what a log is known by.
    public let logID: SHA256Digest
    /// When the log saw the certificate, in whole seconds.
    public let time: Timestamp

    /// A timestamp of these parts.
    public init(logID: SHA256Digest, time: Timestamp) {
        self.logID = logID
        self.time = time
    }
}

/// What came along with a leaf that speaks for it or against it: the timestamps in the certificate, and an OCSP response.
///
/// Made by whoever saw the server or the file; where there is none, nothing is judged by it.
public struct LeafEvidence: Sendable, Hashable {
    /// What the OCSP response came to that a server sent along.
    public enum Staple: Sendable, Hashable {
        case none
        /// One answer, which is current: the certificate is good.
        case good
        /// An answer about the certificate, which is current: it was taken back, for the reason of this number (RFC 5280, 5.3.1).
        case revoked(at: Timestamp, reason: Int?)
        /// Anything else: what is wrong with it, in a clause about the staple.
        case unusable(String)
    }

    /// The timestamps that count.
    public let timestamps: [SignedCertificateTimestamp]
    /// What the server's OCSP response came to.
    public let staple: Staple

    /// Evidence as of a moment: timestamps from its future do not count (RFC 6962, 5.2).
    public init(timestamps: [SignedCertificateTimestamp], staple: Staple = .none, at time: Timestamp) {
        self.timestamps = timestamps.filter { $0.time <= time }
        self.staple = staple
    }

    /// How many logs the timestamps are from.
    public var logs: Int { Set(timestamps.map(\.logID)).count }

    /// When the first of the logs saw the certificate, `nil` without a timestamp.
    public var earliestTimestamp: Timestamp? { timestamps.map(\.time).min() }
}
