import Foundation
import LoopbackLab
import Base
import PinCheckCLI
import Pinning
import Testing

/// `pincheck verify` over files.
@Suite(.endsSomeTime) struct VerifyCommandTests {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    /// Runs with a chain file and an anchors file in a directory of the test's own.
    private func withFiles<Value: Sendable>(
        _ body: (TemporaryDirectory, _ chain: String, _ anchors: String) async throws -> Value
    ) async throws -> Value {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            return try await body(files, chain, anchors)
        }
    }

    @Test func acceptsATrustedChainForItsNameAndRejectsItForAnother() async throws {
        try await withFiles { _, chain, anchors in
            await pincheck("verify", chain, "--anchors", anchors, "--verify-name", StandardPKI.serverName).expect(
                .pass, ending: "PASS  \(chain)  trusted and valid for \(StandardPKI.serverName) (no pins given)\n",
                errors: "")
            await pincheck("verify", chain, "--anchors", anchors, "--host", "www.example.org").expect(
                .fail, "FAIL  \(chain)  CN=leaf (depth 0) is not valid for ")
        }
    }

    @Test func aMalformedNameIsAVerdictAndNeverSkipsTheCheck() async throws {
        try await withFiles { _, chain, anchors in
            for name in [".example.com", "*.example.com", "api.example.com\0", "https://api.example.com", " ", "."] {
                let arguments = ["verify", chain, "--anchors", anchors, "--verify-name", name]
                #expect(await decision(arguments) == "fail name-mismatch", "\(name)")
                let outcome = await pincheck(arguments)
                #expect(isPlain(outcome.output))
            }
        }
    }

    @Test func withoutANameSaysThatNoneWasChecked() async throws {
        _ = try await withFiles { _, chain, anchors in
            await pincheck("verify", chain, "--anchors", anchors, "--explain").expect(
                .pass, "name not checked", "skip  name: ", errors: "Warning: \(chain): the name was not checked")
        }
    }

    @Test func readsStandardInputAndDER() async throws {
        try await withFiles { files, _, anchors in
            let pem = Array((pki.leaf.pem + pki.interA.pem).utf8)
            await pincheck(["verify", "-", "--anchors", anchors, "--host", StandardPKI.serverName], input: pem).expect(
                .pass)
            let der = try files.write(pki.leaf.der, to: "leaf.der")
            let issuer = try files.write(pki.interA.der, to: "issuer.der")
            #expect(await pincheck("verify", der, "--anchors", issuer).status == .pass)
        }
    }

    @Test func filesThatHoldNoChainEndWith65AndMissingOnesWith66() async throws {
        try await withFiles { files, _, anchors in
            let broken: [(String, [UInt8])] = [
                ("empty.pem", []), ("text.pem", Array("no certificate here\n".utf8)),
                ("cut.der", Array(pki.leaf.der.dropLast(10))), ("long.der", pki.leaf.der + [0]),
                ("cut.pem", Array(pki.leaf.pem.utf8.prefix(200))),
            ]
            for (name, bytes) in broken {
                let path = try files.write(bytes, to: name)
                let chain = await pincheck("verify", path, "--anchors", anchors).expect(.data, "")
                #expect(chain.errors.hasPrefix("Error: '\(path)' "), "\(chain.errors)")
                #expect(chain.errors.split(separator: "\n").count == 1)
                await pincheck(["verify", "-", "--anchors", path], input: pki.leaf.der).expect(.data)
            }
            let emptyDirectory = try files.makeDirectory("none")
            for path in [files.path + "/missing.pem", files.path, "", emptyDirectory] {
                #expect(await pincheck("verify", path).status == .noInput)
            }
            for path in [files.path + "/missing.pem", emptyDirectory] {
                #expect(await pincheck(["verify", "-", "--anchors", path], input: pki.leaf.der).status == .noInput)
            }
            #expect(await pincheck(["verify", "-", "--pins", emptyDirectory], input: pki.leaf.der).status == .noInput)
        }
    }

    @Test func aBundleIsNamedForWhatItIs() async throws {
        try await withFiles { files, _, _ in
            let message = signedData(of: [pki.leaf, pki.interA])
            for bytes in [message, Array(pem(message, label: "PKCS7").utf8)] {
                let path = try files.write(bytes, to: "next.p7b")
                let outcome = await pincheck("verify", path).expect(.data)
                #expect(
                    outcome.errors.hasPrefix(
                        "Error: '\(path)' is a PKCS #7 bundle, whose certificates are in no order: "))
            }
        }
    }

    @Test func neverPrintsAPrivateKey() async throws {
        try await withFiles { files, chain, anchors in
            let secret = String(repeating: "c2VjcmV0", count: 8)
            let path = try files.write(
                "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----\n", to: "key.pem")
            for arguments in [
                ["verify", path], ["verify", chain, "--anchors", path],
                ["verify", chain, "--anchors", anchors, "--pins", path],
            ] { await pincheck(arguments).expect(.data, not: "c2VjcmV0") }
        }
    }

    @Test func certificateFilesAloneMeanCertificateModeAndOthersPublicKeyMode() async throws {
        try await withFiles { files, chain, anchors in
            let certificate = try files.write(pki.rootA.der, to: "root.cer")
            let base = ["verify", chain, "--anchors", anchors, "--host", StandardPKI.serverName, "--format", "json"]
            let modes = [
                (["--pins", certificate], "certificate"), (["--pins", pki.leaf.pin], "public-key"),
                (["--pins", certificate, "--pins", pki.leaf.pin], "public-key"), ([], "none"),
                (["--pins", certificate, "--mode", "none"], "none"),
            ]
            for (arguments, mode) in modes { await pincheck(base + arguments).expect(.pass, "\"mode\" : \"\(mode)\"") }
            // What AFNetworking itself answers when it was given no pins.
            #expect(await pincheck(base + ["--mode", "certificate"]).decision == "fail no-pins")
            #expect(await pincheck(base + ["--mode", "public-key"]).decision == "fail no-pins")
        }
    }

    @Test func saysThatModeNoneComparesNoPins() async throws {
        try await withFiles { _, chain, anchors in
            let base = ["verify", chain, "--anchors", anchors, "--host", StandardPKI.serverName, "--mode", "none"]
            let outcome = await pincheck(base + ["--pins", pki.junk.pin]).expect(.pass)
            #expect(outcome.errors == "Warning: mode none ignores pins: the pin you gave is not used\n")
            #expect(await pincheck(base).errors.isEmpty)
        }
    }

    @Test func aPinFailureListsServedAndConfiguredPinsInFull() async throws {
        try await withFiles { _, chain, anchors in
            let outcome = await pincheck(
                "verify", chain, "--anchors", anchors, "--host", StandardPKI.serverName, "--pins", pki.junk.pin
            ).expect(.fail)
            for pin in [pki.leaf.pin, pki.interA.pin, pki.rootA.pin, pki.junk.pin] {
                #expect(outcome.output.contains("    \(pin)  "))
            }
            #expect(outcome.output.contains("pins: 1 configured, 0 matched, 1 not in the chain\n"))
            #expect(outcome.output.hasSuffix("FAIL  \(chain)  no configured pin is on the chain\n"))
        }
    }

    @Test func judgesAsOfTheTimeThatIsGiven() async throws {
        try await withFiles { _, chain, anchors in
            let base = ["verify", chain, "--anchors", anchors, "--host", StandardPKI.serverName]
            #expect(await decision(base + ["--at", "2200-01-01"]) == "fail expired")
            #expect(await decision(base + ["--at", "1999-01-01T00:00:00Z"]) == "fail not-yet-valid")
            #expect(await pincheck(base + ["--at", String(LabClock.now)], at: 0).status == .pass)
        }
    }

    @Test func anchorsStandAloneUnlessTheSystemIsAdded() async throws {
        try await withFiles { files, chain, anchors in
            let store = ["SSL_CERT_FILE": anchors]
            let other = try files.write(pki.rootB.pem, to: "other.pem")
            let base = ["verify", chain, "--host", StandardPKI.serverName]
            #expect(await decision(base) == "fail unknown-issuer")
            #expect(await pincheck(base, environment: store).status == .pass)
            #expect(await decision(base + ["--anchors", other], environment: store) == "fail unknown-issuer")
            #expect(await pincheck(base + ["--anchors", other, "--and-system"], environment: store).status == .pass)
            #expect(await pincheck(base + ["--anchors", other, "--anchors", anchors]).status == .pass)
            #expect(await pincheck(base + ["--anchors", files.path]).status == .pass)
        }
    }

    @Test func escapesWhatACertificateHidesInItsNames() async throws {
        let evil = "evil\u{1B}[2J\u{202E}moc.elgoog\0\nPASS  everything"
        let leaf = try pki.interA.issue(
            .leaf(subject: DistinguishedName(commonName: evil), names: [GeneralName(StandardPKI.serverName)]))
        let input = Array(leaf.pem.utf8)
        for format in ["text", "json"] {
            let outcome = await pincheck(["verify", "-", "--format", format, "--explain"], input: input).expect(
                .fail, "evil", not: "\nPASS")
            #expect(isPlain(outcome.output) && isPlain(outcome.errors))
        }
    }

    @Test func jsonKeepsEveryCharacterAndShowsNoneThatIsDangerous() async throws {
        try await TemporaryDirectory.scoped { files in
            let evil = "\u{1B}[2J\u{202E}\u{E0041}\u{9B}\u{2028}\"\\\u{7F}é東.pem"
            let chain = try files.write(pki.leaf.pem, to: evil)
            let outcome = await pincheck("verify", chain, "--format", "json").expect(.fail)
            #expect(isPlain(outcome.output))
            let document = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
            let object = try #require(document as? [String: Any])
            #expect(object["target"] as? String == chain)
            #expect(
                object.keys.sorted() == [
                    "built", "built_is_valid", "change", "checks", "clients", "consistency", "devices", "endpoint",
                    "evaluated_at", "exit", "http", "is_of_another_time", "monitoring", "next", "notes", "other_paths",
                    "outlook", "pins", "presented", "proxy", "reason", "revocation", "schema", "target", "tls",
                    "transparency", "unjudged", "variant", "verdict", "verify_name", "warnings", "why_unverified",
                ])
        }
    }

    @Test func quietWritesNothingButKeepsTheStatus() async throws {
        try await withFiles { _, chain, anchors in
            for format in ["text", "json"] {
                await pincheck("verify", chain, "--anchors", anchors, "--quiet", "--format", format).expect(
                    .pass, "", errors: "")
                await pincheck("verify", chain, "-q", "--format", format).expect(.fail, "", errors: "")
            }
            let error = await pincheck("verify", "/nonexistent", "-q")
            #expect(error.status == .noInput && !error.errors.isEmpty)
        }
    }

    @Test func jsonHoldsWarningsAndWritesNoneElsewhere() async throws {
        _ = try await withFiles { _, chain, anchors in
            await pincheck("verify", chain, "--anchors", anchors, "--format", "json").says(
                "\"id\" : \"name-not-checked\"", errors: "")
        }
    }

    @Test func aResultThatCannotBeWrittenEndsWith74AndABrokenPipeIsQuiet() async throws {
        try await withFiles { _, chain, anchors in
            for (failure, status) in [
                (OutputError.failed("No space left on device"), ExitStatus.inputOutput), (.brokenPipe, .pass),
            ] {
                let errors = OutputBuffer()
                let output = OutputStream(isTerminal: false) { _ throws(OutputError) in throw failure }
                let context = Context(
                    console: Console(output: output, errors: errors.stream()), environment: [:],
                    now: { .init(secondsSinceEpoch: LabClock.now) }, readStandardInput: { [] })
                let arguments = ["verify", chain, "--anchors", anchors, "--host", StandardPKI.serverName]
                #expect(await PinCheck.run(arguments: arguments, in: context) == status)
                #expect(
                    errors.text
                        == (status == .pass ? "" : "Error: the result could not be written: No space left on device\n"))
            }
        }
    }

    @Test(arguments: ["afnetworking", "alamofire", "okhttp", "trustkit", "android"])
    func anAuthorityPinnedBesideTheLeafIsWarnedOf(client: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let pki = try StandardPKI.shared()
            let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let command = [
                "verify", chain, "--anchors", anchors, "--host", StandardPKI.serverName, "--client", client, "-f",
                "json",
            ]
            let both = try JSONValue(await pincheck(command + ["--pins", chain]).output)
            #expect(both["reason"]["id"].text == "pin-matched")
            #expect(both["warnings"].array.contains { $0["id"].text == "authority-pin" }, "\(both["warnings"])")
            let authorities = try files.write(pki.interA.pem + pki.rootA.pem, to: "authorities.pem")
            let above = try JSONValue(await pincheck(command + ["--pins", authorities]).output)
            #expect(!above["warnings"].array.contains { $0["id"].text == "authority-pin" })
            #expect(above["notes"].array.contains { $0["id"].text == "authority-pin" }, "\(above["notes"])")
            // TrustKit starts with two pins only.
            let leaf = try files.write(pki.leaf.pem + pki.leaf2.pem, to: "leaf.pem")
            let alone = try JSONValue(await pincheck(command + ["--pins", leaf]).output)
            #expect(!alone["warnings"].array.contains { $0["id"].text == "authority-pin" })
            // Self-signed certificates of the leaf's key that OpenSSL made are those of CAs.
            guard ["okhttp", "trustkit", "android"].contains(client) else { return }
            let selfSigned = try LabCertificate.selfSigned(.authority("Leaf"), key: pki.leaf.key)
            let own = try files.write(selfSigned.pem + pki.leaf2.pem, to: "own.pem")
            let single = try JSONValue(await pincheck(command + ["--pins", own]).output)
            #expect(single["reason"]["id"].text == "pin-matched")
            #expect(!single["warnings"].array.contains { $0["id"].text == "authority-pin" }, "\(single["warnings"])")
        }
    }

    @Test func anchorsInADirectoryAreReadWhateverTheirNames() async throws {
        try await TemporaryDirectory.scoped { files in
            let pki = try StandardPKI.shared()
            let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "chain.pem")
            let directory = try files.makeDirectory("anchors")
            let name: [UInt8] = Array("\(directory)/caf".utf8) + [0xE9, 0]
            let file = try #require(name.withUnsafeBytes { fopen($0.bindMemory(to: CChar.self).baseAddress, "w") })
            fputs(pki.rootA.pem, file)
            fclose(file)
            await pincheck("verify", chain, "--anchors", directory, "--host", StandardPKI.serverName).expect(.pass)
            await pincheck("verify", chain, "--anchors", directory, "--pins", directory).expect(
                .noInput, errors: "is not UTF-8")
        }
    }
}
