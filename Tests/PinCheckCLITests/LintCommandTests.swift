import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// `pincheck lint` as a whole: exit statuses, forms and options. What is found is proven by `PinLintTests`, what it looks like in each
/// form by ``GoldenTests``.
@Suite(.endsSomeTime) struct LintCommandTests {
    private static let pinSet =
        "<pin-set expiration=\"2040-06-01\"><pin digest=\"SHA-256\">$LEAF64</pin><pin digest=\"SHA-256\">$NEXT64</pin></pin-set>"
    private static let texts = [
        // Nothing to say against it; a warning; an error with two more lines, of which one is neither.
        "good.txt": "$LEAF\n$NEXT\n", "alone.txt": "$LEAF\n", "malformed.txt": "$LEAF\nsha256/AAAA\n$LEAF\n",
        "a,b:100%.txt": "$LEAF\n", "kit.json": "{\"a.example.com\": {\"publicKeyHashes\": [\"$LEAF64\"]}}",
        "nsc.xml":
            "<network-security-config><domain-config><domain>a.example.com</domain>\(pinSet)</domain-config></network-security-config>",
    ]

    /// A command line, how it ends, and what is said.
    @Test(
        arguments: [
            ("@good.txt", .pass, "good.txt: nothing found\n"), ("@good.txt @good.txt", .pass, ""),
            ("@alone.txt", .pass, ""), ("@alone.txt --fail-on warning", .fail, ""),
            ("@alone.txt --fail-on note", .fail, ""), ("@alone.txt --fail-on warn", .fail, ""),
            ("@kit.json", .fail, ""), ("@kit.json --fail-on never", .pass, ""), ("@malformed.txt", .data, ""),
            ("@malformed.txt --fail-on never", .data, ""), ("/nonexistent/pins.txt", .noInput, ""),
            ("@malformed.txt /nonexistent/pins.txt", .data, ""), ("", .usage, ""),
            ("@malformed.txt -f github", .data, "malformed.txt,line=2,title=wrong-length::'sha256/AAAA' has"),
            // Times say what is soon.
            ("@nsc.xml --at 2040-05-01", .pass, "[android-fails-open-after-expiration]"),
            ("@nsc.xml --at 2040-05-01 --warn-before 60d", .pass, "[pin-set-expires-soon]"),
            ("@nsc.xml --at 2040-06-01", .fail, "[pin-set-expired]"),
            // Pins that expire on a date have no beginning that a part could be of.
            ("@nsc.xml --at 2040-05-01 --warn-before 99%", .pass, "[android-fails-open-after-expiration]"),
            // Kinds of findings are listed and ignored.
            ("--rules", .pass, "\nno-backup-pin  "), ("--rules", .pass, "\nbad-host  "),
            ("@alone.txt --ignore no-backup-pin --fail-on note", .pass, ""),
            ("@alone.txt --ignore nothing", .usage, "'pincheck lint --rules' lists"),
            ("@alone.txt --ignore bad-host", .usage, "data with that cannot be used"),
            ("@alone.txt --fail-on fatal", .usage, "choose from error, warning, note, never"),
            ("@alone.txt --client nonesuch", .usage, ""),
            ("@good.txt --client afnetworking", .pass, "[client-takes-certificates]"),
            ("@good.txt -f text -f json", .usage, ""),
            ("@good.txt -f junit", .usage, "choose from text, json, github, sarif"),
        ] as [(String, ExitStatus, String)]) func theExitStatusIsThatOfTheWorstFinding(
            line: String, status: ExitStatus, words: String
        ) async throws
    {
        let outcome = try await desk("lint " + line, Self.texts).expect(status)
        #expect(words.isEmpty || (outcome.output + outcome.errors).contains(words), "\(outcome)")
    }

    @Test func gitHubGetsAnAnnotationALine() async throws {
        try await Desk.open(Self.texts) { desk in
            await desk("lint @good.txt -f github").says("")
            let outcome = await desk("lint '@a,b:100%.txt' -f github")
            let path = desk.files.path
            #expect(
                outcome.output
                    == "::warning file=\(path)/a%2Cb%3A100%25.txt,line=1,title=no-backup-pin::one key is pinned, and none in reserve: "
                    + "when it is lost or replaced, the app stops working; "
                    + "pin a second key that no server uses yet and whose private half lies in a safe place\n")
        }
    }

    @Test func sarifHasAPlaceForEachFindingWhichStaysWhenLinesMove() async throws {
        try await Desk.open { desk in
            func log(_ text: String) async throws -> [JSONValue] {
                try desk.write(text, to: "my pins.txt")
                let outcome = await desk("lint '@my pins.txt' -f sarif")
                return try JSONValue(outcome.output)["runs"][0]["results"].array
            }
            let text = "$LEAF\n$NEXT\n$LEAF\n"
            let (before, after) = (try await log(text), try await log("# a comment\n\n" + text))
            let prints = [before, after].map { $0.map { $0["partialFingerprints"]["pincheckFinding/v1"].text } }
            #expect(prints[0].count == 1 && prints[0][0]?.count == 64 && prints[0] == prints[1])
            let place = before[0]["locations"][0]["physicalLocation"]
            let uri = place["artifactLocation"]["uri"].text
            #expect(uri?.hasPrefix("file://") == true && uri?.hasSuffix("my%20pins.txt") == true)
            #expect(place["region"]["startLine"].number == 3)
            // What stands in no file has one too.
            let lone = try JSONValue(await desk("lint $LEAF -f sarif").output)["runs"][0]["results"].array
            #expect(!lone.isEmpty && lone.allSatisfy { !$0["locations"][0]["logicalLocations"].array.isEmpty })
        }
    }

    @Test func severalFormsAreWrittenAtOnce() async throws {
        try await Desk.open(Self.texts) { desk in
            await desk("lint @alone.txt -f text -f sarif=@pins.sarif").says(
                ending: "PASS  \(desk.files.path)/alone.txt: 1 warning\n")
            let sarif = try contents(ofFile: desk.files.path + "/pins.sarif")
            #expect(sarif.contains("\"no-backup-pin\""))
        }
    }

    @Test(arguments: ["30", "d", "30x", "-1d", "99999999999d", "1.5d", "101%"]) func whatIsNoThresholdIsRefused(
        text: String
    ) async throws {
        try await desk("lint @chain.pem --warn-before=\(text)").expect(
            .usage, errors: "--warn-before '\(text)' is not a threshold: write 30d")
    }

    // A certificate is signed with an end that is in the future when it is looked at: no test stands at the edge of 39%.
    @Test(arguments: [("40%", true), ("38%", false), ("6w", true), ("90m", false), ("940h", true)])
    func lintReadsThresholdsAsCheckDoes(text: String, isNear: Bool) async throws {
        let leaf = try StandardPKI.shared().rootA.issue(
            CertificateTemplate.leaf("api.example.com").valid(
                from: LabClock.now - 61 * LabClock.day, to: LabClock.now + 39 * LabClock.day))
        let outcome = try await desk("lint @own.pem --warn-before \(text)", ["own.pem": leaf.pem])
        #expect(outcome.output.contains("[pinned-certificate-expires-soon]") == isNear, "\(text): \(outcome)")
    }

    @Test func theSamplePinsAreClean() async {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Pins").path
        await pincheck("lint", directory, "--fail-on", "note").expect(.pass)
    }
}
