import Foundation
import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck lint` as a whole: exit statuses, forms and options.
@Suite(.endsSomeTime) struct LintCommandTests {
    private static let a = SHA256Digest(bytes: (0..<32).map { UInt8($0) })!.base64
    private static let b = SHA256Digest(bytes: (32..<64).map { UInt8($0) })!.base64

    /// A list without anything to say against it.
    private let good = "sha256/\(a)\nsha256/\(b)\n"
    /// A list with a warning.
    private let alone = "sha256/\(a)\n"
    /// A list with an error and a warning, and one line that is neither.
    private let malformed = "sha256/\(a)\nsha256/AAAA\nsha256/\(a)\n"

    /// Lints files; paths in what is written are relative.
    private func lint(_ files: [(String, String)], _ arguments: String...) async throws -> Outcome {
        try await TemporaryDirectory.scoped { directory in
            var sources: [String] = []
            for (name, text) in files { sources.append(try directory.write(text, to: name)) }
            let outcome = await pincheck(["lint"] + sources + arguments)
            return Outcome(
                status: outcome.status, output: outcome.output.replacing(directory.path + "/", with: ""),
                errors: outcome.errors.replacing(directory.path + "/", with: ""))
        }
    }

    @Test func theExitStatusIsThatOfTheWorstFinding() async throws {
        #expect(try await lint([("pins.txt", good)]).status == .pass)
        #expect(try await lint([("pins.txt", alone)]).status == .pass)
        #expect(try await lint([("pins.txt", alone)], "--fail-on", "warning").status == .fail)
        #expect(try await lint([("pins.txt", alone)], "--fail-on", "note").status == .fail)
        let trustKit = "{\"a.example.com\": {\"publicKeyHashes\": [\"\(Self.a)\"]}}"
        #expect(try await lint([("pins.json", trustKit)]).status == .fail)
        #expect(try await lint([("pins.json", trustKit)], "--fail-on", "never").status == .pass)
        #expect(try await lint([("pins.txt", malformed)]).status == .data)
        #expect(try await lint([("pins.txt", malformed)], "--fail-on", "never").status == .data)
        #expect(await pincheck("lint", "/nonexistent/pins.txt").status == .noInput)
        #expect(try await lint([("pins.txt", malformed)], "/nonexistent/pins.txt").status == .data)
        #expect(await pincheck("lint").status == .usage)
    }

    @Test func textNamesPlaceSeverityAndRemedyAndEndsWithTheResult() async throws {
        let outcome = try await lint([("pins.txt", malformed)])
        let length = "'sha256/AAAA' has 3 bytes instead of 32"
        #expect(
            outcome.output == """
                pins.txt:2: error: \(length) [wrong-length]
                    a SHA-256 pin is 44 characters long, and this one is too short
                pins.txt:3: warning: sha256/\(Self.a) is pinned already in line 1 [duplicate-pin]
                    remove one of the two
                DATA  pins.txt: 1 error, 1 warning (1 malformed or missing)

                """)
        #expect(outcome.errors.isEmpty)
        #expect(try await lint([("pins.txt", good)]).output == "PASS  pins.txt: nothing found\n")
        let two = try await lint([("a.txt", good), ("b.txt", good)])
        #expect(two.output == "PASS  2 sources: nothing found\n")
    }

    @Test func jsonHasStableKeys() async throws {
        let outcome = try await lint([("pins.txt", malformed)], "--format", "json")
        let document = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(document.keys.sorted() == ["evaluated_at", "exit", "findings", "schema", "sources", "summary"])
        #expect(document["schema"] as? String == "pincheck-lint/1")
        #expect(document["summary"] as? [String: Int] == ["errors": 1, "malformed": 1, "notes": 0, "warnings": 1])
        #expect((document["exit"] as? [String: Any])?["code"] as? Int == 65)
        let findings = try #require(document["findings"] as? [[String: Any]])
        #expect(
            findings.first?.keys.sorted() == [
                "file", "host", "id", "is_malformed", "key", "line", "message", "place", "remedy", "severity",
            ])
        #expect(findings.map { $0["id"] as? String } == ["wrong-length", "duplicate-pin"])
        #expect(findings.map { $0["line"] as? Int } == [2, 3])
        #expect(findings.map { $0["is_malformed"] as? Bool } == [true, false])
        #expect(findings.first?["host"] is NSNull)
    }

    @Test func gitHubGetsAnAnnotationALine() async throws {
        let outcome = try await lint([("a,b:100%.txt", alone)], "--format", "github")
        #expect(
            outcome.output
                == "::warning file=a%2Cb%3A100%25.txt,line=1,title=no-backup-pin::one key is pinned, and none in reserve: "
                + "when it is lost or replaced, the app stops working; "
                + "pin a second key that no server uses yet and whose private half lies in a safe place\n")
        #expect(try await lint([("pins.txt", good)], "--format", "github").output.isEmpty)
        try await lint([("pins.txt", malformed)], "--format", "github").says(
            starting: "::error file=pins.txt,line=2,title=wrong-length::'sha256/AAAA' has")
    }

    @Test func sarifNamesRulesPlacesAndFingerprints() async throws {
        let outcome = try await lint([("my pins.txt", malformed)], "--format", "sarif")
        let log = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(log["version"] as? String == "2.1.0")
        #expect(log["$schema"] as? String == "https://json.schemastore.org/sarif-2.1.0.json")
        let run = try #require((log["runs"] as? [[String: Any]])?.first)
        let driver = try #require((run["tool"] as? [String: Any])?["driver"] as? [String: Any])
        #expect(driver["name"] as? String == "pincheck")
        let rules = try #require(driver["rules"] as? [[String: Any]])
        let results = try #require(run["results"] as? [[String: Any]])
        #expect(results.map { $0["ruleId"] as? String } == ["wrong-length", "duplicate-pin"])
        #expect(results.map { $0["level"] as? String } == ["error", "warning"])
        for result in results {
            let index = try #require(result["ruleIndex"] as? Int)
            #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
            #expect((rules[index]["shortDescription"] as? [String: String])?["text"]?.isEmpty == false)
            #expect((result["message"] as? [String: String])?["text"]?.isEmpty == false)
            let fingerprints = try #require(result["partialFingerprints"] as? [String: String])
            #expect(fingerprints["pincheckFinding/v1"]?.count == 64)
            let location = try #require((result["locations"] as? [[String: Any]])?.first)
            let physical = try #require(location["physicalLocation"] as? [String: Any])
            let uri = try #require((physical["artifactLocation"] as? [String: String])?["uri"])
            #expect(uri.hasPrefix("file://"))
            #expect(uri.hasSuffix("my%20pins.txt"))
            #expect((physical["region"] as? [String: Int])?["startLine"] != nil)
        }
        let invocation = try #require((run["invocations"] as? [[String: Any]])?.first)
        #expect(invocation["executionSuccessful"] as? Bool == false)
        #expect(invocation["exitCode"] as? Int == 65)
    }

    @Test func fingerprintsStayWhenLinesMove() async throws {
        let text = "sha256/\(Self.a)\nsha256/\(Self.b)\nsha256/\(Self.a)\n"
        try await TemporaryDirectory.scoped { directory in
            let file = try directory.write(text, to: "pins.txt")
            let before = await pincheck("lint", file, "--format", "sarif").output
            try directory.write("# a comment\n\n" + text, to: "pins.txt")
            let after = await pincheck("lint", file, "--format", "sarif").output
            let expression = /"pincheckFinding\/v1" : "([0-9a-f]{64})"/
            let prints = [before, after].map { $0.matches(of: expression).map { String($0.1) } }
            #expect(prints[0].count == 1)
            #expect(prints[0] == prints[1])
        }
    }

    @Test func severalFormsAreWrittenAtOnce() async throws {
        try await TemporaryDirectory.scoped { directory in
            let source = try directory.write(alone, to: "pins.txt")
            let sarif = directory.path + "/pins.sarif"
            await pincheck("lint", source, "-f", "text", "-f", "sarif=\(sarif)").says(
                ending: "PASS  \(source): 1 warning\n")
            #expect(try String(contentsOfFile: sarif, encoding: .utf8).contains("\"no-backup-pin\""))
            #expect(await pincheck("lint", source, "-f", "text", "-f", "json").status == .usage)
            #expect(
                await pincheck("lint", source, "-f", "html").errors.contains(
                    "choose from text, json, github, junit, sarif"))
        }
    }

    @Test func timesSayWhatIsSoon() async throws {
        let xml = """
            <network-security-config><domain-config><domain>a.example.com</domain>
            <pin-set expiration="2040-06-01"><pin digest="SHA-256">\(Self.a)</pin><pin digest="SHA-256">\(Self.b)</pin></pin-set>
            </domain-config></network-security-config>
            """
        let files = [("nsc.xml", xml)]
        #expect(try await lint(files, "--at", "2040-05-01").output.contains("[android-fails-open-after-expiration]"))
        #expect(
            try await lint(files, "--at", "2040-05-01", "--warn-before", "60d").output.contains(
                "[pin-set-expires-soon]"))
        try await lint(files, "--at", "2040-06-01").expect(.fail, "[pin-set-expired]")
        for text in ["30", "d", "30x", "-1d", "99999999999d", "1.5d", "101%"] {
            try await lint(files, "--warn-before=\(text)").expect(
                .usage, errors: "--warn-before '\(text)' is not a threshold: write 30d")
        }
    }

    @Test func lintReadsThresholdsAsCheckDoes() async throws {
        let now = LabClock.now
        let root = try LabCertificate.selfSigned(.authority("Root"))
        let leaf = try root.issue(
            CertificateTemplate.leaf("api.example.com").valid(
                from: now - 61 * LabClock.day, to: now + 39 * LabClock.day))
        let files = [("leaf.pem", leaf.pem)]
        // A certificate is signed with an end that is in the future when it is looked at: no test stands at the edge of 39%.
        for (text, isNear) in [("40%", true), ("38%", false), ("6w", true), ("90m", false), ("940h", true)] {
            let outcome = try await lint(files, "--warn-before", text)
            #expect(outcome.output.contains("[pinned-certificate-expires-soon]") == isNear, "\(text): \(outcome)")
        }
        // Pins that expire on a date have no beginning that a part could be of.
        let xml = """
            <network-security-config><domain-config><domain>a.example.com</domain>
            <pin-set expiration="2040-06-01"><pin digest="SHA-256">\(Self.a)</pin><pin digest="SHA-256">\(Self.b)</pin></pin-set>
            </domain-config></network-security-config>
            """
        try await lint([("nsc.xml", xml)], "--at", "2040-05-01", "--warn-before", "99%").says(
            "[android-fails-open-after-expiration]")
    }

    @Test func kindsOfFindingsAreListedAndIgnored() async throws {
        await pincheck("lint", "--rules").expect(.pass, "\nno-backup-pin  ", "\nbad-host  ")
        let files = [("pins.txt", alone)]
        #expect(try await lint(files, "--ignore", "no-backup-pin", "--fail-on", "note").status == .pass)
        #expect(try await lint(files, "--ignore", "nothing").errors.contains("'pincheck lint --rules' lists"))
        #expect(try await lint(files, "--ignore", "bad-host").errors.contains("data with that cannot be used"))
        #expect(try await lint(files, "--fail-on", "fatal").errors.contains("choose from error, warning, note, never"))
        #expect(try await lint(files, "--client", "nonesuch").status == .usage)
        try await lint([("pins.txt", good)], "--client", "afnetworking").says("[client-takes-certificates]")
    }

    @Test func differencesAreOneTable() async throws {
        let ios = "{\"TSKPinnedDomains\": {\"example.com\": {\"TSKPublicKeyHashes\": [\"\(Self.a)\", \"\(Self.b)\"]}}}"
        try await lint([("ios.json", ios), ("hosts", "example.com sha256/\(Self.a)\n")]).says(
            "hosts:1: warning: sha256/\(Self.b) is pinned for example.com in ios.json:1 and not here", "[drift-pins]")
    }

    @Test func hostileTextReachesNoTerminalAndNoAnnotation() async throws {
        let host = "ev\u{1B}[31mil\u{202E}.example.com"
        let files = [("pins.json", "{\"\(host)\": {\"publicKeyHashes\": [\"\(Self.a)\"]}}")]
        for form in ["text", "github", "json", "sarif"] {
            let outcome = try await lint(files, "--format", form).expect(.data)
            #expect(isPlain(outcome.output), "\(form)")
        }
    }

    @Test func theSamplePinsAreClean() async {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Pins").path
        await pincheck("lint", directory, "--fail-on", "note").expect(.pass)
    }
}
