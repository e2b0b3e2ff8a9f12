import Testing

/// What `ArticleTests` takes for the same output, and how it reads a command line.
@Suite struct SampleMatchTests {
    private static let key = "sha256/IAFX7+5uJay/x5piRNd/bQON6t3swCtllbXwBbsTY3I="
    private static let other = "sha256/al1E95ysyaUHMRyldMUV7kBOnelCC+yH8ey96gQps2k="
    private static let third = "sha256/EXh87jcBD3f9+kyZKz0kxRdKZx36eF0B8NNcRWUw8LA="

    private func accepts(_ printed: [String], for said: [String]) -> Bool {
        var match = SampleMatch()
        return match.accepts(printed, for: said)
    }

    @Test(arguments: [
        ("breaks on 2027-02-20", "breaks on 2026-01-01", true), ("breaks on 2027-02-20", "breaks in 2027", false),
        ("EC P-256   89 d  IAFX7+5u…TY3I=", "EC P-256   90 d  al1E95ys…ps2k=", true),
        ("EC P-256   89 d", "EC P-256  189 d", false), ("EC P-256", "EC P-384", false), ("PASS  a", "PASS  a ", false),
        ("time=0.01s;;;0 days_0=89;30:", "time=0.5s;;;0 days_0=90;30:", true), ("one, two, three", "one,…three", true),
        ("one, two, three", "one,…four", false), ("one, two, three", "…two…", true),
        ("one, two, three", "…three…two…", false),
    ]) func aLineIsAlikeButForWhatDiffersFromRunToRun(printed: String, said: String, isAlike: Bool) {
        #expect(accepts([printed], for: [said]) == isAlike)
    }

    @Test func aHashStandsForOneHashInAllOfAText() {
        var match = SampleMatch()
        func accepts(_ printed: String, for said: String) -> Bool { match.accepts([printed], for: [said]) }
        let isLearnt = accepts("a \(Self.key)", for: "a \(Self.other)")
        #expect(isLearnt)
        let isTheSame = accepts("b \(Self.key)", for: "b \(Self.other)")
        #expect(isTheSame)
        let isAnother = accepts("b \(Self.third)", for: "b \(Self.other)")
        #expect(!isAnother)
        let isSaidOtherwise = accepts("b \(Self.key)", for: "b \(Self.third)")
        #expect(!isSaidOtherwise)
        #expect(match.command("pincheck --pins \(Self.other)") == "pincheck --pins \(Self.key)")
        let adopted = match.adopting(["c \(Self.key) \(Self.third)"])
        #expect(adopted == ["c \(Self.other) \(Self.third)"])
    }

    @Test func anEllipsisStandsForAnyLines() {
        let printed = ["one", "two", "three", "two"]
        #expect(accepts(printed, for: printed))
        #expect(accepts(printed, for: ["…", "two"]))
        #expect(accepts(printed, for: ["one", "  …", "three", "…"]))
        #expect(accepts(printed, for: ["…"]))
        #expect(!accepts(printed, for: ["…", "three"]))
        #expect(!accepts(printed, for: ["one", "two", "three"]))
        #expect(!accepts(["one"], for: ["one", "two"]))
        #expect(!accepts([], for: ["one"]))
    }

    @Test func aDifferenceShowsBothSides() {
        let difference = SampleMatch.difference(
            ["same", "is", "same 2027-01-01"], from: ["same", "was", "same 2026-01-01"])
        #expect(difference == "  same\n- was\n+ is\n  same 2027-01-01")
    }

    @Test func aCommandLineIsTakenApartAsAShellDoes() {
        let line = ShellLine("cat a | pincheck x --on-change 'echo \"a | b\" > c' --pins \"a b\" > out.txt")
        #expect(line.stages.count == 2)
        #expect(line.file == "out.txt")
        #expect(ShellLine.arguments(of: line.stages[1]) == ["x", "--on-change", "echo \"a | b\" > c", "--pins", "a b"])
        #expect(ShellLine.arguments(of: line.stages[0]) == nil)
        #expect(ShellLine.words(of: "a '' b") == ["a", "", "b"])
    }
}
