import Base

/// An IPv4 or IPv6 address, as `inet_pton` reads it; a looser reading is unsafe, because OpenSSL 3.0 takes `01.2.3.4`
/// for an address, and other software takes it for a name.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address in network byte order: 4 bytes for IPv4, 16 for IPv6.
    public let bytes: [UInt8]

    package var isIPv6: Bool { bytes.count == 16 }

    package init?(bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    package init?(_ text: String) { self.init(text[...]) }

    /// Reads dotted decimal or colon-hexadecimal text; `nil` if it has brackets, a port, a zone or any other part.
    ///
    /// Not generic: a generic initialiser makes its types at run time for other modules, at a hundred times the cost.
    package init?(_ text: Substring) {
        // Nearly every name contains a letter that addresses cannot contain; bit 0x20 turns a capital into a small one.
        let (signs, letters) = (UInt8(ascii: ".")...UInt8(ascii: ":"), UInt8(ascii: "a")...UInt8(ascii: "f"))
        guard text.utf8.allSatisfy({ signs.contains($0) || letters.contains($0 | 0x20) }) else { return nil }
        let isIPv6 = text.utf8.contains { $0 == ":" }
        bytes = Array(unsafeUninitializedCapacity: 16) { bytes, count in
            let isRead = inet_pton(isIPv6 ? AF_INET6 : AF_INET, String(text), bytes.baseAddress) == 1
            let length = isIPv6 ? 16 : 4
            count = isRead ? length : 0
        }
        // Leading zeros are refused even if the system's library accepts them: some readers take them for octal.
        guard !bytes.isEmpty, isIPv6 || description == text else { return nil }
    }

    package func begins(with bits: Int, of prefix: IPAddress) -> Bool {
        guard isIPv6 == prefix.isIPv6 else { return false }
        return bytes.indices.allSatisfy { index in
            let own = min(8, max(0, bits - index * 8))
            let mask = own == 0 ? 0 : ~UInt8(0) << UInt8(8 - own)
            return bytes[index] & mask == prefix.bytes[index] & mask
        }
    }

    /// Dotted decimal, or the shortest colon-hexadecimal form (RFC 5952).
    public var description: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
            let family = isIPv6 ? AF_INET6 : AF_INET
            return inet_ntop(family, bytes, text.baseAddress, socklen_t(text.count)).map { String(cString: $0) } ?? ""
        }
    }

    /// `true` if it is `0.0.0.0` or `::`, which no host has.
    package var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }
}

extension String {
    /// The host with a port; an IPv6 address is in brackets (RFC 3986, 3.2.2).
    package func withPort(_ port: some BinaryInteger) -> String {
        utf8.contains { $0 == ":" } ? "[\(self)]:\(port)" : "\(self):\(port)"
    }
}
