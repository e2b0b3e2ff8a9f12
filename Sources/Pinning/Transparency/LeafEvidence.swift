/// What came along with a leaf that speaks for it or against it: signed certificate timestamps, and an OCSP response.
///
/// Made by whoever saw the server or the file; where there is none, nothing is judged by it.
public struct LeafEvidence: Sendable, Hashable {
    /// When and why an authority took a certificate back.
    public struct Revocation: Sendable, Hashable {
        /// From when on.
        public let time: Timestamp
        /// The number of the reason (RFC 5280, 5.3.1), `nil` where none is given.
        public let reason: Int?

        /// A revocation.
        public init(at time: Timestamp, reason: Int? = nil) {
            self.time = time
            self.reason = reason
        }
    }

    /// The timestamps that count, by their logs.
    public let timestamps: TransparencyRule.Count
    /// When the first of the logs saw the certificate, `nil` without a timestamp.
    public let earliestTimestamp: Timestamp?
    /// The revocation that a current response of the issuer tells, `nil` for none.
    public let revocation: Revocation?
    /// Whether a current response of the issuer says that the leaf is good.
    public let isVouchedFor: Bool
    /// Why a response that came along is no good one for platforms that take no other, in a clause about the staple; `nil` where it
    /// is, and where none came.
    public let responseObjection: String?

    /// Evidence as of a moment; timestamps from its future do not count.
    public init(
        timestamps: [SignedCertificateTimestamp], revocation: Revocation? = nil, isVouchedFor: Bool = false,
        responseObjection: String? = nil, at time: Timestamp
    ) {
        self.timestamps = TransparencyRule.Count(timestamps, at: time)
        earliestTimestamp = timestamps.map(\.time).filter { $0 <= time }.min()
        self.revocation = revocation
        self.isVouchedFor = isVouchedFor
        self.responseObjection = responseObjection
    }
}
