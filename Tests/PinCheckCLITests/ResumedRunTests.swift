import LoopbackLab
import Base
import Testing

@testable import PinCheckCLI

/// Runs that go on where another was broken off.
@Suite(.endsSomeTime) struct ResumedRunTests {
    private let pki: StandardPKI
    /// The same in every call.
    private static let now = LabClock.now

    init() throws { pki = try .shared() }

    private func serving(_ body: (ResumedRunLab) async throws -> Void) async throws {
        try await ResumedRunLab.serving(pki, body)
    }

    @Test(arguments: [7, 1_000]) func aRunGoesOnWithWhatIsMissing(window: Int) async throws {
        try await serving { lab in
            // The same line twice is checked twice.
            let lines = lab.lines(60) + [lab.lines(6)[5], lab.lines(6)[5]]
            let whole = try await lab.run(lines, window: window)
            #expect(whole.status == .fail && whole.output.isEmpty, "\(whole)")
            #expect(
                whole.errors.hasSuffix("run.jsonl': 62 targets: 6 FAIL, 6 UNREACHABLE, 50 PASS\n"), "\(whole.errors)")
            let expected = try lab.written().sorted()
            #expect(expected.count == 62 && expected.count { $0 == "n5 PASS" } == 3)
            // As one that was killed in the middle of a line, and lost others.
            let text = try contents(ofFile: lab.results).split(separator: "\n")
            let kept = text.enumerated().filter { $0.offset % 3 > 0 && !$0.element.contains("UNREACHABLE") }.map(
                \.element)
            _ = try lab.files.write(
                kept.joined(separator: "\n") + "\n" + (kept.first ?? "").dropLast(20), to: "run.jsonl")
            let resumed = try await lab.run(lines, "--format", "text", window: window)
            #expect(resumed.status == .fail, "\(resumed.errors)")
            #expect(try lab.written().sorted() == expected)
            #expect(try contents(ofFile: lab.results).hasPrefix(kept.joined(separator: "\n") + "\n"))
            let shown = resumed.output.split(separator: "\n").count { line in
                ["PASS ", "FAIL ", "UNREACHABLE "].contains { line.hasPrefix($0) }
            }
            #expect(shown == 62 - kept.count, "\(resumed.output)")
            #expect(
                resumed.errors.hasSuffix(
                    "run.jsonl': 62 targets: 6 FAIL, 6 UNREACHABLE, 50 PASS, \(kept.count) of them recorded before\n"),
                "\(resumed.errors)")
        }
    }

    @Test func whatCouldNotBeReachedIsTriedAgain() async throws {
        try await serving { lab in
            let lines = lab.lines(4)
            #expect(try await lab.run(lines).status == .unreachable)
            #expect(try lab.written().sorted() == ["n0 PASS", "n1 PASS", "n2 PASS", "n3 UNREACHABLE"])
            let again = try await lab.run(lines)
            #expect(again.status == .unreachable)
            #expect(try lab.written().dropFirst(4) == ["n3 UNREACHABLE"])
            #expect(
                again.errors.hasSuffix("4 targets: 1 UNREACHABLE, 3 PASS, 3 of them recorded before\n"),
                "\(again.errors)")
        }
    }

    @Test func aRunWithNothingLeftToDoSaysSo() async throws {
        try await serving { lab in
            _ = try await lab.run([lab.lines(8)[7]])
            let again = try await lab.run([lab.lines(8)[7]])
            #expect(again.status == .fail && again.output.isEmpty)
            #expect(
                again.errors.hasSuffix("run.jsonl': 1 target: 1 FAIL, 1 of them recorded before\n"), "\(again.errors)")
            #expect(try lab.written() == ["n7 FAIL"])
            #expect(try await lab.run([lab.lines(8)[7]], "--quiet").errors.isEmpty)
        }
    }

    /// What changes a question: flags, or a file with other contents under the same name.
    enum Change: String, CaseIterable {
        case pins, contents, client, setting, anchors, strict, outlook, protocols, versions, serverName, time, variants
        case extraRoots, intermediates, device, hostPort, androidSource, androidResource

        /// Writes the files that the first question names.
        func arguments(_ pki: StandardPKI, _ files: TemporaryDirectory, isChanged: Bool) throws -> [String] {
            func file(_ text: String, _ name: String) throws -> String { try files.write(text, to: name) }
            let pin = try file(pki.leaf.pem, "pin.pem")
            let other = try file(pki.rootB.pem, "other.pem")
            return switch self {
            case .pins: ["--pins", isChanged ? other : pin]
            case .contents: ["--pins", try file(isChanged ? pki.rootB.pem : pki.leaf.pem, "same.pem")]
            case .client: ["--pins", pin, "--client", isChanged ? "okhttp" : "alamofire"]
            case .setting: ["--pins", pin, "--mode", isChanged ? "certificate" : "public-key"]
            case .anchors: ["--anchors", try file(isChanged ? pki.rootB.pem : pki.rootA.pem, "own.pem")]
            case .strict: isChanged ? ["--strict"] : []
            case .outlook: isChanged ? ["--fail-before", "1d"] : []
            case .protocols: isChanged ? ["--alpn", "h2"] : []
            case .versions: isChanged ? ["--max-tls", "1.2"] : []
            case .serverName: isChanged ? ["--sni", "other.example.com"] : []
            case .time: ["--at", String(ResumedRunTests.now + (isChanged ? 60 : 0))]
            case .variants: isChanged ? ["--each-tls-version"] : []
            case .extraRoots: ["--extra-root", try file(isChanged ? pki.rootB.pem : pki.rootA.pem, "extra.pem")]
            case .intermediates:
                ["--intermediate", try file(isChanged ? pki.rootB.pem : pki.interA.pem, "fetched.pem")]
            case .device: isChanged ? ["--device", "system"] : []
            case .hostPort: ["--request", "/", "--host", isChanged ? "h.example.com:8443" : "h.example.com:444"]
            case .androidSource: try ResumedRunTests.android(isChanged ? "user" : "system", pki.rootA.pem, files)
            case .androidResource:
                try ResumedRunTests.android("@raw/ca", (isChanged ? pki.rootB : pki.rootA).pem, files)
            }
        }
    }

    /// An Android app that trusts what `source` names, with a file of its own.
    private static func android(_ source: String, _ resource: String, _ files: TemporaryDirectory) throws -> [String] {
        for folder in ["app", "app/res", "app/res/raw", "app/res/xml"]
        where FileKind(at: "\(files.path)/\(folder)") == .absent { try files.makeDirectory(folder) }
        _ = try files.write(resource, to: "app/res/raw/ca.pem")
        let configuration = """
            <network-security-config><base-config><trust-anchors><certificates src="\(source)"/></trust-anchors>
            </base-config></network-security-config>
            """
        return ["--client", "okhttp", "--pins", try files.write(configuration, to: "app/res/xml/nsc.xml")]
    }

    @Test(arguments: Change.allCases) func aResultCountsForItsOwnQuestionAlone(change: Change) async throws {
        try await serving { lab in
            let line = "good.example.com:8443 verify-name=\(StandardPKI.serverName) connect=127.0.0.1:\(lab.port)"
            let list = try lab.files.write(line, to: "list.txt")
            func run(isChanged: Bool) async throws -> Outcome {
                let own = try change.arguments(pki, lab.files, isChanged: isChanged)
                return await pincheck(lab.arguments(beside: own) + own + ["--targets", list, "--resume", lab.results])
            }
            let first = try await run(isChanged: false)
            #expect(try lab.written().count == 1, "\(first.errors)")
            let other = try await run(isChanged: true)
            let count = try lab.written().count
            #expect(count > 1, "\(other.errors)")
            #expect(
                other.errors.contains("1 result in it answers another question (other targets, pins, clients"),
                "\(other.errors)")
            // Neither is asked again.
            #expect(try await run(isChanged: false).status == first.status)
            #expect(try await run(isChanged: true).status == other.status)
            #expect(try lab.written().count == count)
        }
    }

    @Test func theWayToAnAnswerIsNoPartOfTheQuestion() async throws {
        try await serving { lab in
            let lines = lab.lines(3)
            let pin = try lab.files.write(pki.leaf.pem, to: "pin.pem")
            _ = try await lab.run(lines, "--pins", pin, "--timeout", "9", "--jobs", "2")
            let moved = try lab.files.write(pki.leaf.pem, to: "moved.pem")
            let again = try await lab.run(
                ["# a note"] + lines.reversed(), "--pins", moved, "--timeout", "10", "--retries", "1", "--loops", "1")
            #expect(again.status == .pass)
            #expect(try lab.written().count == 3, "\(again.errors)")
        }
    }

    @Test func aTargetThatIsNoLongerAskedAboutDoesNotCount() async throws {
        try await serving { lab in
            #expect(try await lab.run(lab.lines(8)).status == .fail)
            let rest = try await lab.run(lab.lines(3))
            #expect(rest.status == .pass, "\(rest.errors)")
            #expect(
                rest.errors.contains(
                    "3 targets: 3 PASS, 3 of them recorded before; 4 results in it answer other questions"))
        }
    }

    @Test func whatMayHaveChangedWithTimeIsAskedAgain() async throws {
        let short = try pki.interA.issue(.leaf(StandardPKI.serverName).with { $0.notAfter = Self.now + 3_600 })
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            for (leaf, later, status) in [(short, 3_601, ExitStatus.fail), (pki.leaf, 86_401, .pass)] {
                try await LoopbackServer.serving(.presenting([leaf, pki.interA])) { server in
                    let results = "\(files.path)/\(later).jsonl"
                    func run(after seconds: Int64, _ more: String...) async -> ExitStatus {
                        await pincheck(
                            [StandardPKI.serverName, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors] + [
                                "--resume", results,
                            ] + more, at: Self.now + seconds
                        ).status
                    }
                    func count() -> Int? { (try? contents(ofFile: results))?.split(separator: "\n").count }
                    #expect(await run(after: 0) == .pass)
                    #expect(await run(after: 60) == .pass)
                    #expect(count() == 1)
                    #expect(await run(after: Int64(later)) == status)
                    #expect(count() == 2)
                    // What was judged anew counts beside what is too old.
                    #expect(await run(after: Int64(later) + 60) == status)
                    #expect(count() == 2)
                    // What is judged by a time that was given is as it was.
                    #expect(await run(after: 0, "--at", String(Self.now)) == .pass)
                    #expect(await run(after: Int64(later), "--at", String(Self.now)) == .pass)
                    #expect(count() == 3)
                }
            }
        }
    }

    @Test func otherRootsOfTheSystemAreAnotherQuestion() async throws {
        try await serving { lab in
            func run() async throws -> ExitStatus {
                await pincheck(
                    [StandardPKI.serverName, "--connect", "127.0.0.1:\(lab.port)", "--at", String(Self.now)] + [
                        "--resume", lab.results,
                    ], environment: ["SSL_CERT_FILE": lab.files.path + "/system.pem"]
                ).status
            }
            _ = try lab.files.write(pki.rootA.pem, to: "system.pem")
            #expect(try await run() == .pass)
            _ = try lab.files.write(pki.rootB.pem + "\n", to: "system.pem")
            #expect(try await run() == .fail)
        }
    }

    @Test func whatIsSaidOfPinsIsPartOfTheQuestion() async throws {
        try await serving { lab in
            func run(_ text: String) async throws -> ExitStatus {
                let pins = try lab.files.write(text, to: "pins.txt")
                return try await lab.run([lab.lines(1)[0]], "--pins", pins, "--skip-bad-pins", "--fail-on", "warn")
                    .status
            }
            let pin = "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n"
            _ = try await run(pin)
            _ = try await run(pin)
            #expect(try lab.written().count == 1)
            _ = try await run(pin + "sha256/AAAA\n")
            #expect(try lab.written().count == 2)
        }
    }

    @Test func resultsOfAnOrdinaryRunDoNotCount() async throws {
        try await serving { lab in
            let list = try lab.files.write(lab.lines(8)[7], to: "list.txt")
            let ordinary = await pincheck(lab.arguments + ["--targets", list, "--format", "jsonl=\(lab.results)"])
            #expect(ordinary.status == .fail)
            let outcome = try await lab.run(lab.lines(1))
            #expect(outcome.status == .pass)
            #expect(outcome.errors.contains("1 result in it answers another question"), "\(outcome.errors)")
        }
    }

    @Test func aTargetOfSeveralConnectionsIsDoneWithItsLastResult() async throws {
        try await serving { lab in
            let line = [lab.lines(1)[0]]
            #expect(try await lab.run(line, "--compare-sni").status == .pass)
            let text = try contents(ofFile: lab.results)
            let count = text.split(separator: "\n").count
            #expect(count > 1)
            #expect(try await lab.run(line, "--compare-sni").status == .pass)
            #expect(try contents(ofFile: lab.results) == text)
            let cut = text.split(separator: "\n").dropLast().joined(separator: "\n") + "\n"
            _ = try lab.files.write(cut, to: "run.jsonl")
            _ = try await lab.run(line, "--compare-sni")
            // Of what was not told to its end nothing is left.
            #expect(try contents(ofFile: lab.results).split(separator: "\n").count == count)
        }
    }

    @Test func aFileOfSomethingElseIsRefused() async throws {
        try await serving { lab in
            let list = try lab.files.write(lab.lines(10).joined(separator: "\n"), to: "list.txt")
            let arguments = lab.arguments + ["--targets", list]
            for text in ["hello\n", "{}\n", "{\"schema\":\"pincheck/2\"}\n", "[1,2\n"] {
                let path = try lab.files.write(text, to: "run.jsonl")
                let outcome = await pincheck(arguments + ["--resume", path])
                #expect(
                    outcome.status == .data && outcome.errors.contains("run.jsonl':1 is no result"), "\(outcome.errors)"
                )
                #expect(try contents(ofFile: path) == text)
            }
            let own = await pincheck(arguments + ["--resume", list])
            #expect(own.status == .usage || own.status == .data)
            #expect(try contents(ofFile: list) == lab.lines(10).joined(separator: "\n"))
            #expect(await pincheck(arguments + ["--resume", lab.files.path]).status == .usage)
            let path = lab.files.path + "/new.jsonl"
            let twice = await pincheck(arguments + ["--resume", path, "--format", "jsonl=\(path)"])
            #expect(twice.status == .usage, "\(twice)")
            #expect(await pincheck(arguments + ["--resume", path, "--next", list]).status == .usage)
        }
    }
}
