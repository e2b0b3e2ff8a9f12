import PinFormats
import Pinning
import TLSProbe
import X509

/// Hashes values by all that they hold, the same in every process.
///
/// It goes through values by reflection, so that what is added to them one day is part of the hash by itself: two values that are
/// told apart nowhere else would have one answer count for the other. Where something was read plays no part.
struct ContentDigest {
    private var bytes: [UInt8] = []

    /// The types whose `origin` only says where they were read: others mean something else by that word.
    private static let placed: Set<ObjectIdentifier> = [
        ObjectIdentifier(Pin.self), ObjectIdentifier(HostEntry.self), ObjectIdentifier(Proxy.self),
        ObjectIdentifier(NetworkSecurityConfiguration.self), ObjectIdentifier(NetworkSecurityConfiguration.Domain.self),
        ObjectIdentifier(TransportSecurity.self), ObjectIdentifier(TransportSecurity.Exception.self),
    ]

    /// The hash of values in their order.
    static func of(_ values: [Any]) -> SHA256Digest {
        var digest = ContentDigest()
        digest.add(values)
        return Hashing.sha256(digest.bytes)
    }

    private mutating func add(_ value: Any) {
        switch value {
        case let text as String: add(Array(text.utf8), as: "text")
        case let content as [UInt8]: add(content, as: "bytes")
        case let certificate as Certificate: add(certificate.der, as: "certificate")
        default: addParts(of: value)
        }
    }

    /// The name of a type, the same in every process: with all that is around it, a private type's has an address in memory.
    static func name(of type: Any.Type) -> String { String(describing: type) }

    private mutating func addParts(of value: Any) {
        let mirror = Mirror(reflecting: value)
        let type = Self.name(of: Swift.type(of: value))
        guard !mirror.children.isEmpty else {
            // A number, a case, or something empty.
            return add(Array(String(describing: value).utf8), as: type)
        }
        var parts: [[UInt8]] = []
        let isPlaced = Self.placed.contains(ObjectIdentifier(Swift.type(of: value)))
        for (label, part) in mirror.children where !(isPlaced && label == "origin") && !(part is PinPlace) {
            var digest = ContentDigest()
            digest.add(Array((label ?? "").utf8), as: "label")
            digest.add(part)
            parts.append(digest.bytes)
        }
        switch mirror.displayStyle {
        case .set, .dictionary: parts.sort { $0.lexicographicallyPrecedes($1) }
        default: break
        }
        add(Array(parts.joined()), as: type)
    }

    /// Adds bytes so that what follows cannot be taken for a part of them.
    private mutating func add(_ content: [UInt8], as kind: String) {
        bytes += Array("\(kind) \(content.count):".utf8)
        bytes += content
    }
}
