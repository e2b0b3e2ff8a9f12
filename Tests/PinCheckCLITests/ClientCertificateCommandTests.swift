import LoopbackLab
import PinCheckCLI
import Testing

/// `pincheck check` for servers that ask who their client is.
@Suite(.timeLimit(.minutes(5))) struct ClientCertificateCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    @Test func aServerThatInsistsGetsTheCertificate() async throws {
        let client = try pki.interA.issue(.leaf("client.example.com"))
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let certificate = try files.write(client.pem + pki.interA.pem, to: "client.pem")
            let key = try files.write(try client.key.privateKeyPEM(), to: "client.key")
            let both = try files.write(try client.pem + client.key.privateKeyPEM(), to: "both.pem")
            for arguments in [["--cert", certificate, "--key", key], ["--cert", both]] {
                let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
                    $0.clientCertificate = .required
                    $0.maximumVersion = .tls12
                }
                try await LoopbackServer.serving(.tls(settings)) { server in
                    let base = [
                        host, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors, "--format", "json",
                    ]
                    await pincheck(base + arguments).expect(.pass, #""client_certificate_sent" : true"#)
                    let seen = try #require(await server.connections(ended: 1).first)
                    #expect(seen.clientCertificate == client.der)
                    #expect(seen.completedHandshake)
                }
            }
        }
    }

    @Test func filesThatCannotBeUsedAreNamedAndNoKeyIsShown() async throws {
        let client = try pki.interA.issue(.leaf("client.example.com"))
        try await TemporaryDirectory.scoped { files in
            let certificate = try files.write(client.pem, to: "client.pem")
            let key = try files.write(try client.key.privateKeyPEM(), to: "client.key")
            let other = try files.write(try pki.leaf.key.privateKeyPEM(), to: "other.key")
            let cases: [(arguments: [String], status: ExitStatus, words: String)] = [
                (["--key", key], .usage, "client.key' needs the certificate that goes with it"),
                (
                    ["--cert", certificate], .usage,
                    "client.pem' holds no private key beside the certificate: give --key"
                ), (["--cert", key, "--key", key], .data, "client.key' holds no certificate"),
                (["--cert", certificate, "--key", certificate], .data, "client.pem' holds no private key"),
                (["--cert", certificate, "--key", other], .data, "other.key' holds a key that does not belong"),
                (["--cert", "/nonexistent/c.pem", "--key", key], .noInput, "c.pem': there is no such file"),
            ]
            for (arguments, status, words) in cases {
                await pincheck([host, "--connect", "127.0.0.1:9"] + arguments).expect(
                    status, errors: words, not: "PRIVATE KEY-", "MIG")
            }
        }
    }
}
