/// Writes DER (ITU-T X.690), the encoding certificates are made of.
///
/// The lab encodes what it issues by itself, so that it can also issue what a well-behaved library refuses to write, and so
/// that the code under test, which reads with OpenSSL, is judged against an encoder it does not share.
enum DER {
    /// One element: `tag`, the length of `content`, and `content`.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var bytes = [tag]
        bytes.reserveCapacity(content.count + 6)
        if content.count < 128 {
            bytes.append(UInt8(content.count))
        } else {
            let length = minimalBytes(UInt(content.count))
            bytes.append(0x80 | UInt8(length.count))
            bytes += length
        }
        bytes += content
        return bytes
    }

    static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(0x30, Array(elements.joined())) }

    static func set(_ member: [UInt8]) -> [UInt8] { element(0x31, member) }

    /// An INTEGER that is not negative, from its big-endian bytes.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        let significant = Array(magnitude.drop { $0 == 0 })
        guard let first = significant.first else { return element(0x02, [0]) }
        return element(0x02, first & 0x80 == 0 ? significant : [0] + significant)
    }

    static func boolean(_ value: Bool) -> [UInt8] { element(0x01, [value ? 0xff : 0]) }

    static func octetString(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }

    /// A BIT STRING of whole bytes.
    static func bitString(_ bytes: [UInt8], unusedBits: UInt8 = 0) -> [UInt8] { element(0x03, [unusedBits] + bytes) }

    /// A BIT STRING of named bits: bit 0 is the highest of the first byte, trailing zeros are cut (X.690, 11.2.2).
    static func namedBits(_ bits: [Int]) -> [UInt8] {
        guard let last = bits.max() else { return bitString([]) }
        var bytes = [UInt8](repeating: 0, count: last / 8 + 1)
        for bit in bits { bytes[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        return bitString(bytes, unusedBits: UInt8(7 - last % 8))
    }

    static let null: [UInt8] = [0x05, 0x00]

    /// `content` under the constructed context-specific tag `number`.
    static func explicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0xa0 | number, content) }

    /// `content` under the primitive context-specific tag `number`.
    static func implicit(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { element(0x80 | number, content) }

    /// The big-endian bytes of `value` without leading zeros; none for zero.
    static func minimalBytes(_ value: UInt) -> [UInt8] {
        var rest = value
        var bytes: [UInt8] = []
        while rest > 0 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        return bytes.reversed()
    }
}

/// An object identifier, by the numbers of its arcs.
public struct OID: Sendable, Hashable {
    /// The arcs from the root; at least two.
    public let arcs: [UInt]

    /// The identifier `first.second.…`, as in `OID(1, 3, 6, 1, 5, 5, 7, 3, 1)`.
    public init(_ first: UInt, _ second: UInt, _ others: UInt...) { arcs = [first, second] + others }

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

    /// extendedKeyUsage: TLS server authentication.
    public static let serverAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 1)
    /// extendedKeyUsage: TLS client authentication.
    public static let clientAuth = OID(1, 3, 6, 1, 5, 5, 7, 3, 2)
    /// extendedKeyUsage: signing of code.
    public static let codeSigning = OID(1, 3, 6, 1, 5, 5, 7, 3, 3)
    /// extendedKeyUsage: any use.
    public static let anyExtendedKeyUsage = OID(2, 5, 29, 37, 0)
    /// extendedKeyUsage: Netscape's Server Gated Crypto, which does not stand in for ``serverAuth``.
    public static let netscapeServerGatedCrypto = OID(2, 16, 840, 1, 113730, 4, 1)
}
