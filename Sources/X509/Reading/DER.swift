internal import COpenSSL

/// The DER encoding of what OpenSSL holds, and a look at what stands outermost in bytes it has not parsed.
enum DER {
    /// The bytes an `i2d_…` function writes, `nil` when it cannot.
    static func encoding(with encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let length = encode(&start)
        guard length >= 0, let start else { return nil }
        defer { COpenSSL_OPENSSL_free(start) }
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }

    /// What a `d2i_…` function makes of `bytes`, for the caller to free; `nil` unless it takes all of them.
    static func decoded(
        _ bytes: [UInt8], free: (OpaquePointer) -> Void,
        _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        OpenSSLNames.learn()
        OpenSSLFailure.forget()
        return bytes.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let value = decode(&cursor, buffer.count) else { return nil }
            if cursor == buffer.baseAddress.map({ $0 + buffer.count }) { return value }
            free(value)
            return nil
        }
    }

    /// Where the subject's name stands in the certificate `der`, read with `ASN1_get_object` only.
    ///
    /// A full parse costs a hundred times more, which counts for a bundle of 140 roots of which one will be used.
    /// Returns `nil` when the outer structure is not that of a certificate (RFC 5280, 4.1).
    static func subject(ofCertificate der: [UInt8]) -> Range<Int>? {
        defer { OpenSSLFailure.forget() }
        guard let certificate = element(in: der, at: 0..<der.count), certificate.end == der.count,
            let toBeSigned = element(in: der, at: certificate.content)
        else { return nil }
        // [0] version (absent in version 1), serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, …
        var subjectIndex = 5
        var subject: Range<Int>?
        var count = 0
        var position = toBeSigned.content.lowerBound
        while position < toBeSigned.content.upperBound, count < 8 {
            guard let field = element(in: der, at: position..<toBeSigned.content.upperBound) else { return nil }
            if count == 0, !field.isContextSpecific { subjectIndex = 4 }
            if count == subjectIndex { subject = field.start..<field.end }
            count += 1
            position = field.end
        }
        return count > subjectIndex + 1 ? subject : nil
    }

    /// The content of the one OCTET STRING that `der` is, `nil` for anything else.
    static func octetString(_ der: [UInt8]) -> [UInt8]? {
        defer { OpenSSLFailure.forget() }
        guard der.first == UInt8(V_ASN1_OCTET_STRING), let element = element(in: der, at: 0..<der.count),
            element.end == der.count
        else { return nil }
        return Array(der[element.content])
    }

    private struct Element {
        let start: Int
        let content: Range<Int>
        let isContextSpecific: Bool
        var end: Int { content.upperBound }
    }

    private static func element(in bytes: [UInt8], at range: Range<Int>) -> Element? {
        bytes.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress, !range.isEmpty else { return nil }
            var cursor: UnsafePointer<UInt8>? = base + range.lowerBound
            var length = 0
            var tag: Int32 = 0
            var tagClass: Int32 = 0
            let status = ASN1_get_object(&cursor, &length, &tag, &tagClass, range.count)
            // Bit 7: an error, such as content longer than what is left; bit 0: indefinite length, which DER forbids.
            guard status & 0x81 == 0, let cursor else { return nil }
            let start = cursor - base
            guard length >= 0, start + length <= range.upperBound else { return nil }
            return Element(
                start: range.lowerBound, content: start..<start + length,
                isContextSpecific: tagClass == V_ASN1_CONTEXT_SPECIFIC)
        }
    }
}
