import COpenSSL
package import Pinning

/// The signed certificate timestamps in certificates (RFC 6962, 3.3).
package enum EmbeddedTimestamps {
    /// The most timestamps that are read from a list; certificates have a handful.
    package static let limit = 20

    /// The timestamps of version 1 (extension 1.3.6.1.4.1.11129.2.4.2); none if that is damaged or there twice.
    package static func of(_ certificate: Certificate) -> [SignedCertificateTimestamp] {
        guard let handle = certificate.node else { return [] }
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
        guard let handle = certificate.node else { return false }
        let index = X509_get_ext_by_NID(handle.pointer, NID_ct_precert_poison, -1)
        return index >= 0 && X509_EXTENSION_get_critical(X509_get_ext(handle.pointer, index)) == 1
    }

    /// The timestamps in a SignedCertificateTimestampList, without damaged parts and other versions, which clients
    /// ignore; none unless its parts fill it exactly.
    package static func timestamps(in bytes: [UInt8]) -> [SignedCertificateTimestamp] {
        var whole = bytes[...]
        guard var list = vector(&whole), whole.isEmpty else { return [] }
        var parts: [ArraySlice<UInt8>] = []
        while !list.isEmpty {
            guard let part = vector(&list), !part.isEmpty else { return [] }
            parts.append(part)
        }
        return parts.prefix(limit).compactMap(timestamp)
    }

    private static func timestamp(_ bytes: ArraySlice<UInt8>) -> SignedCertificateTimestamp? {
        // Version 1 is written as 0; the log, the time, the extensions, two algorithms and the signature follow.
        var rest = bytes
        guard bytes.first == 0, let logID = SHA256Digest(bytes: bytes.dropFirst().prefix(SHA256Digest.byteCount)),
            vector(&rest, after: 41) != nil, vector(&rest, after: 2) != nil, rest.isEmpty
        else { return nil }
        let milliseconds = bytes.dropFirst(33).prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return SignedCertificateTimestamp(logID: logID, time: Timestamp(secondsSinceEpoch: Int64(milliseconds / 1_000)))
    }

    /// Takes a vector with its length in two bytes before it (RFC 8446, 3.4); `nil` if `rest` is too short.
    private static func vector(_ rest: inout ArraySlice<UInt8>, after start: Int = 0) -> ArraySlice<UInt8>? {
        let (length, body) = (rest.dropFirst(start).prefix(2), rest.dropFirst(start + 2))
        guard length.count == 2, case let count = length.reduce(0, { $0 << 8 | Int($1) }), count <= body.count else {
            return nil
        }
        rest = body.dropFirst(count)
        return body.prefix(count)
    }
}
