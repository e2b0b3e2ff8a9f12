/// What a ClientHello offers, where that is not everything: words of OpenSSL, preferred first.
package struct HandshakeOffer: Sendable, Hashable {
    /// A part of the offer.
    package enum Part: Sendable, Hashable, CaseIterable {
        /// Groups for the key exchange.
        case groups
        /// Cipher suites.
        case ciphers
        /// Algorithms that the server may sign with.
        case signatureAlgorithms

        /// What one of them is called.
        package var name: String {
            switch self {
            case .groups: "group"
            case .ciphers: "cipher suite"
            case .signatureAlgorithms: "signature algorithm"
            }
        }
    }

    /// The groups, as in `X25519`; none for OpenSSL's own.
    package var groups: [String] = []
    /// The cipher suites: those of TLS 1.3 by their names, the others by what OpenSSL has for them; none for all.
    package var ciphers: [String] = []
    /// The signature algorithms, as in `rsa_pss_rsae_sha256`; none for OpenSSL's own.
    package var signatureAlgorithms: [String] = []

    /// Everything is offered.
    package init() {}

    /// Whether everything is.
    package var isEmpty: Bool { self == HandshakeOffer() }

    /// Whether servers may still choose among certificates with keys of all types.
    package var leavesKeyTypesOpen: Bool { ciphers.isEmpty && signatureAlgorithms.isEmpty }

    /// The cipher suites of TLS 1.3.
    package var newCiphers: [String] { ciphers.filter(Self.isNew) }

    /// Those of TLS 1.2 and older.
    package var oldCiphers: [String] { ciphers.filter { !Self.isNew($0) } }

    /// This offer, with `other` for the parts of which it says nothing.
    package func merged(over other: HandshakeOffer) -> HandshakeOffer {
        var merged = self
        if groups.isEmpty { merged.groups = other.groups }
        if ciphers.isEmpty { merged.ciphers = other.ciphers }
        if signatureAlgorithms.isEmpty { merged.signatureAlgorithms = other.signatureAlgorithms }
        return merged
    }

    /// Whether a suite is one of TLS 1.3: OpenSSL names no other so.
    private static func isNew(_ cipher: String) -> Bool { cipher.utf8.starts(with: "TLS_".utf8) }
}

extension HandshakeOffer: CustomStringConvertible {
    /// What is offered of each part that is restricted.
    package var description: String {
        [("groups", groups), ("cipher suites", ciphers), ("signature algorithms", signatureAlgorithms)].filter {
            !$0.1.isEmpty
        }.map { "\($0.0) \($0.1.joined(separator: ", "))" }.joined(separator: "; ")
    }
}

/// A word that OpenSSL does not know in a part of an offer.
package struct UnknownOfferWord: Error, Sendable, Hashable {
    /// Which part.
    package let part: HandshakeOffer.Part
    /// The word.
    package let word: String
    /// The words that it does know, as far as they have names.
    package let known: [String]
    /// The version of OpenSSL.
    package let version: String

    /// Whether it names a group that keeps secrets from quantum computers (ML-KEM).
    package var isPostQuantum: Bool { part == .groups && word.uppercased().contains("MLKEM") }
}
