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

    private func advice(_ outcome: Outcome) throws -> JSONValue {
        try JSONValue(outcome.output)["results"].array[0]["recommendation"]
    }

    private func pins(_ outcome: Outcome) throws -> [String] {
        try advice(outcome)["pins"].array.compactMap { $0["pin"].text }
    }

    // MARK: pins --recommend

    @Test func theOtherKeyIsNoReserveWhereItWasSeen() async throws {
        try await serving { server, files in
            let recommend = ["pins"] + server + ["--recommend", "--format", "json", "--key", files.path + "/rsa.key"]
            let seen = await pincheck(recommend + ["--key-types", "all"])
            let unfit = try advice(seen)["unfit"].array.compactMap { $0["id"].text }
            #expect(unfit == ["reserve-in-use"])
            #expect(try pins(seen) == [pki.rootA.pin])
            #expect(try advice(seen)["unseen"].isNull)
            // Nobody looked, so that it is said.
            let unseen = await pincheck(recommend)
            #expect(try pins(unseen) == [pki.leaf.pin, rsa.pin])
            #expect(try advice(unseen)["unseen"]["id"].text == "key-types-unseen")
        }
    }

    @Test func theKeysOfAllTypesAreShippedBesideOneInReserve() async throws {
        try await serving { server, files in
            let key = ["--key", files.path + "/backup.key"]
            let json = await pincheck(
                ["pins"] + server + ["--recommend", "--format", "json", "--key-types", "rsa,ecdsa"] + key)
            let pins = try pins(json)
            #expect(pins.count == 3 && pins.prefix(2) == [pki.leaf.pin, rsa.pin])
            #expect(
                try advice(json)["pins"].array.compactMap { $0["reason"]["id"].text } == [
                    "server-key", "server-key", "key-in-reserve",
                ])
            let text = await pincheck(["pins"] + server + ["--recommend", "--key-types", "all"] + key).output
            #expect(text.contains("the server's own keys and one in reserve"), "\(text)")
            #expect(text.contains("the server's own key for clients that ask for RSA"), "\(text)")
        }
    }

    @Test func aPinOfTodayForTheOtherKeyIsNoBackup() async throws {
        try await serving { server, files in
            let today = ["--pins", files.path + "/leaf.pub", "--pins", files.path + "/rsa.pub"]
            let recommend = ["pins"] + server + ["--recommend", "--format", "json"] + today
            let seen = await pincheck(recommend + ["--key-types", "all"])
            #expect(
                try advice(seen)["current_pins"].array.compactMap { $0["standing"]["id"].text } == [
                    "server-key", "server-key",
                ])
            #expect(try advice(seen)["current"].array.compactMap { $0["id"].text } == ["leaf-without-reserve"])
            let unseen = await pincheck(recommend)
            #expect(try advice(unseen)["current_pins"].array[1]["standing"]["id"].text == "backup")
            #expect(try advice(unseen)["unseen"]["id"].text == "key-types-unseen")
            let leafAlone = await pincheck(
                ["pins"] + server + [
                    "--recommend", "--format", "json", "--key-types", "all", "--pins", files.path + "/leaf.pub",
                ])
            let concerns = try advice(leafAlone)["current"].array.compactMap { $0["id"].text }
            #expect(concerns.contains("other-key-type-unpinned"))
        }
    }

    @Test func anOtherKeyThatIsNotTrustedIsToldAndNotRecommended() async throws {
        let stranger = try LabCertificate.selfSigned(.leaf(host), key: rsa.key)
        try await serving([stranger]) { server, files in
            let key = ["--key", files.path + "/backup.key"]
            let outcome = await pincheck(
                ["pins"] + server + ["--recommend", "--format", "json", "--key-types", "all"] + key)
            #expect(outcome.status == .fail)
            #expect(try !pins(outcome).contains(rsa.pin))
            let results = try JSONValue(outcome.output)["results"].array
            #expect(results.count == 2 && results[1]["key_type"].text == "RSA")
            // It is in use all the same.
            let same = await pincheck(
                ["pins"] + server + [
                    "--recommend", "--format", "json", "--key-types", "all", "--key", files.path + "/rsa.key",
                ])
            #expect(try advice(same)["unfit"].array.compactMap { $0["id"].text } == ["reserve-in-use"])
        }
    }

    // MARK: pins

    @Test func everyKeyOfTheServerIsPrintedOnce() async throws {
        try await serving { server, _ in
            let json = await pincheck(["pins"] + server + ["--format", "json", "--key-types", "all"])
            #expect(json.status == .pass)
            let results = try JSONValue(json.output)["results"].array
            #expect(results.map { $0["key_type"].text } == [nil, "RSA"])
            let text = await pincheck(["pins"] + server + ["--key-types", "all"]).output
            #expect(text.contains("asked for RSA\n  0 leaf") && text.contains("no certificate with a key for Ed25519"))
            let block = await pincheck(["pins"] + server + ["--key-types", "all", "--format", "okhttp"]).output
            for pin in [pki.leaf.pin, rsa.pin] { #expect(block.contains("\n    .add(\"\(host)\", \"\(pin)\")")) }
        }
    }

    @Test func aKeyOfAnotherTypeIsAReserveOnlyAsFarAsAnybodyLooked() async throws {
        try await serving { server, files in
            let block = ["pins"] + server + ["--format", "okhttp", "--key", files.path + "/rsa.key"]
            let unseen = await pincheck(block)
            #expect(unseen.errors.contains("Note: ") && unseen.errors.contains("--key-types all"), "\(unseen.errors)")
            let seen = await pincheck(block + ["--key-types", "rsa"])
            #expect(seen.errors.contains("is no reserve"), "\(seen.errors)")
            #expect(seen.output.contains("// Backup: add the pin of a second key"), "\(seen.output)")
            // A key of the type that is served cannot be the other one.
            let same = await pincheck(["pins"] + server + ["--format", "okhttp", "--key", files.path + "/backup.key"])
            #expect(same.errors.isEmpty)
        }
    }

    @Test func aBlockNamesNoPathOfTheMachine() async throws {
        try await serving { server, files in
            for format in ["okhttp", "android", "nspinned", "trustkit", "curl", "tlsa", "hpkp", "afnetworking"] {
                let block = await pincheck(
                    ["pins"] + server + ["--format", format, "--key", files.path + "/backup.key"])
                #expect(!block.output.contains(files.path), "\(block.output)")
                let alone = await pincheck("pins", files.path + "/leaf.pub", "--host", host, "--format", format)
                #expect(!alone.output.contains(files.path), "\(alone.output)")
            }
        }
    }

    // MARK: check

    @Test func aBackupThatMayBeTheOtherKeyIsSaidToBeOneOnlyWhereBackupsDecide() async throws {
        try await serving { server, files in
            let check = server + ["--pins", files.path + "/leaf.pub", "--pins", files.path + "/rsa.pub"]
            func isNoted(_ more: [String]) async -> Bool {
                await pincheck(check + more).output.contains("--key-types all shows it")
            }
            #expect(await !isNoted([]))
            #expect(await isNoted(["--min-pin-life", "60d"]))
            #expect(await !isNoted(["--fail-on", "warn"]))
            #expect(await !isNoted(["--min-pin-life", "60d", "--key-types", "rsa,ecdsa"]))
        }
    }
}
