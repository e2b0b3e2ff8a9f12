import COpenSSL

/// Encodes OpenSSL's values in DER, and finds elements of certificates and names that OpenSSL has not parsed.
enum DER {
    /// The bytes that an `i2d_…` function writes; `nil` if it fails.
    static func encoding(with encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> [UInt8]? {
        var start: UnsafeMutablePointer<UInt8>?
        let length = encode(&start)
        guard length >= 0, let start else { return nil }
        defer { COpenSSL_OPENSSL_free(start) }
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }

    /// The value that a `d2i_…` function reads from `bytes`, for the caller to free; `nil` if bytes are left over.
    static func decoded(
        _ bytes: [UInt8], free: (OpaquePointer) -> Void,
        _ decode: (UnsafeMutablePointer<UnsafePointer<UInt8>?>, Int) -> OpaquePointer?
    ) -> OpaquePointer? {
        COpenSSL_learn_names()
        ERR_clear_error()
        return bytes.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            guard let value = decode(&cursor, buffer.count) else { return nil }
            if cursor == buffer.baseAddress.map({ $0 + buffer.count }) { return value }
            free(value)
            return nil
        }
    }

    /// The range of the subject in a certificate (RFC 5280, 4.1), or of the field `more` places behind it; a full parse
    /// of each of a bundle's 140 roots costs a hundred times more.
    static func subject(ofCertificate der: [UInt8], andFieldsBehind more: Int = 0) -> Range<Int>? {
        defer { ERR_clear_error() }
        guard let certificate = element(in: der, at: 0..<der.count), certificate.end == der.count,
            let toBeSigned = element(in: der, at: certificate.content)
        else { return nil }
        // [0] version (not in version 1), serialNumber, signature, issuer, validity, subject, subjectPublicKeyInfo, …
        var subjectIndex = 5 + more
        var subject: Range<Int>?
        var count = 0
        var position = toBeSigned.content.lowerBound
        while position < toBeSigned.content.upperBound, count < 8 {
            guard let field = element(in: der, at: position..<toBeSigned.content.upperBound) else { return nil }
            if count == 0, field.identifier & V_ASN1_PRIVATE != V_ASN1_CONTEXT_SPECIFIC { subjectIndex = 4 + more }
            if count == subjectIndex { subject = field.start..<field.end }
            count += 1
            position = field.end
        }
        return count > subjectIndex + 1 - more ? subject : nil
    }

    /// A hash of a name, equal for equal names in any encoding (RFC 5280, 7.1); `nil` if only OpenSSL can read it.
    static func nameKey(_ der: [UInt8], at name: Range<Int>) -> UInt? {
        defer { ERR_clear_error() }
        var key: UInt = 0
        var position = name.lowerBound
        while position < name.upperBound {
            guard let part = element(in: der, at: position..<name.upperBound) else { return nil }
            position = part.end
            switch part.identifier {
            case V_ASN1_CONSTRUCTED | V_ASN1_SEQUENCE, V_ASN1_CONSTRUCTED | V_ASN1_SET:
                position = part.content.lowerBound
            // A sum does not depend on the order of the values in a set.
            case V_ASN1_UNIVERSALSTRING: key &+= sum(of: der[part.content], width: 4)
            case V_ASN1_BMPSTRING: key &+= sum(of: der[part.content], width: 2)
            case 0..<V_ASN1_CONSTRUCTED: key &+= sum(of: der[part.content], width: 1)
            default: return nil
            }
        }
        return key
    }

    /// A number made of the ASCII letters and digits of a text; `width` is the size of a character in bytes.
    private static func sum(of text: ArraySlice<UInt8>, width: Int) -> UInt {
        var sum: UInt = 0
        for end in stride(from: text.startIndex + width, through: text.endIndex, by: width)
        where width == 1 || text[(end - width)..<(end - 1)].allSatisfy({ $0 == 0 }) {
            switch text[end - 1] {
            case let byte where byte &- 0x30 < 10: sum = sum &* 31 &+ UInt(byte)
            case let byte where (byte | 0x20) &- 0x61 < 26: sum = sum &* 31 &+ UInt(byte | 0x20)
            default: break
            }
        }
        return sum
    }

    static func octetString(_ der: [UInt8]) -> [UInt8]? {
        defer { ERR_clear_error() }
        guard der.first == UInt8(V_ASN1_OCTET_STRING), let element = element(in: der, at: 0..<der.count),
            element.end == der.count
        else { return nil }
        return Array(der[element.content])
    }

    private struct Element {
        let start: Int
        let content: Range<Int>
        /// The class, form and number of the tag in one value, as in the first byte.
        let identifier: Int32
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
                identifier: tagClass | status & V_ASN1_CONSTRUCTED | tag)
        }
    }
}
