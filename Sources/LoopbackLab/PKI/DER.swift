import Base
import COpenSSL

/// Writes DER (ITU-T X.690), the encoding of certificates.
///
/// It writes certificates that OpenSSL refuses to write, and shares no mistake with the code under test.
enum DER {
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let length = minimalBytes(UInt(content.count))
        return [tag] + (content.count < 128 ? [UInt8(content.count)] : [0x80 | UInt8(length.count)] + length) + content
    }

    static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(0x30, Array(elements.joined())) }

    /// An INTEGER from its big-endian bytes, not negative.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let significant = Array(magnitude.drop { $0 == 0 })
        guard let first = significant.first else { return element(0x02, [0]) }
        return element(0x02, first & 0x80 == 0 ? significant : [0] + significant)
    }

    static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xff : 0]) }

    static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

    static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] { element(0x03, [unusedBits] + bytes) }

    /// A BIT STRING of named bits: bit 0 is the highest of the first byte, trailing zeros are cut (X.690, 11.2.2).
    static func namedBits(_ bits: [Int]) -> [UInt8] {
        guard let last = bits.max() else { return bitString([]) }
        var bytes = zeros(last / 8 + 1)
        for bit in bits { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return bitString(bytes, unusedBits: UInt8(7 - last % 8))
    }

    static let null: [UInt8] = [0x05, 0x00]

    static func explicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xa0 | number, content) }

    static func implicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0x80 | number, content) }

    /// The big-endian bytes of `value` without leading zeros; none for zero.
    static func minimalBytes(_ value: UInt) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0.drop { $0 == 0 }) }
    }
}

/// Encodes a DER element with a tag and contents, for parts that templates cannot express.
package func element(_ tag: UInt8, _ parts: [UInt8]...) -> [UInt8] { DER.element(tag, Array(parts.joined())) }

package struct OID: Hashable {
    let arcs: [UInt]

    package init(_ first: UInt, _ second: UInt, _ others: UInt...) { arcs = [first, second] + others }

    var der: [UInt8] {
        var content: [UInt8] = []
        for arc in [arcs[0] * 40 + arcs[1]] + arcs.dropFirst(2) {
            var groups = [UInt8(arc & 0x7f)]
            var rest = arc >> 7
            while rest > 0 {
                groups.append(UInt8(rest & 0x7f) | 0x80)
                rest >>= 7
            }
            content += groups.reversed()
        }
        return DER.element(0x06, content)
    }

    package static let serverAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 1)
    package static let clientAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 2)
    package static let anyExtendedKeyUsage = OID(2, 5, 29, 37, 0)
    /// The extendedKeyUsage of Netscape's Server Gated Crypto, which does not replace ``serverAuth``.
    package static let netscapeServerGatedCrypto = OID(2, 16, 840, 1, 113730, 4, 1)
}

extension DER {
    /// A Time (RFC 5280, 4.1.2.5): UTCTime for the years 1950 to 2049, GeneralizedTime for all others up to 9999.
    static func time(_ secondsSinceEpoch: Int64) -> [UInt8] {
        let time = ASN1_TIME_set(nil, time_t(secondsSinceEpoch))
        defer { ASN1_TIME_free(time) }
        return encoded { i2d_ASN1_TIME(time, $0) }
    }

    /// A GeneralizedTime of whole seconds, for years up to 9999.
    static func generalizedTime(_ secondsSinceEpoch: Int64) -> [UInt8] {
        let time = ASN1_GENERALIZEDTIME_set(nil, time_t(secondsSinceEpoch))
        defer { ASN1_GENERALIZEDTIME_free(time) }
        return encoded { i2d_ASN1_GENERALIZEDTIME(time, $0) }
    }
}

package enum LabClock {
    /// Seconds since 1970-01-01T00:00:00Z by the system clock.
    package static var now: Int64 { Int64(time(nil)) }
    package static let hour: Int64 = 3_600
    package static let day: Int64 = 86_400
    package static let year: Int64 = 365 * day
}

/// The PEM text of `der` (RFC 7468), in lines of 64 characters.
package func pem(_ der: [UInt8], label: String) -> String {
    let lines = stride(from: 0, to: der.count, by: 48).map { Base64.text(of: Array(der[$0..<min($0 + 48, der.count)])) }
    return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
}

package func pem(of certificates: [LabCertificate]) -> String { certificates.map(\.pem).joined() }

/// The DER of a PKCS #7 SignedData without signers, as in `.p7b` files (RFC 5652, 5.1).
package func signedData(of certificates: [LabCertificate]) -> [UInt8] {
    let content = DER.sequence(
        DER.integer([1]), DER.element(0x31, []), DER.sequence(OID(1, 2, 840, 113549, 1, 7, 1).der),
        DER.explicit(0, certificates.flatMap(\.der)), DER.element(0x31, []))
    return DER.sequence(OID(1, 2, 840, 113549, 1, 7, 2).der, DER.explicit(0, content))
}

extension LabCertificate {
    /// The file name that `openssl rehash` gives the certificate: the hash of its subject, and `.0`.
    package var hashedFileName: String {
        let certificate = openSSL
        defer { X509_free(certificate) }
        let digits = String(X509_subject_name_hash(certificate), radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits + ".0"
    }

    /// A copy as an OpenSSL `X509`, which the caller frees; `nil` if the DER does not parse.
    var openSSL: OpaquePointer? { decoded(der) { d2i_X509(nil, $0, $1) } }
}
