import LoopbackLab
import Base
import Testing

@testable import PinCheckCLI

/// The files of runs that go on: what else may be in them, and who else may write to them.
@Suite(.endsSomeTime) struct ResumedFileTests {
    private let pki: StandardPKI

    init() throws { pki = try .shared() }

    private func serving(_ body: (ResumedRunLab) async throws -> Void) async throws {
        try await ResumedRunLab.serving(pki, body)
    }

    /// The lines of the results of a run, without their ends.
    private func lines(_ lab: ResumedRunLab) throws -> [String] {
        try contents(ofFile: lab.results).split(separator: "\n").map(String.init)
    }

    private func write(_ lines: [String], _ lab: ResumedRunLab) throws {
        _ = try lab.files.write(lines.map { $0 + "\n" }.joined(), to: "run.jsonl")
    }

    @Test func aFileOfSomethingElseKeepsItsLastLine() async throws {
        try await serving { lab in
            _ = try await lab.run(lab.lines(1))
            let result = try contents(ofFile: lab.results)
            let foreign: [[UInt8]] = [
                pki.leaf.der + [0x0A] + pki.leaf.der, [0x1F, 0x8B, 0x08, 0x0A, 0x01, 0x02], Array("{\"a\":1}".utf8),
                Array("{".utf8), Array("hello".utf8), Array("\(result)hello".utf8),
                Array("\(result){\"built\":[]}".utf8), Array("{\"built\":[]}".utf8),
                Array("hello\n\(result.dropLast(30))".utf8),
            ]
            for bytes in foreign {
                try AtomicFile.write(bytes, to: lab.results)
                let outcome = try await lab.run(lab.lines(1))
                #expect(outcome.status == .data && outcome.errors.contains("is no result of"), "\(outcome)")
                #expect(try BoundedFile.bytes(at: lab.results, limit: 1 << 20) == bytes)
            }
        }
    }

    @Test func theBeginningOfAResultAloneIsAskedAgain() async throws {
        try await serving { lab in
            _ = try await lab.run(lab.lines(1))
            let result = try lines(lab)
            _ = try lab.files.write(String(result[0].dropLast(30)), to: "run.jsonl")
            let outcome = try await lab.run(lab.lines(1))
            #expect(outcome.status == .pass && !outcome.errors.contains("recorded before"), "\(outcome)")
            #expect(try lab.written() == ["n0 PASS"])
        }
    }

    @Test func aResultWithoutLineBreakCountsAndGetsOne() async throws {
        try await serving { lab in
            _ = try await lab.run(lab.lines(1))
            let text = try contents(ofFile: lab.results)
            _ = try lab.files.write(String(text.dropLast()), to: "run.jsonl")
            let outcome = try await lab.run(lab.lines(1))
            #expect(outcome.errors.contains("1 of them recorded before"), "\(outcome.errors)")
            #expect(try contents(ofFile: lab.results) == text)
        }
    }

    @Test func oneRunHasAFileAtATime() async throws {
        try await serving { lab in
            let other = try HeldFile(lab.results)
            let outcome = try await lab.run(lab.lines(1))
            #expect(outcome.status == .inputOutput, "\(outcome)")
            #expect(outcome.errors.contains("run.jsonl' is held by another run"), "\(outcome.errors)")
            other.end()
            #expect(try await lab.run(lab.lines(1)).status == .pass)
            #expect(try lines(lab).count == 1)
        }
    }

    @Test func aRunThatCannotBeginLeavesNoFile() async throws {
        try await serving { lab in
            let outcome = try await lab.run(lab.lines(1), "--pins", lab.files.path + "/missing.pem")
            #expect(outcome.status == .noInput, "\(outcome)")
            #expect(FileKind(at: lab.results) == .absent)
        }
    }

    @Test func theResultsOfATargetCountTogether() async throws {
        try await serving { lab in
            let line = [lab.lines(1)[0]]
            _ = try await lab.run([lab.lines(2)[1]])
            let other = try lines(lab)[0]
            try write([], lab)
            _ = try await lab.run(line, "--compare-sni")
            let whole = try lines(lab)
            #expect(whole.count == 2)
            let (first, last) = (whole[0], whole[1])
            for broken in [
                [last], [first], [first, other, last], [last, first], [first, first, last], [other, last],
                [first, other],
            ] {
                try write(broken, lab)
                let outcome = try await lab.run(line, "--compare-sni")
                #expect(outcome.status == .pass && !outcome.errors.contains("recorded before"), "\(outcome.errors)")
                let again = try await lab.run(line, "--compare-sni")
                #expect(again.errors.contains("1 of them recorded before"), "\(again.errors)")
            }
            try write([other, first, last, other], lab)
            #expect(try await lab.run(line, "--compare-sni").errors.contains("1 of them recorded before"))
        }
    }

