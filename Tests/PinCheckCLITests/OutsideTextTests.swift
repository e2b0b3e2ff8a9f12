import Base
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

/// Whatever comes from outside, and wherever it is shown: no line and no control character but the program's own.
@Suite(.endsSomeTime) struct OutsideTextTests {
    /// Begins a line of somebody else's, moves the cursor, reorders what follows.
    static let hostile = "x\n::evil::pwn\r\n\u{1B}[31m\u{202E}\u{2028}\u{85}y"

    /// Runs a command line and looks at both streams.
    private func expectHarmless(
        _ arguments: [String], environment: [String: String] = [:], input: [UInt8] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let outcome = await pincheck(arguments, environment: environment, input: input)
        for (name, text) in [("output", outcome.output), ("errors", outcome.errors)] {
            let stray = text.unicodeScalars.first { $0.isHidden && !["\n", "\u{FE0F}"].contains($0) }
            #expect(stray == nil, "\(name) of \(arguments)", sourceLocation: sourceLocation)
            let lines = text.unicodeScalars.split(separator: "\n")
            let forged = lines.contains { $0.starts(with: "::evil".unicodeScalars) }
            #expect(!forged, "\(name) of \(arguments): \(text)", sourceLocation: sourceLocation)
        }
    }

    private static let forms = ["text", "brief", "json", "jsonl", "nagios", "prometheus", "junit", "github", "html"]
    private static let blocks = ["text", "json", "okhttp", "trustkit", "nspinned", "android", "curl", "afnetworking"]

    @Test func theNamesOfACertificate() async throws {
        let text = Self.hostile
        let leaf = try LabCertificate.selfSigned(
            CertificateTemplate.leaf(subject: .init(commonName: text, organization: text), names: [.dns(text)]).valid(
                from: LabClock.now - LabClock.year, to: LabClock.now + LabClock.year))
        let files = try TemporaryDirectory()
        let file = try files.write(leaf.pem, to: "leaf.pem")
        try await LoopbackServer.serving(.presenting([leaf])) { server in
            let target = ["x.test", "--connect", "127.0.0.1:\(server.port)"]
            for form in Self.forms {
                await expectHarmless(target + ["-f", form, "--explain"])
                await expectHarmless(target + ["-f", form, "--client", "all", "--pins", file])
                await expectHarmless(["verify", file, "--host", "x.test", "--anchors", file, "-f", form])
            }
            for form in Self.blocks {
                await expectHarmless(["pins"] + target + ["--format", form])
                await expectHarmless(["pins", file, "--format", form])
            }
            await expectHarmless(["snapshot"] + target)
            for form in ["text", "json", "github", "sarif"] {
                await expectHarmless(["lint", file, "-f", form, "--at", "2099-01-01"])
            }
        }
    }

    @Test func theAnswersOfServices() async throws {
        let text = Self.hostile
        let json = #"{"code":"bad\n::evil::pwn\u001b[31m\u202e"}"#
        let answers = [
            "HTTP/1.1 200 OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)",
            "HTTP/1.1 200 OK\r\nContent-Length: \(json.utf8.count)\r\n\r\n\(json)",
            "HTTP/1.1 302 \u{1B}[31m\r\nLocation: http://\u{1B}[31m\u{202E}/\r\nContent-Length: 0\r\n\r\n", "\(text)",
        ]
        for answer in answers {
            try await LoopbackServer.serving(.script(Array(answer.utf8))) { server in
                let service = "http://127.0.0.1:\(server.port)/{name}"
                for form in Self.forms { await expectHarmless(["x.test", "--httpdns", service, "-f", form]) }
                await expectHarmless(["snapshot", "x.test", "--doh", service, "-o", "/nonexistent/x"])
                await expectHarmless(["pins", "x.test", "--connect", "127.0.0.1:\(server.port)"])
                await expectHarmless(["x.test", "--connect", "127.0.0.1:\(server.port)", "--thorough"])
            }
        }
    }

    @Test(arguments: [
        "sni", "connect", "client", "anchors", "warnBefore", "mode", "minTLS", "alpn", "proxy", "verifyName", "at",
    ]) func theValuesOfAPolicy(key: String) async throws {
        let files = try TemporaryDirectory()
        let value = #""a\n::evil::y\u001b[31m\u202e""#
        for policy in [
            "{ hosts: { 'x.test': {\(key): \(value)} } }", "{ hosts: { 'x.test': {\(key): [\(value)]} } }",
            "{ defaults: {\(key): \(value)}, hosts: { 'x.test': {} } }", "{ hosts: { \(value): {} } }",
            "{ \(value): {}, hosts: {} }",
        ] {
            let file = try files.write(policy, to: "policy.json5")
            // What is wrong with a policy is an error, in the same words for every form that is not for machines.
            for form in ["github", "json"] {
                await expectHarmless(["--policy", file, "-f", form, "--timeout", "1", "--connect", "127.0.0.1:1"])
            }
            await expectHarmless(["lint", file])
        }
    }

