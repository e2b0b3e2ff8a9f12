import Pinning
import TLSProbe

extension CheckedConnection {
    /// What deserves attention of the handshake itself, whoever judges the chain.
    var handshakeFindings: [Finding] {
        guard let result = served else { return [] }
        return [keyExchangeFinding(result), clientCertificateFinding(result)].compactMap(\.self)
    }

    private func keyExchangeFinding(_ result: Handshake) -> Finding? {
        switch result.keyExchange {
        case .ephemeral, .other: nil
        case .ephemeralInGroup(let bits):
            bits >= 2_048
                ? nil
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

    /// That the server ended the handshake for want of a client certificate, or of another than the one given.
    private func clientCertificateFinding(_ result: Handshake) -> Finding? {
        guard result.clientCertificateRequested, !result.handshakeCompleted else { return nil }
        let isGiven = endpoint.request.clientIdentity != nil
        let given =
            !isGiven ? "without one" : result.clientCertificateSent ? "after the one given" : "without the one given"
        return .warning(
            id: "client-certificate-required",
            message: "the server asked for a client certificate and ended the handshake \(given): "
                + "its chain is judged all the same", remedy: isGiven ? nil : .giveClientCertificate)
    }
}
