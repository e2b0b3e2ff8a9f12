internal import Base

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
        func digit(_ value: UInt8) -> UInt8 { value + (value < 10 ? 0x30 : 0x57) }
        return String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var index = 0
            for byte in bytes {
                buffer[index] = digit(byte >> 4)
                buffer[index + 1] = digit(byte & 15)
                index += 2
            }
            return index
        }
    }
}

extension SHA256Digest: CustomStringConvertible {
    /// The pin notation of OkHttp: `sha256/` and the base64 text.
    public var description: String { "sha256/" + base64 }
}