    @Test func theNamesOfFiles() async throws {
        let files = try TemporaryDirectory()
        let name = Self.hostile
        let chain = try files.write(pki.leaf.pem + pki.interA.pem, to: "a" + name)
        let junk = try files.write("\u{1B}nothing\n::evil\n", to: "b" + name)
        let bundle = try files.makeDirectory("c\(name).app")
        _ = try files.write("junk", to: "c\(name).app/d\(name).cer")
        _ = try files.write("{", to: "c\(name).app/Info.plist")
        for file in [chain, junk, bundle] {
            for form in ["text", "json", "github", "nagios", "junit", "html"] {
                await expectHarmless(["verify", file, "--anchors", file, "--pins", file, "-f", form])
            }
            await expectHarmless(["pins", file])
            await expectHarmless(["pins", file, "--format", "okhttp"])
            await expectHarmless(["pins", "--key", file])
            await expectHarmless(["pins", "--from", file, "--save", file])
            for form in ["text", "json", "github", "sarif"] { await expectHarmless(["lint", file, "-f", form]) }
            await expectHarmless(["diff", file])
            await expectHarmless(["diff", file, file])
            for option in [
                "--targets", "--policy", "--pins", "--pinnedpubkey", "--anchors", "--extra-root", "--addresses",
                "--next", "--baseline", "--cert",
            ] { await expectHarmless(["127.0.0.1:1", "--timeout", "1", option, file]) }
            await expectHarmless(["127.0.0.1:1", "--timeout", "1", "--state", file])
            await expectHarmless(["verify", chain, "-o", file + "/nothing"])
            await expectHarmless(["verify", chain, "-f", "jsonl", "-o", file + "/nothing"])
        }
    }

    @Test func whatAServerSaysByAlertsAndInsteadOfTLS() async throws {
        for bytes in [
            [21, 3, 3, 0, 2, 2, 7], [21, 3, 3, 0, 2, 1, 0x1B], Array("SSH-2.0-\(Self.hostile)\r\n".utf8),
            Array("220 \(Self.hostile)\r\n".utf8), Array("HTTP/1.1 400 \(Self.hostile)\r\n\r\n".utf8),
        ] as [[UInt8]] {
            try await LoopbackServer.serving(.script(bytes)) { server in
                for form in Self.forms {
                    await expectHarmless(["x.test", "--connect", "127.0.0.1:\(server.port)", "-f", form])
                }
                await expectHarmless(["pins", "x.test", "--connect", "127.0.0.1:\(server.port)"])
                await expectHarmless(["snapshot", "x.test", "--connect", "127.0.0.1:\(server.port)"])
            }
        }
    }

    @Test func theAnswerToARequest() async throws {
        let lines = [
            "HTTP/1.1 200 \u{1B}[31m\u{202E}\u{2028}\u{85}::evil::|`<b>", "HTTP/1.1 500 %0A##[error]&\"'=;",
            "HTTP/1.1 200 " + String(repeating: "\u{202E}", count: 2_000), "\u{1B}[31m::evil::",
        ]
        let bytes =
            lines.map { Array("\($0)\r\n\r\n".utf8) } + [
                Array("HTTP/1.1 200 ".utf8) + [0xFF, 0x1B, 0x00, 0x9B, 13, 7] + Array("\n::evil::x\n\n".utf8)
            ]
        for answer in bytes {
            let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with {
                $0.application = .answers(answer)
            }
            let files = try TemporaryDirectory()
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            try await LoopbackServer.serving(.tls(settings)) { server in
                let base = [StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors]
                for form in Self.forms {
                    await expectHarmless(base + ["--request", "/", "-f", form, "--explain"])
                    await expectHarmless(base + ["--request", "/", "--expect-status", "404", "-f", form])
                }
            }
        }
    }

    @Test func arguments() async throws {
        let text = Self.hostile
        for option in [
            "--client", "--mode", "--at", "--sni", "--host", "--verify-name", "-H", "--connect", "--resolve",
            "--connect-to", "--port", "--timeout", "--retries", "--jobs", "--alpn", "--groups", "--ciphers",
            "--sigalgs", "--min-tls", "--max-tls", "--proxy", "--key-types", "--httpdns", "--doh", "--warn-before",
            "--fail-before", "--min-pin-life", "--fail-on", "--allow", "--format", "--color", "--pins",
            "--pinnedpubkey", "--anchors", "--extra-root", "--targets", "--policy", "--addresses", "--baseline",
            "--next", "--cert", "--key", "--request", "--expect-status", "--\(text)", "-\(text)",
        ] {
            await expectHarmless(["127.0.0.1:1", "--timeout", "1", option, text])
            await expectHarmless(["127.0.0.1:1", "\(option)=\(text)", "-f", "nagios"])
        }
        for command in ["check", "verify", "pins", "lint", "snapshot", "diff", "clients", "demo", "help", text] {
            await expectHarmless([command, text])
            await expectHarmless([command, text, text, "--\(text)"])
        }
        for option in ["--position", "--format", "--key", "--from", "--host"] {
            await expectHarmless(["pins", "127.0.0.1:1", "--timeout", "1", option, text])
        }
        for option in ["--client", "--ignore", "--fail-on", "--at", "--warn-before", "--format"] {
            await expectHarmless(["lint", text, option, text])
        }
        await expectHarmless(["pins", "--from", text, "--key", text])
        // What names a file that is made, where none can be.
        let file = "/nonexistent/" + text
        for option in ["--output", "--state", "--format=jsonl"] {
            await expectHarmless(["127.0.0.1:1", "--timeout", "1", "\(option)=\(file)"])
        }
        await expectHarmless(["snapshot", "127.0.0.1:1", "--timeout", "1", "--output", file])
    }

