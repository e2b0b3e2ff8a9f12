internal import Text

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
    public var base64: String { Base64.text(of: bytes) }

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
