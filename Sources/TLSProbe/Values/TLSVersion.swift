/// A version of TLS that can be offered and negotiated.
package enum TLSVersion: UInt16, Sendable, Hashable, CaseIterable {
    /// TLS 1.0 (RFC 2246). Broken; offered only when asked for.
    case tls10 = 0x0301
    /// TLS 1.1 (RFC 4346). Broken; offered only when asked for.
    case tls11 = 0x0302
    /// TLS 1.2 (RFC 5246).
    case tls12 = 0x0303
    /// TLS 1.3 (RFC 8446).
    case tls13 = 0x0304

    /// The version with a number as users write it, as in `1.2`; `nil` for any other text.
    package init?(number: String) {
        guard let version = Self.allCases.first(where: { $0.number == number }) else { return nil }
        self = version
    }

    /// The number alone, as in `1.2`: what users write.
    package var number: String {
        switch self {
        case .tls10: "1.0"
        case .tls11: "1.1"
        case .tls12: "1.2"
        case .tls13: "1.3"
        }
    }
}

extension TLSVersion: Comparable {
    package static func < (left: TLSVersion, right: TLSVersion) -> Bool { left.rawValue < right.rawValue }
}

extension TLSVersion: CustomStringConvertible {
    /// The name with its `v`, as in `TLSv1.3`.
    package var description: String { "TLSv" + number }
}