    @Test func pinsAndLinesOfFiles() async throws {
        let files = try TemporaryDirectory()
        let line = "\u{1B}[31m\u{202E}\u{85}"
        for text in [
            "sha256/\(line)=", "\(line).test sha256/AAAA", "x.test host=\(line)", "x.test \(line)=1",
            "pin-sha256=\"\(line)\"", "3 1 1 \(line)", "-----BEGIN \(line)-----\nAAAA\n-----END \(line)-----",
            "<network-security-config><\(line)/></network-security-config>",
            "<plist><dict><key>\(line)</key></dict></plist>", "{\"\(line)\": \"\(line)\", \"\(line)\": 1}",
            "{\"hosts\": {\"x\\n::evil\\u001b\": {\"pins\": [\"y\\n::evil\"]}}}",
            "CertificatePinner.Builder().add(\"\(line)\", \"sha256/\(line)\")", "127.0.0.1;\(line)",
            "curl --pinnedpubkey '\(line)' https://\(line)/",
        ] {
            let file = try files.write(text, to: "file")
            for option in ["--pins", "--targets", "--policy", "--anchors", "--addresses", "--next", "--baseline"] {
                await expectHarmless(["127.0.0.1:1", "--timeout", "1", option, file])
            }
            await expectHarmless(["127.0.0.1:1", "--timeout", "1", "--targets", "-"], input: Array(text.utf8))
            await expectHarmless(["127.0.0.1:1", "--timeout", "1", "--pins", text])
            await expectHarmless(["pins", "--from", file, "--format", "android"])
            await expectHarmless(["pins", file])
            await expectHarmless(["lint", file, text])
            await expectHarmless(["verify", "-"], input: Array(text.utf8))
        }
    }

    @Test func theEnvironment() async throws {
        let text = Self.hostile
        for name in ["SSL_CERT_FILE", "SSL_CERT_DIR", "TMPDIR", "TERM", "NO_COLOR"] {
            for form in ["text", "github", "nagios"] {
                await expectHarmless(
                    ["127.0.0.1:1", "--timeout", "1", "-f", form], environment: [name: "/nonexistent/" + text])
            }
            try await LoopbackServer.serving(.presenting([pki.leaf])) { server in
                await expectHarmless(
                    ["pins", "x.test", "--connect", "127.0.0.1:\(server.port)"],
                    environment: [name: "/nonexistent/" + text])
            }
        }
    }

    /// The document with each of its strings in turn, and with all of them, replaced by a hostile one.
    private func hostileVariants(of document: String) -> [String] {
        let values = document.matches(of: #/: "(?:[^"\\]|\\.)*"/#).map(\.range)
        let hostile = #": "x\n::evil::\u001b[31m\u202e""#
        let each = values.map { document.replacing(at: $0, with: hostile) }
        // From the last on, so that the places of the others stay.
        return each + [values.reversed().reduce(document) { $0.replacing(at: $1, with: hostile) }]
    }

    @Test func stateFiles() async throws {
        let files = try TemporaryDirectory()
        let state = files.path + "/state.json"
        let watch = ["127.0.0.1:1", "--timeout", "1", "--state", state]
        #expect(await pincheck(watch).status == .unreachable)
        let text = try String(contentsOfFile: state, encoding: .utf8)
        for field in text.matches(of: /[^\s]+/).map(\.range) {
            let hostile = text.replacing(at: field, with: "\u{1B}[31m\u{202E}\u{85}")
            _ = try files.write(hostile, to: "state.json")
            for form in ["text", "json"] { await expectHarmless(watch + ["-f", form]) }
        }
    }

    @Test func recordedSnapshots() async throws {
        let files = try TemporaryDirectory()
        try await LoopbackServer.serving(.presenting([pki.leaf, pki.interA])) { server in
            let target = ["x.test", "--connect", "127.0.0.1:\(server.port)"]
            let recorded = await pincheck(["snapshot"] + target).expect(.pass)
            for text in hostileVariants(of: recorded.output) {
                let file = try files.write(text, to: "recorded.json")
                for form in ["text", "github", "json", "nagios", "junit", "html"] {
                    await expectHarmless(["diff", file, "-f", form, "--timeout", "1"])
                    await expectHarmless(target + ["--baseline", file, "-f", form])
                }
            }
        }
    }
}

extension String {
    fileprivate func replacing(at range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
