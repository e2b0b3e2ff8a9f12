/// What a ClientHello offers, where that is not everything: lists in OpenSSL's words, preferred first.
package struct HandshakeOffer: Sendable, Hashable {
    /// The groups of the key exchange, as in `X25519:P-256`; `nil` for OpenSSL's own.
    package var groups: String?
    /// The cipher suites: those of TLS 1.3 by their names, the others by what OpenSSL has for them; `nil` for all.
    package var ciphers: String?
    /// The algorithms that the server may sign with, as in `rsa_pss_rsae_sha256`; `nil` for OpenSSL's own.
    package var signatureAlgorithms: String?

    package init() {}

    package var isEmpty: Bool { self == HandshakeOffer() }

    /// Whether servers may still choose among certificates with keys of all types.
    package var leavesKeyTypesOpen: Bool { ciphers == nil && signatureAlgorithms == nil }

    /// The cipher suites of TLS 1.3 and those of older versions: OpenSSL names no other with `TLS_`.
    package var suites: (new: [Substring], old: [Substring]) {
        let suites = ciphers?.split { $0 == ":" } ?? []
        return (suites.filter { $0.hasPrefix("TLS_") }, suites.filter { !$0.hasPrefix("TLS_") })
    }

    /// This offer, with `other` for the parts of which it says nothing.
    package func merged(over other: HandshakeOffer) -> HandshakeOffer {
        var merged = self
        merged.groups = groups ?? other.groups
        merged.ciphers = ciphers ?? other.ciphers
        merged.signatureAlgorithms = signatureAlgorithms ?? other.signatureAlgorithms
        return merged
    }
}

extension HandshakeOffer: CustomStringConvertible {
    package var description: String {
        [
            groups.map { "groups \($0)" }, ciphers.map { "cipher suites \($0)" },
            signatureAlgorithms.map { "signature algorithms \($0)" },
        ].compactMap(\.self).joined(separator: "; ")
    }
}
