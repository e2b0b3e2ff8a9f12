import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

@Suite(.endsSomeTime) struct SecretArgumentTests {
    /// A key whose text the parser would take for an option, and the ways a shell hands it over.
    @Test func aPrivateKeyAmongTheArgumentsIsRefusedAndNeverShown() async throws {
        let key = try LabKey.shared(.p256, label: "arguments").privateKeyPEM()
        let body = key.split(separator: "\n").dropFirst().dropLast().joined()
        for text in [
            key, key.replacing("\n", with: ""), key.replacing("\n", with: "\r\n"), key.replacing("\n", with: "\n  "),
            key.lowercased(), try StandardPKI.shared().leaf.pem + key,
            key.replacing("PRIVATE KEY", with: "EC PRIVATE KEY"),
        ] {
            for arguments in [["host", "--pins", text], ["host", "--pins=" + text], [text], ["host", "--sni", text]] {
                let outcome = await pincheck(arguments).expect(.data, "")
                #expect(outcome.errors.hasPrefix("Error: an argument is a private key; it was not used"))
                #expect(!outcome.errors.lowercased().contains(body.prefix(8).lowercased()))
                #expect(!outcome.errors.lowercased().contains(body.suffix(8).lowercased()))
            }
        }
    }

    @Test func aNameThatSpeaksOfPrivateKeysIsNoKey() async {
        let name = "/nonexistent/directory/with/a-private-key--and-more.pem"
        await pincheck("host", "--pins", name).expect(.noInput, errors: name)
    }

    @Test func whatTheParserQuotesIsCutShort() async {
        let outcome = await pincheck("host", "--pins", "--" + String(repeating: "QUJD", count: 1_000)).expect(.usage)
        #expect(outcome.errors.count < 1_000)
    }

    /// The first, a middle and the last line of keys as OpenSSL writes them: EC in PKCS #8 and SEC 1, RSA.
    private static let lines = [
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghsMP5nMlMM7Nesmi",
        "jylvMUsT5cepgwKWbarSuo+blhZBGNrmbVNHOP1GDscNJWQPZd1dxO2N",
        "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC9D8jLps54JXye",
        "0qKy/cWrSIcdp29T/i+tWLT3Ge4fMCy5rIOLypIK+ScMnIX2srUePpoNzQcWuzLG", "robIgS3f/nnTb6gr75Yh+JkU",
        "m5YWQRja5m1TRzj9Rg7HDSVkD2XdXcTtjQ==",
    ]

    /// Options whose value is the name of a file that would be made.
    private static let written: Set = ["--output", "--state", "--save"]

    @Test(arguments: LabCommand.all()) func noOptionShowsALineOfAPrivateKey(command: LabCommand) async {
        for (index, argument) in command.arguments.enumerated() {
            // Two kinds of lines for each option, all of them for each command.
            for line in [Self.lines[index % Self.lines.count], Self.lines[(index + 3) % Self.lines.count]] {
                let value = argument.map { Self.written.contains($0) ? "/nonexistent/" + line : line } ?? line
                let target = ["check": ["127.0.0.1:1"], "verify": ["/nonexistent"], "pins": ["127.0.0.1:1"]]
                let words = argument.map { (target[command.name] ?? []) + [$0, value] } ?? [value]
                let outcome = await pincheck([command.name] + words)
                let text = (outcome.output + outcome.errors).lowercased()
                for piece in [line.prefix(16), line.suffix(16), line.dropFirst(4).prefix(16)] {
                    #expect(!text.contains(piece.lowercased()), "\(command.name) \(words): \(text)")
                }
            }
        }
    }

    /// Every key of a line, and what is no key.
    private static let keys = [
        "connect=", "sni=", "host=", "verify-name=", "pins=", "client=", "device=", "request=/", "request=/tmp/",
        "expect-status=", "conect=", "=", "", "connect=1.2.3.4:", "client=okhttp:pattern=", "sni=a.",
        "request=/?token=",
    ]

