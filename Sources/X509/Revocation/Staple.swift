package import Pinning

/// What a good OCSP response that a server sent along says about its certificate.
package struct Staple: Sendable, Hashable {
    /// Whether the certificate still stands.
    package enum Status: Sendable, Hashable {
        /// It is not revoked.
        case good
        /// It was revoked, with the number of the reason (RFC 5280, 5.3.1) where one is given.
        case revoked(at: Timestamp, reason: Int?)
        /// The responder does not know it.
        case unknown
    }

    /// Whether the certificate still stands.
    package let status: Status
    /// From when on the response is right.
    package let thisUpdate: Timestamp
    /// When there will be a newer one, `nil` when that is always the case.
    package let nextUpdate: Timestamp?
    /// The signed certificate timestamps in it (extension 1.3.6.1.4.1.11129.2.4.5), `nil` when it has none.
    package let timestamps: TimestampList?
    /// Why Android takes the response for no good one, in a clause; `nil` where it does.
    package var androidObjection: String?

    /// Whether the response is of `time`: begun, and not overtaken.
    package func isCurrent(at time: Timestamp) -> Bool { thisUpdate <= time && nextUpdate.map { time <= $0 } ?? true }
}
