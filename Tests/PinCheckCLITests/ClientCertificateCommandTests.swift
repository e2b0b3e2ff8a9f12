import LoopbackLab
import PinCheckCLI
import Testing

/// `pincheck check` for servers that ask who their client is.
@Suite(.timeLimit(.minutes(5))) struct ClientCertificateCommandTests {
    private let pki: StandardPKI
    private let client: LabCertificate

    init() throws {
        pki = try .shared()
        client = try pki.interA.issue(.leaf("client.example.com"))
    }

    private func texts() throws -> [String: String] {
        let key = try client.key.privateKeyPEM()
        return [
            "client.pem": client.pem, "whole.pem": client.pem + pki.interA.pem, "client.key": key,
            "both.pem": client.pem + key, "other.key": try pki.leaf.key.privateKeyPEM(),
        ]
    }

    @Test(arguments: ["--cert @whole.pem --key @client.key", "--cert @both.pem"])
    func aServerThatInsistsGetsTheCertificate(arguments: String) async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
            $0.clientCertificate = .required
            $0.maximumVersion = .tls12
        }
        try await Desk.serving(.tls(settings), texts()) { desk, server in
            await desk("CHECK -f json " + arguments).expect(.pass, #""client_certificate_sent" : true"#)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.clientCertificate == client.der && seen.completedHandshake)
        }
    }

    @Test(
        arguments: [
            ("--key @client.key", .usage, "client.key' needs the certificate that goes with it"),
            ("--cert @client.pem", .usage, "client.pem' holds no private key beside the certificate: give --key"),
            ("--cert @client.key --key @client.key", .data, "client.key' holds no certificate"),
            ("--cert @client.pem --key @client.pem", .data, "client.pem' holds no private key"),
            ("--cert @client.pem --key @other.key", .data, "other.key' holds a key that does not belong"),
            ("--cert /nonexistent/c.pem --key @client.key", .noInput, "c.pem': there is no such file"),
        ] as [(String, ExitStatus, String)]) func filesThatCannotBeUsedAreNamedAndNoKeyIsShown(
            arguments: String, status: ExitStatus, words: String
        ) async throws
    {
        try await desk("$HOST --connect 127.0.0.1:9 " + arguments, texts()).expect(
            status, errors: words, not: "PRIVATE KEY-", "MIG")
    }
}
