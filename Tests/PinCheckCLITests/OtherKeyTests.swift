import LoopbackLab
import PinCheckCLI
import Testing

/// A server with an EC and an RSA key, of which most clients see one: the other is in use as well, and no reserve.
@Suite(.endsSomeTime) struct OtherKeyTests {
    let pki: StandardPKI
    let rsa: LabCertificate
    let host = StandardPKI.serverName

    init() throws {
        pki = try .shared()
        rsa = try pki.interA.issue(.leaf(host), key: try LabKey.shared(.rsa(bits: 2_048), label: "other key"))
    }

    /// Runs beside a server with both keys, with arguments that reach it and trust its root, and a file for each key.
    private func serving(
        _ second: [LabCertificate]? = nil,
        _ body: (_ arguments: [String], _ files: TemporaryDirectory) async throws -> Void
    ) async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try files.write(try rsa.key.privateKeyPEM(), to: "rsa.key")
            try files.write(try LabKey.generate().privateKeyPEM(), to: "backup.key")
            try files.write(pki.leaf.key.publicKeyPEM, to: "leaf.pub")
            try files.write(rsa.key.publicKeyPEM, to: "rsa.pub")
            let settings = TLSServerSettings([
                TLSIdentity([pki.leaf, pki.interA]), TLSIdentity(second ?? [rsa, pki.interA]),
            ])
            try await LoopbackServer.serving(.tls(settings)) { server in
                try await body([host, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors], files)
            }
        }
    }

    // MARK: pins --recommend

    @Test func theKeysOfAllTypesAreShippedBesideOneInReserve() async throws {
        try await serving { server, files in
            let arguments = ["pins"] + server + ["--recommend", "--key-types", "all", "--key"]
            let json = await pincheck(arguments + [files.path + "/backup.key", "--format", "json"])
            let results = try JSONValue(json.output)["results"].array
            let pins = results.map { $0["recommendation"]["pins"].array.compactMap { $0["pin"].text } }
            #expect(pins.map(\.first) == [pki.leaf.pin, rsa.pin] && pins.allSatisfy { $0.count == 2 })
            let block = await pincheck(arguments + [files.path + "/backup.key", "--format", "okhttp"]).output
            for pin in Set(pins.joined()) { #expect(block.contains("\n    .add(\"\(host)\", \"\(pin)\")"), "\(block)") }
            await pincheck(arguments + [files.path + "/rsa.key"]).says(
                errors: "rsa.key:1 is the key of \(host), which is on the chain already")
        }
    }

    // MARK: pins

    @Test func everyKeyOfTheServerIsPrintedOnce() async throws {
        try await serving { server, _ in
            let json = await pincheck(["pins"] + server + ["--format", "json", "--key-types", "all"]).expect(.pass)
            let results = try JSONValue(json.output)["results"].array
            #expect(results.map { $0["key_type"].text } == [nil, "RSA"])
            let text = await pincheck(["pins"] + server + ["--key-types", "all"]).output
            #expect(text.contains("asked for RSA\n  0 leaf") && text.contains("no certificate with a key for Ed25519"))
            let block = await pincheck(["pins"] + server + ["--key-types", "all", "--format", "okhttp"]).output
            for pin in [pki.leaf.pin, rsa.pin] { #expect(block.contains("\n    .add(\"\(host)\", \"\(pin)\")")) }
        }
    }

    @Test func aKeyOfAnotherTypeThatIsServedIsNoReserve() async throws {
        try await serving { server, files in
            let block = ["pins"] + server + ["--format", "okhttp", "--key", files.path + "/rsa.key"]
            await pincheck(block + ["--key-types", "rsa"]).says(
                "// Backup: add the pin of a second key", errors: "is no reserve")
        }
    }
}
