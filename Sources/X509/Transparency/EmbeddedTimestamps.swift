internal import COpenSSL
package import Pinning

/// The signed certificate timestamps in certificates (RFC 6962, 3.3).
package enum EmbeddedTimestamps {
    /// The most timestamps that are read from a list; certificates have a handful.
    package static let limit = 20

    /// The timestamps of version 1 (extension 1.3.6.1.4.1.11129.2.4.2); none if that is damaged or there twice.
    package static func of(_ certificate: Certificate) -> [SignedCertificateTimestamp] {
        guard let handle = HandleCache.shared.handle(for: certificate) else { return [] }
        let index = X509_get_ext_by_NID(handle.pointer, NID_ct_precert_scts, -1)
        guard index >= 0, let found = X509_get_ext(handle.pointer, index),
            X509_get_ext_by_NID(handle.pointer, NID_ct_precert_scts, index) < 0,
            // The extension contains an OCTET STRING inside its own.
            let list = Extensions.bytes(X509_EXTENSION_get_data(found)).flatMap({ DER.octetString($0) })
        else { return [] }
        return timestamps(in: list)
    }

    /// `true` for a precertificate, by its critical poison extension (1.3.6.1.4.1.11129.2.4.3; RFC 6962, 3.1).
    package static func isPrecertificate(_ certificate: Certificate) -> Bool {
        guard let handle = HandleCache.shared.handle(for: certificate) else { return false }
        let index = X509_get_ext_by_NID(handle.pointer, NID_ct_precert_poison, -1)
        return index >= 0 && X509_EXTENSION_get_critical(X509_get_ext(handle.pointer, index)) == 1
    }

    /// The timestamps in a list (SignedCertificateTimestampList); none unless its parts fill it exactly.
    ///
    /// A part that is damaged or of another version is ignored, as by clients.
    package static func timestamps(in bytes: [UInt8]) -> [SignedCertificateTimestamp] {
        var whole = TransparencyCursor(bytes[...])
        guard let list = whole.vector(2), whole.isAtEnd else { return [] }
        var rest = TransparencyCursor(list)
        var parts: [ArraySlice<UInt8>] = []
        while !rest.isAtEnd {
            guard let part = rest.vector(2), !part.isEmpty else { return [] }
            parts.append(part)
        }
        return parts.prefix(limit).compactMap(timestamp)
    }

    private static func timestamp(_ bytes: ArraySlice<UInt8>) -> SignedCertificateTimestamp? {
        var cursor = TransparencyCursor(bytes)
        // Version 1 is written as 0; the log, the time, the extensions, two algorithms and the signature follow.
        guard cursor.number(1) == 0,
            let logID = cursor.bytes(SHA256Digest.byteCount).flatMap({ SHA256Digest(bytes: $0) }),
            let milliseconds = cursor.number(8), cursor.vector(2) != nil, cursor.number(2) != nil,
            cursor.vector(2) != nil, cursor.isAtEnd
        else { return nil }
        return SignedCertificateTimestamp(logID: logID, time: Timestamp(secondsSinceEpoch: Int64(milliseconds / 1_000)))
    }
}

/// Reads the encoding of TLS (RFC 8446, 3): big-endian numbers, and vectors with their length before them.
private struct TransparencyCursor {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
        guard count <= rest.count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// A number of `size` bytes, at most 8.
    mutating func number(_ size: Int) -> UInt64? { bytes(size).map { $0.reduce(0) { $0 << 8 | UInt64($1) } } }

    mutating func vector(_ sizeOfLength: Int) -> ArraySlice<UInt8>? { number(sizeOfLength).flatMap { bytes(Int($0)) } }
}
