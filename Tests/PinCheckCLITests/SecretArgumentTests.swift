import Foundation
import LoopbackLab
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct SecretArgumentTests {
    /// A key whose text the parser would take for an option, and the ways a shell hands it over.
    @Test func aPrivateKeyAmongTheArgumentsIsRefusedAndNeverShown() async throws {
        let key = try LabKey.shared(.p256, label: "arguments").privateKeyPEM()
        let body = key.split(separator: "\n").dropFirst().dropLast().joined()
        for text in [
            key, key.replacing("\n", with: ""), key.replacing("\n", with: "\r\n"), key.replacing("\n", with: "\n  "),
            key.lowercased(), pki.leaf.pem + key, key.replacing("PRIVATE KEY", with: "EC PRIVATE KEY"),
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

    /// The first, a middle and the last line of keys as OpenSSL writes them: EC in PKCS #8 and SEC 1, RSA.
    private static let lines = [
        "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghsMP5nMlMM7Nesmi",
        "jylvMUsT5cepgwKWbarSuo+blhZBGNrmbVNHOP1GDscNJWQPZd1dxO2N",
        "MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQC9D8jLps54JXye",
        "0qKy/cWrSIcdp29T/i+tWLT3Ge4fMCy5rIOLypIK+ScMnIX2srUePpoNzQcWuzLG", "robIgS3f/nnTb6gr75Yh+JkU",
        "m5YWQRja5m1TRzj9Rg7HDSVkD2XdXcTtjQ==",
    ]

    private func expectNothing(of line: String, in outcome: Outcome, _ what: String) {
        let text = (outcome.output + outcome.errors).lowercased()
        for piece in [line.prefix(16), line.suffix(16), line.dropFirst(4).prefix(16)] {
            #expect(!text.contains(piece.lowercased()), "\(what): \(text)")
        }
    }

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
                expectNothing(of: line, in: outcome, "\(command.name) \(words)")
            }
        }
    }

    private static let keys = [
        "connect=", "sni=", "host=", "verify-name=", "pins=", "client=", "device=", "request=/", "request=/tmp/",
        "expect-status=", "conect=", "=", "", "connect=1.2.3.4:", "client=okhttp:pattern=", "sni=a.",
        "request=/?token=",
    ]

    @Test func noKeyOfAListShowsALineOfAPrivateKey() async throws {
        for (index, key) in Self.keys.enumerated() {
            for line in [Self.lines[index % Self.lines.count], Self.lines[(index + 3) % Self.lines.count]] {
                let list = "127.0.0.1:1 \(key)\(line)\n".bytes
                let values = key.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let policyKey = ["verify-name": "verifyName", "expect-status": "expectStatus"]
                let name = values.first.map { policyKey[String($0)] ?? String($0) } ?? ""
                let value = (values.count > 1 ? values[1] : "") + line
                let policy = "{hosts: {\"127.0.0.1:1\": {\"\(name)\": \"\(value)\"}}}".bytes
                for (option, input) in [("--targets", list), ("--policy", policy)] {
                    for form in ["text", "json"] {
                        let outcome = await pincheck([option, "-", "-f", form], input: input)
                        expectNothing(of: line, in: outcome, "\(option) \(key)")
                    }
                }
            }
        }
    }

    /// The path that is asked for is in the report, and in the files of it.
    @Test func noReportOnARequestShowsALineOfAPrivateKey() async throws {
        let line = Self.lines[0]
        let files = try TemporaryDirectory()
        let anchors = try files.write(pki.rootA.pem, to: "root.pem")
        try await LoopbackServer.serving(.presenting(served)) { server in
            let list = "\(host) connect=127.0.0.1:\(server.port) request=/\(line)\n"
            let file = files.path + "/report.json"
            let outcome = await pincheck(
                ["--targets", "-", "--anchors", anchors, "--timeout", "2", "-f", "text", "-f", "json=\(file)"],
                input: list.bytes)
            let written = try contents(ofFile: file)
            #expect(outcome.output.contains("GET /") && written.contains("\"path\""))
            for text in [outcome.output, outcome.errors, written] {
                #expect(!text.contains(line.prefix(16)) && !text.contains(line.suffix(16)), "\(text)")
            }
        }
    }

    @Test func aLineBehindDashesIsHiddenToo() async {
        for line in Self.lines {
            for word in ["--" + line, "-" + line, "--x" + line] {
                expectNothing(of: line, in: await pincheck("127.0.0.1:1", word), word)
            }
        }
    }

    @Test func whatOnlyLooksLikeASecretIsShown() async throws {
        let pin = pki.leaf.pin
        let files = try TemporaryDirectory()
        let chain = try files.write(pki.leaf.pem, to: "chain.pem")
        let path = try files.write("sha256/AAAA", to: "Ab3dE5fGhI7jK9lM1nOp3Qr5sT")
        let outcome = await pincheck("verify", chain, "--anchors", chain, "--pins", pin, "-f", "json")
        #expect(outcome.output.contains(pin.dropFirst("sha256/".count)))
        #expect(await pincheck("verify", chain, "--pins", path).errors.contains(path))
        let bare = String(pin.dropFirst("sha256/".count))
        #expect(await pincheck("verify", chain, "--pins", bare, "-f", "json").output.contains(bare))
    }

    @Test func aLineWithAPrivateKeyIsRefusedAndNotShown() async throws {
        let key = try LabKey.shared(.p256, label: "arguments").privateKeyPEM().replacing("\n", with: "")
        for line in ["127.0.0.1:1 pins='\(key)'", "'\(key)'", "127.0.0.1:1 'sni=\(key)'"] {
            await pincheck("--targets", "-", input: (line + "\n").bytes).expect(
                .data,
                errors: "Error: standard input:1: \(line.count) characters; this is a private key; it was not used\n",
                not: String(key.dropFirst(40).prefix(12)))
        }
    }
}

