@testable import PinCheckCLI
import Testing

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("CN=api.example.com", "CN=api.example.com"),
        ("\u{1B}[31mred\u{1B}[0m", "\\u{1B}[31mred\\u{1B}[0m"),
        ("\u{9B}31m", "\\u{9B}31m"),
        ("a\0b", "a\\u{0}b"),
        ("line\nbreak\r\n", "line\\u{A}break\\u{D}\\u{A}"),
        ("a\tb\u{7F}", "a\\u{9}b\\u{7F}"),
        ("gnp.\u{202E}exe", "gnp.\\u{202E}exe"),
        ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
        ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
        ("zero\u{200B}width\u{FEFF}", "zero\\u{200B}width\\u{FEFF}"),
        ("soft\u{AD}hyphen", "soft\\u{AD}hyphen"),
        ("no\u{A0}break", "no\\u{A0}break"),
        ("\u{E000}private", "\\u{E000}private"),
        ("\u{10FFFF}", "\\u{10FFFF}"),
        ("tag\u{E0041}", "tag\\u{E0041}"),
        ("filler\u{3164}", "filler\\u{3164}"),
        ("variation\u{FE0F}", "variation\\u{FE0F}"),
        ("Zürich 東京 é", "Zürich 東京 é"),
    ])
    func showsWhatCouldFoolATerminal(text: String, shown: String) {
        #expect(TerminalText.escaped(text) == shown)
    }

    @Test func shortensByScalarsSoThatMarksCannotPileUp() {
        #expect(TerminalText.shortened("abcdef", to: 6) == "abcdef")
        #expect(TerminalText.shortened("abcdefg", to: 6) == "abcde…")
        let pile = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(TerminalText.shortened(pile, to: 10).unicodeScalars.count == 10)
        #expect(TerminalText.shortened("abc", to: 0) == "…")
    }

    @Test func writesDangerousCharactersOfJSONAsEscapes() throws {
        #expect(try JSONRenderer.line("\u{202E}\u{9B}\u{7F}\u{0}") == "\"\\u202e\\u009b\\u007f\\u0000\"\n")
        #expect(try JSONRenderer.line("\u{E0041}") == "\"\\udb40\\udc41\"\n")
        #expect(try JSONRenderer.line("Zürich \"/\\\n") == "\"Zürich \\\"/\\\\\\n\"\n")
    }
}

@Suite struct TextStyleTests {
    @Test(
        arguments: [
            (TextStyle.Choice.auto, true, [:], true),
            (.auto, false, [:], false),
            (.auto, true, ["NO_COLOR": "1"], false),
            (.auto, true, ["NO_COLOR": ""], true),
            (.auto, true, ["TERM": "dumb"], false),
            (.auto, true, ["TERM": "xterm"], true),
            (.always, false, ["NO_COLOR": "1", "TERM": "dumb"], true),
            (.never, true, [:], false),
        ] as [(TextStyle.Choice, Bool, [String: String], Bool)]
    )
    func coloursOnlyWhereItIsWanted(
        choice: TextStyle.Choice,
        isTerminal: Bool,
        environment: [String: String],
        isColored: Bool
    ) {
        let style = TextStyle(choice, isTerminal: isTerminal, environment: environment)
        #expect(style.isColored == isColored)
        #expect(style.token(.pass) == (isColored ? "\u{1B}[32mPASS\u{1B}[0m" : "PASS"))
    }
}

@Suite struct ExitStatusTests {
    @Test func codesAndNamesAreTheTableOfTheManual() {
        let table = ExitStatus.allCases.map { "\($0.rawValue) \($0.name)" }
        #expect(
            table == [
                "0 PASS", "1 FAIL", "2 UNREACHABLE", "3 WARN", "4 CHANGED", "64 USAGE", "65 DATA", "66 NOINPUT",
                "70 SOFTWARE", "74 IO",
            ]
        )
    }

    @Test(
        arguments: [
            ([.pass, .pass], .pass), ([.pass, .warn], .warn), ([.warn, .unreachable], .unreachable),
            ([.unreachable, .changed], .changed), ([.changed, .fail, .pass], .fail), ([.fail, .software], .software),
            ([], .noInput),
        ] as [([ExitStatus], ExitStatus)]
    )
    func theWorstCountsAndNothingIsNeverAPass(statuses: [ExitStatus], worst: ExitStatus) {
        #expect(ExitStatus.worst(statuses) == worst)
        #expect(ExitStatus.worst(statuses.reversed()) == worst)
    }
}
