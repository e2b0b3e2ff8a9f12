import Pinning
import TLSProbe

extension CheckedConnection {
    /// What deserves attention of the handshake itself, whoever judges the chain.
    var handshakeFindings: [Finding] {
        guard let result = served else { return [] }
        return [keyExchangeFinding(result), clientCertificateFinding(result)].compactMap(\.self)
    }

    private func keyExchangeFinding(_ result: ProbeResult) -> Finding? {
        switch result.keyExchange {
        case .ephemeral, .other: nil
        case .ephemeralInGroup(let bits):
            bits >= 2_048
                ? withoutDHE
                : .warning(
                    id: "weak-key-exchange",
                    message:
                        "the key exchange is in a Diffie-Hellman group of \(bits) bits, and 2048 are the least that is safe: "
                        + "offer ECDHE")
        case .staticRSA:
            .warning(
                id: "no-forward-secrecy",
                message: "the key exchange is by RSA (\(result.cipher)): whoever gets the server's key reads what was "
                    + "recorded before; offer ECDHE")
        }
    }

    /// That the server chose what some of the clients do not have, as far as they were asked; it may have more to offer them.
    private var withoutDHE: Finding? {
        // BoringSSL, which both are built on, has no DHE at all.
        let names =
            judgement?.judgements.filter { [.android, .browser].contains($0.client.entry.platform) }.map(\.name) ?? []
        guard let first = names.first else { return nil }
        let isOne = names.allSatisfy { $0 == first }
        return .warning(
            id: "unsupported-key-exchange",
            message:
                "the server chose DHE, which \(isOne ? first : "Android's clients and browsers") cannot do: a server that "
                + "has nothing else is out of reach for them; offer ECDHE")
    }

    /// That the server ended the handshake because it got no client certificate; with one that is another matter.
    private func clientCertificateFinding(_ result: ProbeResult) -> Finding? {
        guard endpoint.request.clientIdentity == nil, result.clientCertificateRequested, !result.handshakeCompleted
        else { return nil }
        return .warning(
            id: "client-certificate-required",
            message:
                "the server asked for a client certificate and ended the handshake without one: its chain is judged all the same",
            remedy: .giveClientCertificate)
    }
}
