/// A log's promise to publish a certificate (SCT, RFC 6962, 3.2), version 1.
///
/// Nothing of it is verified: anybody can make one up.
package struct SignedCertificateTimestamp: Sendable, Hashable {
    /// SHA-256 of the log's key: what a log is known by.
    package let logID: SHA256Digest
    package let time: Timestamp

    package init(logID: SHA256Digest, time: Timestamp) { (self.logID, self.time) = (logID, time) }
}

/// What came along with a leaf that speaks for it or against it: the timestamps in the certificate, and an OCSP response.
///
/// Made by whoever saw the server or the file; where there is none, nothing is judged by it.
package struct LeafEvidence: Sendable, Hashable {
    /// What the OCSP response came to that a server sent along.
    package enum Staple: Sendable, Hashable {
        case none
        /// One answer, which is current: the certificate is good.
        case good
        /// An answer about the certificate, which is current: it was taken back, for the reason of this number (RFC 5280, 5.3.1).
        case revoked(at: Timestamp, reason: Int?)
        /// Anything else: what is wrong with it, in a clause about the staple.
        case unusable(String)
    }

    package let timestamps: [SignedCertificateTimestamp]
    package let staple: Staple

    /// Evidence as of a moment: timestamps from its future do not count (RFC 6962, 5.2).
    package init(timestamps: [SignedCertificateTimestamp], staple: Staple = .none, at time: Timestamp) {
        self.timestamps = timestamps.filter { $0.time <= time }
        self.staple = staple
    }

    package var logs: Int { Set(timestamps.map(\.logID)).count }

    /// When the first of the logs saw the certificate, `nil` without a timestamp.
    var earliestTimestamp: Timestamp? { timestamps.map(\.time).min() }
}

/// Where Apple's platform would fetch the issuer of a certificate that a server did not send.
extension Platform {
    /// Of all the caIssuers places that a certificate names (RFC 5280, 4.2.2.1) those that would be tried, in their order: at most three
    /// `http:` URLs, and none of ten places or more (SecCAIssuerRequest of macOS 26).
    package static func triedPlaces(of places: [String]) -> [String] {
        places.count < 10 ? Array(places.filter(isHTTP).prefix(3)) : []
    }

    private static func isHTTP(_ place: String) -> Bool {
        guard place.utf8.starts(with: "http://".utf8) else { return false }
        let rest = place.utf8.dropFirst(7)
        return !rest.isEmpty && rest.first != UInt8(ascii: "/") && !rest.contains { $0 <= 0x20 || $0 >= 0x7F }
    }
}
