package import Pinning

/// The signed certificate timestamps of one place.
package struct TimestampList: Sendable, Hashable {
    /// Those that could be read.
    package let timestamps: [SignedCertificateTimestamp]
    /// How many could not be: of another version than 1, or damaged.
    ///
    /// Clients pass over them (RFC 6962, 3.3), so they count for nothing.
    package let unreadable: Int

    package init(timestamps: [SignedCertificateTimestamp], unreadable: Int) {
        self.timestamps = timestamps
        self.unreadable = unreadable
    }
}

/// Reads lists of signed certificate timestamps (SignedCertificateTimestampList, RFC 6962, 3.3).
package enum TimestampListReader {
    /// The most timestamps of one list that are looked at; certificates have a handful.
    ///
    /// Those behind count as unreadable: to verify a signature costs as much as the certificate is large, and a server sends what it
    /// likes.
    package static let limit = 20

    /// Reads a list as the TLS extension `signed_certificate_timestamp` holds it, and the other places inside an OCTET STRING.
    ///
    /// - Parameters:
    ///   - bytes: the list.
    ///   - source: where it was found.
    /// - Returns: its timestamps.
    /// - Throws: ``TransparencyError`` unless the parts of the list fill it exactly; what is wrong inside of one concerns that one.
    package static func read(
        _ bytes: [UInt8], from source: SignedCertificateTimestamp.Source
    ) throws(TransparencyError) -> TimestampList {
        var whole = TransparencyCursor(bytes[...])
        guard let list = whole.vector(2), whole.isAtEnd, !list.isEmpty else { throw TransparencyError(.brokenList) }
        var parts = TransparencyCursor(list)
        var timestamps: [SignedCertificateTimestamp] = []
        var unreadable = 0
        while !parts.isAtEnd {
            guard let part = parts.vector(2), !part.isEmpty else { throw TransparencyError(.brokenList) }
            if timestamps.count < limit, let timestamp = timestamp(part, from: source) {
                timestamps.append(timestamp)
            } else {
                unreadable += 1
            }
        }
        return TimestampList(timestamps: timestamps, unreadable: unreadable)
    }

    private static func timestamp(
        _ bytes: ArraySlice<UInt8>, from source: SignedCertificateTimestamp.Source
    ) -> SignedCertificateTimestamp? {
        var cursor = TransparencyCursor(bytes)
        // Version 1 is written as 0.
        guard cursor.number(1) == 0,
            let logID = cursor.bytes(SHA256Digest.byteCount).flatMap({ SHA256Digest(bytes: $0) }),
            let milliseconds = cursor.number(8), let extensions = cursor.vector(2), let hash = cursor.number(1),
            let kind = cursor.number(1), let signature = cursor.vector(2), cursor.isAtEnd
        else { return nil }
        return SignedCertificateTimestamp(
            source: source, logID: logID, milliseconds: milliseconds, extensions: Array(extensions),
            hashAlgorithm: UInt8(hash), signatureAlgorithm: UInt8(kind), signature: Array(signature))
    }
}

/// Reads the encoding of TLS (RFC 8446, 3): big-endian numbers, and vectors after their length.
private struct TransparencyCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A number of so many bytes, at most 8.
    mutating func number(_ size: Int) -> UInt64? { bytes(size).map { $0.reduce(0) { $0 << 8 | UInt64($1) } } }

    /// A vector whose length has so many bytes.
    mutating func vector(_ sizeOfLength: Int) -> ArraySlice<UInt8>? { number(sizeOfLength).flatMap { bytes(Int($0)) } }
}
