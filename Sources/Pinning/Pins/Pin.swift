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
    /// Where the pin came from, for messages: a file with its line, a flag.
    ///
    /// It plays no part in matching.
    public let origin: String

    /// A pin and the place it was read from.
    public init(_ material: Material, origin: String) {
        self.material = material
        self.origin = origin
    }

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
public struct PinSet: Sendable, Hashable {
    /// The pins, at least one.
    public let pins: [Pin]

    /// A set of `pins`, `nil` when there are none.
    public init?(_ pins: [Pin]) {
        guard !pins.isEmpty else { return nil }
        self.pins = pins
    }

    /// The certificates among the pins, in order.
    public var certificates: [Certificate] { pins.compactMap(\.certificate) }
}
