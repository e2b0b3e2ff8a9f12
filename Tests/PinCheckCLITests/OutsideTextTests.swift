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
    private static let line = "\u{1B}[31m\u{202E}\u{85}"

    private static let forms = OutputForm.allCases.map(\.rawValue)
    private static let lintForms = LintForm.allCases.map(\.rawValue)
    private static let nowhere = "127.0.0.1:1 --timeout 1"

    /// Runs lines in each of the forms, and looks at both streams; in them `HOSTILE` is the hostile text.
    private func expectHarmless(
        _ lines: [String], in forms: [String] = [""], at desk: Desk, environment: [String: String] = [:],
        input: String = "", at place: SourceLocation = #_sourceLocation
    ) async {
        for (line, form) in lines.flatMap({ line in forms.map { (line, $0) } }) {
            let outcome = await desk(
                line.replacing("HOSTILE", with: Self.hostile) + (form.isEmpty ? "" : " -f \(form)"),
                environment: environment, input: input)
            for (name, text) in [("output", outcome.output), ("errors", outcome.errors)] {
                let stray = text.unicodeScalars.first { $0.isHidden && !["\n", "\u{FE0F}"].contains($0) }
                #expect(stray == nil, "\(name) of \(line)", sourceLocation: place)
                let shown = text.unicodeScalars.split(separator: "\n")
                let forged = shown.contains { $0.starts(with: "::evil".unicodeScalars) }
                #expect(!forged, "\(name) of \(line): \(text)", sourceLocation: place)
            }
        }
    }

    private func expectHarmless(_ server: ServerBehavior, _ lines: [String] = []) async throws {
        try await Desk.serving(server) { desk, _ in
            await expectHarmless(["x.test --connect $SERVER"] + lines, in: Self.forms, at: desk)
            await expectHarmless(["pins x.test --connect $SERVER", "snapshot x.test --connect $SERVER"], at: desk)
        }
    }

    @Test func theNamesOfACertificate() async throws {
        let text = Self.hostile
        let leaf = try LabCertificate.selfSigned(
            CertificateTemplate.leaf(subject: .init(commonName: text, organization: text), names: [.dns(text)]).valid(
                from: LabClock.now - LabClock.year, to: LabClock.now + LabClock.year))
        try await Desk.serving(.presenting([leaf]), ["leaf.pem": leaf.pem]) { desk, _ in
            let target = "x.test --connect $SERVER"
            await expectHarmless(
                [
                    "\(target) --explain", "\(target) --client all --pins @leaf.pem",
                    "verify @leaf.pem --host x.test --anchors @leaf.pem",
                ], in: Self.forms, at: desk)
            await expectHarmless(
                ["pins \(target)", "pins @leaf.pem"], in: ["text", "json"] + PinsCommandTests.blocks, at: desk)
            await expectHarmless(["snapshot \(target)"], at: desk)
            await expectHarmless(["lint @leaf.pem --at 2099-01-01"], in: Self.lintForms, at: desk)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: \(hostile.utf8.count)\r\n\r\n\(hostile)",
        "HTTP/1.1 200 OK\r\nContent-Length: 43\r\n\r\n" + #"{"code":"bad\n::evil::pwn\u001b[31m\u202e"}"#,
        "HTTP/1.1 302 \u{1B}[31m\r\nLocation: http://\u{1B}[31m\u{202E}/\r\nContent-Length: 0\r\n\r\n", hostile,
    ]) func theAnswersOfServices(answer: String) async throws {
        try await expectHarmless(
            .script(answer.bytes), ["x.test --httpdns http://$SERVER/{name}", "x.test --connect $SERVER --thorough"])
        try await Desk.serving(.script(answer.bytes)) { desk, _ in
            await expectHarmless(["snapshot x.test --doh http://$SERVER/{name} -o /nonexistent/x"], at: desk)
        }
    }

    @Test(arguments: [
        "sni", "connect", "client", "anchors", "warnBefore", "mode", "minTLS", "alpn", "proxy", "verifyName", "at",
    ]) func theValuesOfAPolicy(key: String) async throws {
        let value = #""a\n::evil::y\u001b[31m\u202e""#
        for policy in [
            "{ hosts: { 'x.test': {\(key): \(value)} } }", "{ hosts: { 'x.test': {\(key): [\(value)]} } }",
            "{ defaults: {\(key): \(value)}, hosts: { 'x.test': {} } }", "{ hosts: { \(value): {} } }",
            "{ \(value): {}, hosts: {} }",
        ] {
            let desk = try Desk(["policy.json5": policy])
            // What is wrong with a policy is an error, in the same words for every form that is not for machines.
            await expectHarmless(
                ["--policy @policy.json5 --timeout 1 --connect 127.0.0.1:1"], in: ["github", "json"], at: desk)
            await expectHarmless(["lint @policy.json5"], at: desk)
        }
    }

    @Test(arguments: ["aHOSTILE", "bHOSTILE", "cHOSTILE.app"]) func theNamesOfFiles(name: String) async throws {
        let files = try TemporaryDirectory()
        let desk = try Desk(in: files)
        let text = Self.hostile
        try files.write(pki.leaf.pem + pki.interA.pem, to: "a" + text)
        try files.write("\u{1B}nothing\n::evil\n", to: "b" + text)
        try files.makeDirectory("c\(text).app")
        try files.write("junk", to: "c\(text).app/d\(text).cer")
        try files.write("{", to: "c\(text).app/Info.plist")
        let file = "@" + name
        await expectHarmless(["verify \(file) --anchors \(file) --pins \(file)"], in: Self.forms, at: desk)
        await expectHarmless(["lint \(file)"], in: Self.lintForms, at: desk)
        let options = [
            "--targets", "--policy", "--pins", "--pinnedpubkey", "--anchors", "--extra-root", "--addresses", "--next",
            "--baseline", "--cert", "--state",
        ]
        await expectHarmless(
            [
                "pins \(file)", "pins \(file) -f okhttp", "pins --key \(file)", "pins --from \(file) --save \(file)",
                "diff \(file)", "diff \(file) \(file)", "verify @aHOSTILE -o \(file)/nothing",
                "verify @aHOSTILE -f jsonl -o \(file)/nothing",
            ] + options.map { "\(Self.nowhere) \($0) \(file)" }, at: desk)
    }

    @Test(arguments: [
        [21, 3, 3, 0, 2, 2, 7], [21, 3, 3, 0, 2, 1, 0x1B], "SSH-2.0-\(hostile)\r\n".bytes, "220 \(hostile)\r\n".bytes,
        "HTTP/1.1 400 \(hostile)\r\n\r\n".bytes,
    ]) func whatAServerSaysByAlertsAndInsteadOfTLS(bytes: [UInt8]) async throws {
        try await expectHarmless(.script(bytes))
    }

    @Test(arguments: [
        "HTTP/1.1 200 \u{1B}[31m\u{202E}\u{2028}\u{85}::evil::|`<b>\r\n\r\n".bytes,
        "HTTP/1.1 500 %0A##[error]&\"'=;\r\n\r\n".bytes,
        "HTTP/1.1 200 \(String(repeating: "\u{202E}", count: 2_000))\r\n\r\n".bytes, "\u{1B}[31m::evil::\r\n\r\n".bytes,
        "HTTP/1.1 200 ".bytes + [0xFF, 0x1B, 0x00, 0x9B, 13, 7] + "\n::evil::x\n\n".bytes,
    ]) func theAnswerToARequest(answer: [UInt8]) async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf, pki.interA]).with { $0.application = .answers(answer) }
        try await expectHarmless(
            .tls(settings), ["CHECK --request / --explain", "CHECK --request / --expect-status 404"])
    }

    @Test func arguments() async throws {
        let options = [
            "--client", "--mode", "--at", "--sni", "--host", "--verify-name", "-H", "--connect", "--resolve",
            "--connect-to", "--port", "--timeout", "--retries", "--jobs", "--alpn", "--groups", "--ciphers",
            "--sigalgs", "--min-tls", "--max-tls", "--proxy", "--key-types", "--httpdns", "--doh", "--warn-before",
            "--fail-before", "--min-pin-life", "--fail-on", "--allow", "--format", "--color", "--pins",
            "--pinnedpubkey", "--anchors", "--extra-root", "--targets", "--policy", "--addresses", "--baseline",
            "--next", "--cert", "--key", "--request", "--expect-status", "--HOSTILE", "-HOSTILE",
        ]
        let commands = ["check", "verify", "pins", "lint", "snapshot", "diff", "clients", "demo", "help", "HOSTILE"]
        let pins = ["--position", "--format", "--key", "--from", "--host"]
        let lint = ["--client", "--ignore", "--fail-on", "--at", "--warn-before", "--format"]
        // What names a file that is made, where none can be.
        let outputs = ["--output", "--state", "--format=jsonl"]
        try await expectHarmless(
            options.flatMap { ["\(Self.nowhere) \($0) HOSTILE", "127.0.0.1:1 \($0)=HOSTILE -f nagios"] }
                + commands.flatMap { ["\($0) HOSTILE", "\($0) HOSTILE HOSTILE --HOSTILE"] }
                + pins.map { "pins \(Self.nowhere) \($0) HOSTILE" } + lint.map { "lint HOSTILE \($0) HOSTILE" }
                + outputs.map { "\(Self.nowhere) \($0)=/nonexistent/HOSTILE" } + [
                    "pins --from HOSTILE --key HOSTILE", "snapshot \(Self.nowhere) --output /nonexistent/HOSTILE",
                ], at: Desk())
    }

    @Test(arguments: [
        "sha256/\(line)=", "\(line).test sha256/AAAA", "x.test host=\(line)", "x.test \(line)=1",
        "pin-sha256=\"\(line)\"", "3 1 1 \(line)", "-----BEGIN \(line)-----\nAAAA\n-----END \(line)-----",
        "<network-security-config><\(line)/></network-security-config>",
        "<plist><dict><key>\(line)</key></dict></plist>", "{\"\(line)\": \"\(line)\", \"\(line)\": 1}",
        "{\"hosts\": {\"x\\n::evil\\u001b\": {\"pins\": [\"y\\n::evil\"]}}}",
        "CertificatePinner.Builder().add(\"\(line)\", \"sha256/\(line)\")", "127.0.0.1;\(line)",
        "curl --pinnedpubkey '\(line)' https://\(line)/",
    ]) func pinsAndLinesOfFiles(text: String) async throws {
        let desk = try Desk(["file": text])
        let options = ["--pins", "--targets", "--policy", "--anchors", "--addresses", "--next", "--baseline"]
        await expectHarmless(
            options.map { "\(Self.nowhere) \($0) @file" } + [
                "\(Self.nowhere) --targets -", "pins --from @file -f android", "pins @file", "lint @file", "verify -",
            ], at: desk, input: text)
        for arguments in [["127.0.0.1:1", "--timeout", "1", "--pins", text], ["lint", text]] {
            let outcome = await pincheck(arguments)
            #expect(isPlain((outcome.output + outcome.errors).replacing("\u{FE0F}", with: "")))
        }
    }

    @Test(arguments: ["SSL_CERT_FILE", "SSL_CERT_DIR", "TERM", "NO_COLOR"]) func theEnvironment(name: String)
        async throws
    {
        let environment = [name: "/nonexistent/" + Self.hostile]
        try await Desk.serving { desk, _ in
            await expectHarmless(
                [Self.nowhere, "$HOST --connect $SERVER"], in: ["text", "github", "nagios"], at: desk,
                environment: environment)
            await expectHarmless(["pins x.test --connect $SERVER"], at: desk, environment: environment)
        }
    }

    @Test func stateFiles() async throws {
        let desk = try Desk()
        await desk("\(Self.nowhere) --state @state").expect(.unreachable)
        let text = try desk.text("state")
        for field in text.matches(of: /[^\s]+/).map(\.range) {
            try desk.files.write(text.replacing(at: field, with: Self.line), to: "state")
            await expectHarmless(["\(Self.nowhere) --state @state"], in: ["text", "json"], at: desk)
        }
    }

    @Test func recordedSnapshots() async throws {
        try await Desk.serving { desk, _ in
            let recorded = await desk("snapshot x.test --connect $SERVER").expect(.pass).output
            // The document with each of its strings in turn, and with all of them from the last on, replaced.
            let values = recorded.matches(of: #/: "(?:[^"\\]|\\.)*"/#).map(\.range)
            let hostile = #": "x\n::evil::\u001b[31m\u202e""#
            let all = values.reversed().reduce(recorded) { $0.replacing(at: $1, with: hostile) }
            for text in values.map({ recorded.replacing(at: $0, with: hostile) }) + [all] {
                try desk.files.write(text, to: "recorded.json")
                await expectHarmless(
                    ["diff @recorded.json --timeout 1", "x.test --connect $SERVER --baseline @recorded.json"],
                    in: ["text", "github", "json", "nagios", "junit", "html"], at: desk)
            }
        }
    }
}

extension String {
    fileprivate func replacing(at range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}
