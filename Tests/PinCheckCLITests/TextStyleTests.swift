@testable import PinCheckCLI
import Testing

@Suite(.endsSomeTime) struct TextStyleTests {
    @Test(
        arguments: [
            (TextStyle.Choice.auto, true, [:], true), (.auto, false, [:], false),
            (.auto, true, ["NO_COLOR": "1"], false), (.auto, true, ["NO_COLOR": ""], true),
            (.auto, true, ["TERM": "dumb"], false), (.auto, true, ["TERM": "xterm"], true),
            (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true), (.never, true, [:], false),
        ] as [(TextStyle.Choice, Bool, [String: String], Bool)]) func coloursOnlyWhereItIsWanted(
            choice: TextStyle.Choice, isTerminal: Bool, environment: [String: String], isColored: Bool
        )
    {
        let style = TextStyle(choice, isTerminal: isTerminal, environment: environment)
        #expect(style.isColored == isColored)
        #expect(style.token(.pass) == (isColored ? "\u{1B}[32mPASS\u{1B}[0m" : "PASS"))
    }
}

@Suite(.endsSomeTime) struct ExitStatusTests {
    @Test func codesAndNamesAreTheTableOfTheManual() {
        let table = ExitStatus.allCases.map { "\($0.rawValue) \($0.name)" }
        #expect(
            table == [
                "0 PASS", "1 FAIL", "2 UNREACHABLE", "3 WARN", "4 CHANGED", "5 ANSWER", "64 USAGE", "65 DATA",
                "66 NOINPUT", "70 SOFTWARE", "74 IO",
            ])
    }

    @Test(
        arguments: [
            ([.pass, .pass], .pass), ([.pass, .warn], .warn), ([.warn, .unreachable], .unreachable),
            ([.unreachable, .changed], .changed), ([.changed, .fail, .pass], .fail), ([.fail, .software], .software),
            ([], .noInput),
        ] as [([ExitStatus], ExitStatus)]) func theWorstCountsAndNothingIsNeverAPass(
            statuses: [ExitStatus], worst: ExitStatus
        )
    {
        #expect(ExitStatus.worst(statuses) == worst)
        #expect(ExitStatus.worst(statuses.reversed()) == worst)
    }
}