    @Test func linesThatEndInCarriageReturnsAreCutWhereTheyEnd() async throws {
        try await serving { lab in
            let line = [lab.lines(1)[0]]
            _ = try await lab.run(lab.lines(3))
            let whole = try lines(lab)
            try write([], lab)
            _ = try await lab.run(line, "--compare-sni")
            let first = try lines(lab)[0]
            let kept = whole.map { $0 + "\r\n" }.joined()
            for rest in ["\(first)\r\n", "\(first)\r\n\(first.dropLast(9))"] {
                _ = try lab.files.write(kept + rest, to: "run.jsonl")
                let outcome = try await lab.run(lab.lines(3))
                #expect(outcome.errors.contains("3 of them recorded before"), "\(outcome.errors)")
                #expect(try contents(ofFile: lab.results) == kept)
            }
        }
    }

    @Test func aResultOfALaterTimeDoesNotCount() async throws {
        try await serving { lab in
            func run(at time: Int64) async throws -> Int {
                let outcome = await pincheck(
                    [StandardPKI.serverName, "--connect", "127.0.0.1:\(lab.port)"] + lab.arguments.prefix(2) + [
                        "--resume", lab.results,
                    ], at: time)
                #expect(outcome.status == .pass, "\(outcome)")
                return try lines(lab).count
            }
            // Clocks are never quite the same: a minute counts.
            for (later, count) in [(3_600, 1), (0, 2), (60, 2), (-60, 2)] as [(Int64, Int)] {
                let written = try await run(at: LabClock.now + later)
                #expect(written == count, "\(later)")
            }
        }
    }

    @Test(arguments: OutputForm.allCases) func aFormThatIsAboutAllTargetsIsRefused(form: OutputForm) async throws {
        try await serving { lab in
            let outcome = try await lab.run(lab.lines(1), "--format", "\(form.rawValue)=\(lab.files.path)/out")
            #expect(outcome.status == (form.sumsUp ? .usage : .pass), "\(outcome)")
            if form.sumsUp {
                #expect(outcome.errors.contains("\(form.rawValue) is about all targets"), "\(outcome.errors)")
                #expect(FileKind(at: lab.results) == .absent)
            }
        }
    }

    /// Whatever was lost, doubled, moved or torn in a file, the run ends as one without it.
    @Test(arguments: Seeds.sample(12)) func noFileMakesARunEndBetter(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        try await serving { lab in
            let targets = Array(lab.lines(8).suffix(3))
            func run() async throws -> Outcome { try await lab.run(targets, "--compare-sni") }
            func total(_ outcome: Outcome) -> Substring? {
                outcome.errors.split(separator: "\n").last?.split(separator: ", ").prefix { !$0.contains("recorded") }
                    .joined(separator: ", ").split(separator: ";").first
            }
            let fresh = try await run()
            var pool = try lines(lab)
            try write([], lab)
            _ = try await lab.run(targets)
            _ = try await lab.run(targets, "--client", "okhttp", "--compare-sni")
            pool += try lines(lab)
            for _ in 0..<4 {
                var mixed: [String] = []
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    let start = Int.random(in: 0..<pool.count, using: &generator)
                    let end = min(pool.count, start + Int.random(in: 1...4, using: &generator))
                    mixed += pool[start..<end]
                }
                if Bool.random(using: &generator) { mixed.shuffle(using: &generator) }
                let torn = pool[Int.random(in: 0..<pool.count, using: &generator)]
                let count = Int.random(in: 0..<torn.utf8.count, using: &generator)
                _ = try lab.files.write(
                    mixed.map { $0 + "\n" }.joined() + String(decoding: torn.utf8.prefix(count), as: UTF8.self),
                    to: "run.jsonl")
                let outcome = try await run()
                #expect(outcome.status == fresh.status && total(outcome) == total(fresh), "\(outcome.errors)")
            }
        }
    }
}
