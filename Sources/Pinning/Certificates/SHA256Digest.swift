/// The 32 bytes of a SHA-256 hash.
///
/// Computing one is the business of whoever holds the bytes.
public struct SHA256Digest: Sendable, Hashable {
    /// The length of a SHA-256 hash in bytes.
    public static let byteCount = 32

    /// The bytes, always ``byteCount`` of them.
    public let bytes: [UInt8]

    /// Takes 32 bytes, `nil` for any other number.
    public init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// The standard base64 alphabet with padding (RFC 4648, 4): 44 characters.
    ///
    /// Written out here because this module has no Foundation; reading base64 is left to those who read files.
    public var base64: String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(44)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let word = group.enumerated().reduce(0) { $0 | Int($1.element) << (16 - 8 * $1.offset) }
            for position in 0..<4 {
                text.append(position <= group.count ? alphabet[word >> (18 - 6 * position) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Lower-case hexadecimal digits.
    public var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension SHA256Digest: CustomStringConvertible {
    /// The pin notation of OkHttp: `sha256/` and the base64 text.
    public var description: String { "sha256/" + base64 }
}
