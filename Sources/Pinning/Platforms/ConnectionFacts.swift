/// A version of TLS, as platforms ask for one.
public enum ProtocolVersion: UInt16, Sendable, Hashable, CaseIterable, Comparable, CustomStringConvertible {
    /// TLS 1.0 (RFC 2246).
    case tls10 = 0x0301
    /// TLS 1.1 (RFC 4346).
    case tls11 = 0x0302
    /// TLS 1.2 (RFC 5246).
    case tls12 = 0x0303
    /// TLS 1.3 (RFC 8446).
    case tls13 = 0x0304

    /// Whether the left version is the older one.
    public static func < (left: ProtocolVersion, right: ProtocolVersion) -> Bool { left.rawValue < right.rawValue }

    /// As people write it: `TLS 1.2`.
    public var description: String { "TLS 1.\(rawValue - ProtocolVersion.tls10.rawValue)" }
}

/// What a handshake settled, as far as a platform judges it.
public struct ConnectionFacts: Sendable, Hashable {
    /// The version.
    public let version: ProtocolVersion
    /// The cipher suite, for messages.
    public let cipher: String
    /// Whether the suite agrees on keys by ECDHE.
    public let hasECDHE: Bool

    /// The facts of one handshake.
    public init(version: ProtocolVersion, cipher: String, hasECDHE: Bool) {
        self.version = version
        self.cipher = cipher
        self.hasECDHE = hasECDHE
    }
}