    @Test func noKeyOfAListShowsALineOfAPrivateKey() async throws {
        for (index, key) in Self.keys.enumerated() {
            for line in [Self.lines[index % Self.lines.count], Self.lines[(index + 3) % Self.lines.count]] {
                let list = Array("127.0.0.1:1 \(key)\(line)\n".utf8)
                let values = key.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let policyKey = ["verify-name": "verifyName", "expect-status": "expectStatus"]
                let name = values.first.map { policyKey[String($0)] ?? String($0) } ?? ""
                let value = (values.count > 1 ? values[1] : "") + line
                let policy = Array("{hosts: {\"127.0.0.1:1\": {\"\(name)\": \"\(value)\"}}}".utf8)
                for (option, input) in [("--targets", list), ("--policy", policy)] {
                    for form in ["text", "json"] {
                        let outcome = await pincheck([option, "-", "-f", form], input: input)
                        let text = (outcome.output + outcome.errors).lowercased()
                        for piece in [line.prefix(16), line.suffix(16), line.dropFirst(4).prefix(16)] {
                            #expect(!text.contains(piece.lowercased()), "\(option) \(key): \(text)")
                        }
                    }
                }
            }
        }
    }

    /// The path that is asked for is in the report, and in the files of it.
    @Test func noReportOnARequestShowsALineOfAPrivateKey() async throws {
        let pki = try StandardPKI.shared()
        let line = Self.lines[0]
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "root.pem")
            try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
                let list = "\(StandardPKI.serverName) connect=127.0.0.1:\(server.port) request=/\(line)\n"
                let file = files.path + "/report.json"
                let outcome = await pincheck(
                    ["--targets", "-", "--anchors", anchors, "--timeout", "2", "-f", "text", "-f", "json=\(file)"],
                    input: Array(list.utf8))
                let written = try String(contentsOfFile: file, encoding: .utf8)
                #expect(outcome.output.contains("GET /") && written.contains("\"path\""))
                for text in [outcome.output, outcome.errors, written] {
                    #expect(!text.contains(line.prefix(16)) && !text.contains(line.suffix(16)), "\(text)")
                }
            }
        }
    }

    @Test func aLineBehindDashesIsHiddenToo() async {
        for line in Self.lines {
            for word in ["--" + line, "-" + line, "--x" + line] {
                let outcome = await pincheck("127.0.0.1:1", word)
                for piece in [line.prefix(16), line.suffix(16)] {
                    #expect(!(outcome.output + outcome.errors).contains(piece), "\(outcome.errors)")
                }
            }
        }
    }

    @Test func whatOnlyLooksLikeASecretIsShown() async throws {
        let pin = try StandardPKI.shared().leaf.pin
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(try StandardPKI.shared().leaf.pem, to: "chain.pem")
            let path = try files.write("sha256/AAAA", to: "Ab3dE5fGhI7jK9lM1nOp3Qr5sT")
            let outcome = await pincheck("verify", chain, "--anchors", chain, "--pins", pin, "-f", "json")
            #expect(outcome.output.contains(pin.dropFirst("sha256/".count)))
            #expect(await pincheck("verify", chain, "--pins", path).errors.contains(path))
            let bare = String(pin.dropFirst("sha256/".count))
            #expect(await pincheck("verify", chain, "--pins", bare, "-f", "json").output.contains(bare))
        }
    }

    @Test func aLineWithAPrivateKeyIsRefusedAndNotShown() async throws {
        let key = try LabKey.shared(.p256, label: "arguments").privateKeyPEM().replacing("\n", with: "")
        for line in ["127.0.0.1:1 pins='\(key)'", "'\(key)'", "127.0.0.1:1 'sni=\(key)'"] {
            let outcome = await pincheck("--targets", "-", input: Array((line + "\n").utf8)).expect(.data, "")
            #expect(
                outcome.errors
                    == "Error: standard input:1: this is a private key; it was not used and no part of it is shown\n")
        }
    }
}
