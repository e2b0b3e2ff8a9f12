package import Base

/// A pin: a certificate or a public key that must be on the server's verified path.
public struct Pin: Sendable, Hashable {
    /// The value that is compared.
    public enum Material: Sendable, Hashable {
        /// A certificate pin: the whole DER encoding must be equal.
        case certificate(Certificate)
        /// A public-key pin: SHA-256 of the SubjectPublicKeyInfo must be equal (RFC 7469, 2.4).
        case publicKey(SHA256Digest)
    }

    /// The value that is compared.
    public let material: Material
    package let place: PinPlace

    package init(_ material: Material, at place: PinPlace) { (self.material, self.place) = (material, place) }

    /// The place that contains the pin, only for messages: a file with its line, or a flag.
    public var origin: String { place.description }

    /// The pinned certificate; `nil` if the pin is only a hash.
    public var certificate: Certificate? {
        if case .certificate(let certificate) = material { certificate } else { nil }
    }

    /// The hash of the pinned key; for clients that compare keys, a certificate pin is a public-key pin, too.
    public var spkiSHA256: SHA256Digest {
        switch material {
        case .certificate(let certificate): certificate.spkiSHA256
        case .publicKey(let digest): digest
        }
    }
}

/// The pins of one client for one server: never empty, in their given order, with repetitions, which clients drop or
/// count; "no pins" is `nil`, because every client gives an empty set its own meaning.
package struct PinSet: Hashable {
    package let pins: [Pin]

    package init?(_ pins: [Pin]) {
        guard !pins.isEmpty else { return nil }
        self.pins = pins
    }

    package var certificates: [Certificate] { pins.compactMap(\.certificate) }

    package func isPinned(_ certificate: Certificate) -> Bool {
        pins.contains { $0.spkiSHA256 == certificate.spkiSHA256 }
    }
}

/// A pin that is on the built chain.
public struct PinMatch: Sendable, Hashable {
    /// The position of the pin in the pin set, from 0.
    public let pinIndex: Int
    /// The position of the certificate on the built chain, 0 for the leaf.
    public let depth: Int

    package init(pinIndex: Int, depth: Int) { (self.pinIndex, self.depth) = (pinIndex, depth) }
}
