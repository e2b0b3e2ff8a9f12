/// One pin: something a certificate on the server's verified path must equal.
public struct Pin: Sendable, Hashable {
    /// What is compared.
    public enum Material: Sendable, Hashable {
        /// A certificate pin: the whole DER encoding must be equal.
        case certificate(Certificate)
        /// A public-key pin: SHA-256 of the SubjectPublicKeyInfo must be equal (RFC 7469, 2.4).
        case publicKey(SHA256Digest)
    }

    /// What is compared.
    public let material: Material
    /// Where the pin came from, for messages: a file with its line, a flag; it plays no part in matching.
    public let origin: String

    package init(_ material: Material, origin: String) { (self.material, self.origin) = (material, origin) }

    /// The pinned certificate, `nil` for a pin that is only a hash.
    public var certificate: Certificate? {
        if case .certificate(let certificate) = material { certificate } else { nil }
    }

    /// The hash of the pinned key: every certificate pin is a public-key pin too for clients that compare keys.
    public var spkiSHA256: SHA256Digest {
        switch material {
        case .certificate(let certificate): certificate.publicKey.spkiSHA256
        case .publicKey(let digest): digest
        }
    }
}

/// The pins of one client for one server: never empty, in the order they were given, repetitions kept.
///
/// Some clients fold repetitions away and some count them, so that is theirs to do. "No pins" is `nil` where it can occur,
/// because an empty set has a meaning of its own in every client.
package struct PinSet: Sendable, Hashable {
    package let pins: [Pin]

    package init?(_ pins: [Pin]) {
        guard !pins.isEmpty else { return nil }
        self.pins = pins
    }

    package var certificates: [Certificate] { pins.compactMap(\.certificate) }

    func isPinned(_ certificate: Certificate) -> Bool {
        pins.contains { $0.spkiSHA256 == certificate.publicKey.spkiSHA256 }
    }
}

/// A pin found on the built chain.
public struct PinMatch: Sendable, Hashable {
    /// The position of the pin in the pin set, from 0.
    public let pinIndex: Int
    /// The position of the certificate on the built chain, 0 for the leaf.
    public let depth: Int

    package init(pinIndex: Int, depth: Int) { (self.pinIndex, self.depth) = (pinIndex, depth) }
}
