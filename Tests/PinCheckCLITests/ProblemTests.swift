import Base
import Pinning
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct ProblemTests {
    /// A kind with its status, and a command line that ends so after it was given a proxy's password and a hostile text.
    static let kinds: [(kind: Problem.Kind, status: ExitStatus, line: String?)] = [
        (.usage, .usage, "h --sni HOSTILE --proxy http://user:s3cr3t@p:70000"),
        (.data, .data, "h --pins sha256/HOSTILE --proxy http://user:s3cr3t@p"),
        (.noInput, .noInput, "--targets /nowhere/HOSTILE --proxy http://user:s3cr3t@p"), (.software, .software, nil),
        (.inputOutput, .inputOutput, "127.0.0.1:1 --format json=/nowhere/HOSTILE --proxy http://user:s3cr3t@p"),
    ]

    @Test(arguments: kinds) func aProblemHasAStatusAndShowsNothingHidden(
        kind: Problem.Kind, status: ExitStatus, line: String?
    ) async {
        let hostile = OutsideTextTests.hostile
        let fact: SafeText = "the proxy \(quoted("http://user:s3cr3t@p/" + hostile)) is \(hostile)"
        let problem = Problem(kind, fact, .advice("leave out " + hostile))
        let id: FindingID = kind == .noInput ? .missingFile : .wrongValue
        let place = PinPlace.at(hostile, line: 3)
        #expect(ExitStatus(problem) == status)
        for problem in [
            problem, problem.at(place), problem.said(of: "--proxy"), problem.with(reason: hostile, advice: hostile),
            Problem(id, at: place, hostile, hostile), Problem(id, at: place, hostile, lines: ["host pin"]),
            Problem(id, at: place, hostile).at(.named(hostile)),
        ] {
            for (text, count) in [("\(problem)", 1), (problem.told.description, problem.lines.count + 1)] {
                let lines = text.split(separator: "\n")
                #expect(isPlain(text) && lines.count == count, "\(text)")
                #expect(!text.contains("s3cr3t") && !lines.contains { $0.hasPrefix("::evil") }, "\(text)")
            }
        }
        guard let line else { return }
        let words = line.split(separator: " ").map { String($0).replacing("HOSTILE", with: hostile) }
        let outcome = await pincheck(words).expect(status, "", errors: "Error: ", not: "s3cr3t")
        #expect(isPlain(outcome.errors) && outcome.errors.count(where: \.isNewline) == 1, "\(outcome)")
    }

    @Test func everyKindIsInTheTable() { #expect(Set(Self.kinds.map(\.kind)) == Set(Problem.Kind.allCases)) }

    @Test func wrongUsageIsMalformedDataInAFile() {
        let place = PinPlace.at("list", line: 3)
        #expect(Problem.usage("x").at(place).kind == .data)
        #expect(Problem.usage("x", .chooseClient).at(place).kind == .usage)
        for kind in Problem.Kind.allCases where kind != .usage { #expect(Problem(kind, "x").at(place).kind == kind) }
        #expect(Problem.usage("x").at(place).at(.file("list")).description == "list:3: x")
        #expect(Problem.usage("x").at(place).at(.file("other")).description == "other: list:3: x")
    }
}