/// What is refused is quoted without the passwords and tokens in it.
@Suite(.endsSomeTime) struct RepeatedSecretTests {
    /// `USER@` is a host behind a name and a password.
    @Test(arguments: [
        "URL", "check URL", "pins URL", "snapshot URL", "fetch URL", "verify URL", "diff URL", "USER@", "s3cr3t@HOST",
        "https://s3cr3t@HOST", "http://USER@", "USER@/a", "https://deploy:x/s3cr3t@HOST", "a.example --doh URL",
        "a.example --doh USER@/r", "a.example --doh http://HOST:s3cr3t@HOST/",
        "a.example --httpdns http://USER@/d?dn={name}", "a.example --httpdns http://USER@/d",
        "a.example --proxy http://USER@:x", "a.example --proxy ftp://USER@", "a.example --connect USER@",
        "a.example --connect s3cr3t@HOST", "a.example --host USER@", "a.example --sni USER@",
        "a.example --resolve a.example:443:USER@", "a.example --timeout URL", "a.example --format URL",
        "a.example --client URL", "serve --allow-target URL", "serve --allow-target *.USER@", "serve URL", "help URL",
        "--unknown URL", "devices URL", "api.example.com --request api.example.com?s3cr3t",
    ]) func noPasswordBeforeAHostIsShown(line: String) async {
        let words = [("URL", "https://USER@/"), ("USER@", "deploy:s3cr3t@HOST"), ("HOST", "api.example.com")]
        let arguments = words.reduce(line) { $0.replacing($1.0, with: $1.1) }.split(separator: " ").map(String.init)
        for form in line.contains("--format") ? [[]] : [[], ["-f", "nagios"]] {
            let outcome = await pincheck(arguments + form).says(not: "s3cr3t")
            #expect(outcome.status != .pass)
        }
        guard !["help", "--unknown", "--client"].contains(where: line.contains) else { return }
        await pincheck(arguments).says(errors: "api.example.com")
    }

    @Test func listsAndPoliciesShowNoneEither() async {
        let host = "https://deploy:s3cr3t@api.example.com"
        for (option, text) in [
            ("--targets", host + "/\n"), ("--targets", "deploy:s3cr3t@api.example.com\n"),
            ("--targets", "a.example connect=deploy:s3cr3t@api.example.com\n"),
            ("--targets", "a.example proxy=ftp://deploy:s3cr3t@api.example.com\n"),
            ("--policy", "{hosts: {\"\(host)\": {}}}"),
            ("--policy", "{hosts: {\"deploy:s3cr3t@api.example.com\": {}}}"),
            ("--policy", "{hosts: {\"a.example\": {connect: \"deploy:s3cr3t@api.example.com\"}}}"),
        ] {
            await pincheck([option, "-"], input: text.bytes).expect(
                .data, errors: option == "--policy" ? "api.example.com" : "standard input:1: ", not: "s3cr3t")
        }
    }

    @Test(arguments: [
        ("fetch https://a.example/", "Authorization: Bearer s3cr3t\r", "the header 'Authorization' is none"),
        ("a.example", "Authorization: Bearer s3cr3t", "the header 'Authorization' plays no part"),
        ("fetch https://a.example/", "Bearer s3cr3t", "the header (13 characters) is none"),
        ("a.example", "Bearer s3cr3t", "the header (13 characters) plays no part"),
        ("a.example", "Bearer s3cr3t: x", "the header (16 characters) plays no part"),
        ("fetch https://a.example/", "Range: s3cr3t", "the header 'Range' is pincheck's own"),
    ]) func aHeaderIsNamedWithoutItsValue(line: String, header: String, words: String) async {
        await pincheck(line.split(separator: " ").map(String.init) + ["--header", header]).expect(
            .usage, errors: words, not: "s3cr3t")
    }
}

struct LabCommand: Sendable, CustomTestStringConvertible {
    let name: String
    /// The options that take a value, `nil` for what is given without one.
    let arguments: [String?]

    var testDescription: String { name }

    static func all() -> [LabCommand] {
        Command.all.filter { $0.name != "demo" }.map { command in
            LabCommand(
                name: command.name,
                arguments: command.arguments.map { _ in nil } + command.options.filter { !$0.isSwitch }.map(\.flag))
        }
    }
}
