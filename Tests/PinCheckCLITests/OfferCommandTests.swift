import LoopbackLab
import Testing

@testable import PinCheckCLI

/// What a ClientHello offers: `--groups`, `--ciphers`, `--sigalgs`.
@Suite(.endsSomeTime) struct OfferCommandTests {
    private let pki: StandardPKI
    private static let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    private func serving(_ settings: TLSServerSettings? = nil, _ body: (_ arguments: [String]) async throws -> Void)
        async throws
    {
        let settings = settings ?? TLSServerSettings(presenting: [pki.leaf, pki.interA])
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.tls(settings)) { server in
                try await body([
                    Self.host, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors, "--at",
                    String(LabClock.now),
                ])
            }
        }
    }

    private func connection(_ arguments: [String]) async throws -> JSONValue {
        let outcome = await pincheck(arguments + ["--format", "json"]).expect(.pass)
        return try JSONValue(outcome.output)["tls"]
    }

    @Test func groupsAreOfferedInTheirOrder() async throws {
        try await serving { arguments in
            let tls = try await connection(arguments + ["--groups", "P-384:X25519"])
            #expect(tls["group"].text == "P-384")
            #expect(try await connection(arguments + ["--groups", "prime256v1,P-521"])["group"].text == "P-256")
        }
    }

    @Test func cipherSuitesSayWhichVersionsAreOffered() async throws {
        try await serving { arguments in
            let new = try await connection(arguments + ["--ciphers", "TLS_CHACHA20_POLY1305_SHA256"])
            #expect(new["cipher"].text == "TLS_CHACHA20_POLY1305_SHA256")
            #expect(new["version"].text == "TLSv1.3")
            let old = try await connection(
                arguments + ["--ciphers", "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"])
            #expect(old["version"].text == "TLSv1.2")
            #expect(old["cipher"].text == "ECDHE-ECDSA-AES128-GCM-SHA256")
            let both = try await connection(
                arguments + ["--ciphers", "TLS_AES_128_GCM_SHA256,ECDHE-ECDSA-AES128-GCM-SHA256"])
            #expect(both["cipher"].text == "TLS_AES_128_GCM_SHA256")
        }
    }

    @Test func aClientCertificateIsSignedWithWhateverTheServerTakes() async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with { $0.clientCertificate = .required }
        let client = try pki.interA.issue(.leaf("client.example.com"), key: .generate(.rsa(bits: 2_048)))
        try await TemporaryDirectory.scoped { files in
            let certificate = try files.write(try client.pem + client.key.privateKeyPEM(), to: "client.pem")
            try await serving(settings) { arguments in
                // The server's key is no RSA key, and the client's is no other.
                let tls = try await connection(
                    arguments + ["--sigalgs", "ecdsa_secp256r1_sha256", "--cert", certificate])
                #expect(tls["client_certificate_sent"].flag == true)
            }
        }
    }

    @Test(arguments: [
        (["--groups", "secp256k1", "--max-tls", "1.2", "--ciphers", "ECDHE"], "groups secp256k1; cipher suites ECDHE"),
        (["--sigalgs", "ed448"], "signature algorithms ed448"),
        (["--ciphers", "ECDHE-RSA-AES128-GCM-SHA256"], "cipher suites ECDHE-RSA-AES128-GCM-SHA256"),
    ]) func aServerThatTakesNothingOfItIsToldFromABrokenOne(offer: [String], shown: String) async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA])
        try await serving(settings) { arguments in
            let outcome = await pincheck(arguments + offer + ["--format", "json"]).expect(.unreachable)
            let reason = try JSONValue(outcome.output)["reason"]
            #expect(reason["id"].text == "offer-refused", "\(reason)")
            #expect(
                reason["message"].text?.contains("takes nothing of what was offered (\(shown)): alert ") == true,
                "\(reason)")
        }
    }

    @Test func whatFitsNoVersionIsToldFromARefusal() async throws {
        try await serving { arguments in
            let outcome = await pincheck(arguments + ["--groups", "secp256k1", "--min-tls", "1.3", "--format", "json"])
            let reason = try JSONValue(outcome.output)["reason"]
            #expect(outcome.status == .unreachable && reason["id"].text == "offer-refused")
            #expect(
                reason["message"].text?.contains("(groups secp256k1) fits none of the TLS versions") == true,
                "\(reason)")
        }
    }
}
