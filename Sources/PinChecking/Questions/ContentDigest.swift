import Pinning
import X509

/// Hashes values by all that they hold, the same in every process.
///
/// It goes through values by reflection, so that what is added to them one day is part of the hash by itself: two values that are
/// told apart nowhere else would have one answer count for the other. Where something stands ("origin", "place") plays no part.
struct ContentDigest {
    private var bytes: [UInt8] = []

    /// What only says where something was read.
    private static let placeLabels: Set<String> = ["origin", "place"]

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

    private mutating func addParts(of value: Any) {
        let mirror = Mirror(reflecting: value)
        let type = String(reflecting: Swift.type(of: value))
        guard !mirror.children.isEmpty else {
            // A number, a case, or something empty.
            return add(Array(String(describing: value).utf8), as: type)
        }
        var parts: [[UInt8]] = []
        for (label, part) in mirror.children where !Self.placeLabels.contains(label ?? "") {
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
