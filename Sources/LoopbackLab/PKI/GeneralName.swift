#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// An entry of a subjectAltName, or a base of a name constraint (RFC 5280, 4.2.1.6 and 4.2.1.10).
public enum GeneralName: Sendable, Hashable {
    /// A dNSName of exactly these bytes.
    case dnsBytes([UInt8])
    /// An iPAddress: 4 or 16 bytes; in a name constraint the mask follows the address.
    case ip([UInt8])
    /// A uniformResourceIdentifier of exactly these bytes.
    case uriBytes([UInt8])
    /// An rfc822Name of exactly these bytes.
    case emailBytes([UInt8])
    case directory(DistinguishedName)

    /// A dNSName.
    public static func dns(_ name: String) -> GeneralName { .dnsBytes(Array(name.utf8)) }
    /// A uniformResourceIdentifier.
    public static func uri(_ text: String) -> GeneralName { .uriBytes(Array(text.utf8)) }
    /// An rfc822Name.
    public static func email(_ address: String) -> GeneralName { .emailBytes(Array(address.utf8)) }

    /// An iPAddress for what inet_pton takes, a dNSName for everything else.
    public init(_ text: String) { self = Self.addressBytes(text).map(GeneralName.ip) ?? .dns(text) }

    /// The 4 or 16 bytes of an address in text form (inet_pton), `nil` for anything else.
    public static func addressBytes(_ text: String) -> [UInt8]? {
        for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: length)
            if inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        return nil
    }

    var der: [UInt8] {
        switch self {
        case .emailBytes(let bytes): DER.implicit(1, bytes)
        case .dnsBytes(let bytes): DER.implicit(2, bytes)
        case .directory(let name): DER.explicit(4, name.der)
        case .uriBytes(let bytes): DER.implicit(6, bytes)
        case .ip(let bytes): DER.implicit(7, bytes)
        }
    }
}
