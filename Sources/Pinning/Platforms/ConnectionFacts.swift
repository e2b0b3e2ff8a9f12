package enum ProtocolVersion: UInt16, CaseIterable, Comparable, CustomStringConvertible {
    /// TLS 1.0 (RFC 2246). Broken, like 1.1: offered only on request.
    case tls10 = 0x0301
    case tls11, tls12, tls13

    /// The number alone, as in `1.2`, which users write.
    package var number: String { "1.\(rawValue - Self.tls10.rawValue)" }
    /// The name in documents, as in `TLSv1.3`.
    package var name: String { "TLSv" + number }
    package var description: String { "TLS " + number }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The facts of a handshake by which platforms judge.
package struct ConnectionFacts: CustomStringConvertible {
    /// A suite, group or signature algorithm, with its name and IANA's number, 0 if that is not known.
    package typealias Choice = (number: UInt16, name: String)

    package let version: ProtocolVersion
    package let suite: Choice
    /// The named group; `nil` if the key exchange uses none.
    package let group: Choice?
    /// The algorithm that the server signed with; `nil` before TLS 1.2 and if the exchange is static RSA.
    package let signature: Choice?
    /// The bits of the prime of a Diffie-Hellman group, TLS 1.3's or the server's; `nil` if another exchange is used.
    package let primeBits: Int?
    /// `true` if the client encrypted the secret to the certificate's RSA key, which decrypts all recorded traffic.
    package let isStaticRSA: Bool

    package init(
        _ version: ProtocolVersion, _ suite: Choice, group: Choice?, signature: Choice? = nil, primeBits: Int? = nil,
        isStaticRSA: Bool = false
    ) {
        (self.version, self.suite, self.group, self.signature) = (version, suite, group, signature)
        (self.primeBits, self.isStaticRSA) = (primeBits, isStaticRSA)
    }

    package var hasECDHE: Bool { group != nil && primeBits == nil }

    package var description: String { "\(version.name) \(suite.name)" + (group.map { " \($0.name)" } ?? "") }
}

/// The refusal of exactly the offer of a client's TLS.
package enum HandshakeRefusal: Hashable {
    /// The server's refusal in a clause, as in `alert protocol_version (70)`.
    case byServer(String)
    /// The options leave nothing of the offer, so the server was not asked.
    case byOptions(OfferedPart)
}

/// A part of a ClientHello that options restrict.
package enum OfferedPart: Error { case lowestVersion, highestVersion, suites, groups, signatures }

extension TLSStack {
    package enum Lack: Hashable {
        case version(ProtocolVersion)
        case key(KeyAlgorithm)
        case choice(String)

        /// `true` if a server could choose otherwise for another offer.
        var isNegotiated: Bool { if case .key = self { false } else { true } }
    }

    /// The parts of a handshake outside the offer, in order; without a connection only the leaf's key is judged.
    package func lacks(_ facts: ConnectionFacts?, _ leaf: PublicKey) -> [Lack] {
        let key: [Lack] = takes(leaf.algorithm, in: facts?.version) ? [] : [.key(leaf.algorithm)]
        guard let facts else { return key }
        func choice(_ choice: ConnectionFacts.Choice?, in offer: [UInt16]?) -> [Lack] {
            guard let choice, let offer, !offer.contains(choice.number) else { return [] }
            // Only OpenSSL offers choices whose number is not known here.
            if curves == nil, choice.number == 0 { return [] }
            return [.choice(choice.name)]
        }
        return (versions.contains(facts.version) ? [] : [.version(facts.version)]) + key
            + choice(facts.suite, in: suites) + choice(facts.group, in: groups.map { $0 + perhaps })
            + choice(facts.signature, in: signatures)
    }

    /// `true` if only an update may have added the handshake's group to the offer.
    package func isUncertain(_ facts: ConnectionFacts?) -> Bool {
        facts?.group.map { perhaps.contains($0.number) } ?? false
    }

    /// `true` if the offer accepts a leaf with such a key, in a version or in any.
    ///
    /// BoringSSL refuses a TLS 1.2 leaf on a curve that it does not offer as a group (Conscrypt: P-521). In TLS 1.3 an
    /// elliptic curve has one signature algorithm (RFC 8446, 4.2.3), and only OpenSSL offers that of P-521.
    private func takes(_ key: KeyAlgorithm, in version: ProtocolVersion?) -> Bool {
        guard let curves else { return true }
        switch key {
        case .rsa: return true
        case .ec("P-521", _) where (version ?? versions.lowerBound) >= .tls13: return false
        case .ec(let curve, _): return curves.contains(curve)
        case .rsaPSS, .other, .unknown: return false
        }
    }

    /// The reason why the client cannot connect, as a sentence without the client.
    func words(for lack: Lack, _ facts: ConnectionFacts?, _ refusal: HandshakeRefusal?) -> String {
        if case .byOptions = refusal { return "what may be offered leaves nothing that \(name) offers" }
        let (own, rest): (String, String)
        switch lack {
        case .version(let version):
            let isNewer = version > versions.upperBound
            own = "offers \(isNewer ? versions.upperBound : versions.lowerBound) at \(isNewer ? "most" : "least")"
            rest = "chose \(version) here, refuses that"
        case .key(let key):
            own = "takes no leaf with \("\(key)".hasPrefix("D") ? "a" : "an") \(key) key"
            rest = "has one here, refuses the rest"
        case .choice(let choice):
            own = "does not offer \(choice)"
            rest = "chose it here, refuses the rest"
        }
        let dated = name == "iOS 12.1.3" && lack == .version(.tls13) ? " (iOS 12.2 has TLS 1.3)" : ""
        if case .byServer(let how) = refusal { return "\(name) \(own)\(dated), and the server, which \(rest): \(how)" }
        return "\(name) \(own)\(dated)"
    }
}
