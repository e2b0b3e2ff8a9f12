import Base
import LoopbackLab
import Testing

@Suite struct HoldingTests {
    @Test(arguments: [
        ("", "", true), ("a", "", true), ("", "a", false), ("abc", "abc", true), ("abc", "bc", true),
        ("abc", "abcd", false), ("aaab", "aab", true), ("ecdsa-with-sha256", "sha256", true),
        ("ecdsa-with-sha256", "sha25 ", false), ("Zürich", "ü", true), ("Zürich", "u", false),
    ]) func looksAtBytes(text: String, part: String, isHeld: Bool) {
        #expect(text.holds(part) == isHeld && text.bytes.holds(part.bytes) == isHeld)
    }
}

@Suite struct ListingTests {
    @Test(arguments: [
        ([], 5, ""), (["a"], 5, "a"), (["a", "b"], 2, "a, b"), (["a", "b", "c"], 2, "a, b and 1 more"),
        (["a", "b", "c"], 1, "a and 2 more"),
    ]) func theFirstFewAreNamedAndTheOthersCounted(words: [String], count: Int, text: String) {
        #expect(listed(words, first: count) == text)
    }

    @Test func whatIsNotNamedNeedNotBeMade() { #expect(listed(["a", "b"], of: 40_000) == "a, b and 39998 more") }
}

@Suite struct SafeTextTests {
    @Test(arguments: ["a\nb", "a\r\nb", "\u{1B}[31m", "\u{202E}gnp", "\u{2028}", "\u{85}", "\u{B}", "\0", "\u{FEFF}"])
    func whatIsPutBetweenTheWordsIsEscaped(text: String) {
        let message: SafeText = "the name \(text) is refused:\nsay another" + " (\(text))"
        let lines = message.description.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { !$0.isHidden } })
        #expect(SafeText(escaping: text) == "\(text)")
    }

    @Test func messagesWithinMessagesAreNotEscapedAgain() {
        let inner: SafeText = "first \("\n")"
        let outer: SafeText = "\(inner), \(inner)"
        #expect(outer.description == "first \\u{A}, first \\u{A}")
        #expect(SafeText.lines([inner, "second"]).description == "first \\u{A}\nsecond")
    }

    @Test func valuesOfAnyTypeAreShownAsTheyDescribeThemselves() {
        struct Hostile: CustomStringConvertible { let description = "x\n::error::y" }
        let message: SafeText = "\(Hostile()), \(3), \("a"[...])"
        #expect(message.description == "x\\u{A}::error::y, 3, a")
    }

    @Test func quotesAreOneLineAndShort() {
        #expect(quoted("a\nb") == "'a\\u{A}b'")
        #expect(quoted(String(repeating: "x", count: 100)) == "'" + String(repeating: "x", count: 79) + "…'")
        #expect(shortened(String(repeating: "x", count: 100) + "\n", to: 12) == "xxxxxx…xxx\\u{A}")
    }
}

@Suite struct SecondsTextTests {
    @Test(arguments: [
        (Duration.seconds(3), "3 s"), (.milliseconds(1_500), "1.5 s"), (.milliseconds(50), "0.05 s"),
        (.milliseconds(10_001), "10.001 s"), (.milliseconds(0), "0 s"), (.microseconds(1), "0 s"),
        (.seconds(Int64.max), "9223372036854775807 s"),
    ]) func aTimeIsWrittenAsTheFlagTakesIt(time: Duration, text: String) { #expect(secondsText(time) == text) }
}

@Suite struct TerminalDocumentTests {
    @Test(arguments: [
        ("{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1\n}\n"), ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("new\rold\r", "new\\u{D}old\\u{D}"), ("\u{1B}]0;title\u{7}", "\\u{1B}]0;title\\u{7}"),
        ("\u{9B}2J Zürich 東京 🚀\u{202E}", "\\u{9B}2J Zürich 東京 🚀\\u{202E}"), ("\r\r\n", "\\u{D}\n"), ("", ""),
    ]) func aDocumentIsEscapedHoweverItComes(text: String, shown: String) {
        let bytes = text.bytes
        for length in 1...5 {
            var document = TerminalDocument()
            var result: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: length) {
                result += document.show(Array(bytes[start..<min(start + length, bytes.count)]))
            }
            result += document.finish()
            #expect(String(decoding: result, as: UTF8.self) == shown)
        }
    }

    @Test(
        arguments: [[0x9B, 0x32, 0x4A], [0x41, 0xE2, 0x82], [0xF0], [0xFF, 0x1B], [0x80, 0x80, 0x80, 0x80]] as [[UInt8]]
    ) func noByteThatIsNoTextIsLeft(bytes: [UInt8]) {
        var document = TerminalDocument()
        let result = bytes.flatMap { document.show([$0]) } + document.finish()
        let text = String(validating: result, as: UTF8.self)
        #expect(text?.contains("\u{FFFD}") == true && text?.contains("\u{1B}") == false)
    }
}

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("CN=api.example.com", "CN=api.example.com"), ("\u{1B}[31mred\u{1B}[0m", "\\u{1B}[31mred\\u{1B}[0m"),
        ("\u{9B}31m", "\\u{9B}31m"), ("a\0b", "a\\u{0}b"), ("line\nbreak\r\n", "line\\u{A}break\\u{D}\\u{A}"),
        ("a\tb\u{7F}", "a\\u{9}b\\u{7F}"), ("gnp.\u{202E}exe", "gnp.\\u{202E}exe"),
        ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"), ("a\u{2028}b\u{2029}c", "a\\u{2028}b\\u{2029}c"),
        ("zero\u{200B}width\u{FEFF}", "zero\\u{200B}width\\u{FEFF}"), ("soft\u{AD}hyphen", "soft\\u{AD}hyphen"),
        ("no\u{A0}break", "no\\u{A0}break"), ("\u{E000}private", "\\u{E000}private"), ("\u{10FFFF}", "\\u{10FFFF}"),
        ("tag\u{E0041}", "tag\\u{E0041}"), ("filler\u{3164}", "filler\\u{3164}"),
        ("variation\u{FE0F}", "variation\\u{FE0F}"), ("Zürich 東京 é", "Zürich 東京 é"),
    ]) func showsWhatCouldFoolATerminal(text: String, shown: String) { #expect(TerminalText.escaped(text) == shown) }

    @Test func shortensByScalarsSoThatMarksCannotPileUp() {
        #expect(TerminalText.shortened("abcdef", to: 6) == "abcdef")
        #expect(TerminalText.shortened("abcdefg", to: 6) == "abcde…")
        let pile = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(TerminalText.shortened(pile, to: 10).unicodeScalars.count == 10)
        #expect(TerminalText.shortened("abc", to: 0) == "…")
    }
}

@Suite struct CellWidthTests {
    @Test(arguments: [
        ("", 0), ("CN=api.example.com", 18), ("Zürich", 6), ("北京", 4), ("東京 é", 6), ("e\u{301}", 1), ("한국", 4),
        ("\u{1112}\u{1161}\u{11AB}", 2), ("ｶﾅ", 2), ("カナ", 4), ("（）", 4), ("→ … ✓ ✗ –", 9), ("😀", 2), ("Ω", 1),
        ("\u{5E9}\u{5B0}", 1), ("\u{1B}[32m北\u{1B}[0m", 2), ("𠀀", 2),
    ]) func countsWhatATerminalShows(text: String, cells: Int) { #expect(TerminalText.cells(text) == cells) }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("北京某某", 8, "北京某某"), ("北京某某", 7, "北京某…"), ("北京某某", 6, "北京…"),
        ("e\u{301}fg", 2, "e\u{301}…"), ("ab", 1, "…"),
    ]) func cutsByCells(text: String, cells: Int, cut: String) {
        #expect(TerminalText.cut(text, toCells: cells) == cut)
        #expect(TerminalText.cells(TerminalText.padded(cut, toCells: 12)) == 12)
        #expect(TerminalText.cells(TerminalText.leftPadded(cut, toCells: 12)) == 12)
    }
}

@Suite struct TextLayoutTests {
    private let narrow = TextLayout(columns: 40, wraps: true)

    @Test func proseGoesOnBelowItsBeginning() {
        let text = "  note: nothing is contacted but the target, and that is said here"
        #expect(
            narrow.folded(text) == """
                  note: nothing is contacted but the
                      target, and that is said here
                """)
        #expect(
            narrow.folded("    1 pass  " + text.dropFirst(8)).hasPrefix(
                "    1 pass  nothing is contacted but the\n        target"))
        #expect(narrow.folded("short") == "short")
        #expect(TextLayout().folded(String(repeating: text, count: 9)) == String(repeating: text, count: 9))
    }

    @Test func hashesAndPathsStayWholeAndListsDoNot() {
        let hash = "sha256/" + String(repeating: "A", count: 43) + "="
        #expect(narrow.folded("the pin \(hash) is") == "the pin\n      \(hash)\n      is")
        #expect(
            narrow.folded("CN=Example CA,O=Example Trust Services Limited,OU=A,C=US,OU=B,OU=C,OU=D,OU=E")
                == "CN=Example CA,O=Example Trust Services\n      Limited,OU=A,C=US,OU=B,OU=C,OU=D,\n      OU=E")
        let cities = String(repeating: "北京", count: 12)
        #expect(
            narrow.folded("in \(cities)") == "in\n      " + String(repeating: "北京", count: 8) + "北\n      京"
                + String(repeating: "北京", count: 3))
    }

    @Test func groupsStayWhole() {
        let groups = ["api.example.com:443", "SNI api.example.com", "TLSv1.3"]
        #expect(narrow.joined(groups, by: "   ") == "api.example.com:443\n      SNI api.example.com   TLSv1.3")
        #expect(TextLayout().joined(groups, by: "   ") == groups.joined(separator: "   "))
    }

    @Test func nothingIsNarrowerThanCanBeRead() {
        #expect(TextLayout(columns: 1, wraps: true).columns == 40)
        #expect(TextLayout(columns: 100).narrowed(by: 3).columns == 97)
    }

    @Test(arguments: Seeds.sample(3)) func wordsAreTheSameAndLinesFit(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<200 {
            let words = (0..<Int.random(in: 1...40, using: &generator)).map { _ in
                String(repeating: "x", count: Int.random(in: 1...30, using: &generator))
            }
            let text = words.joined(separator: String(repeating: " ", count: Int.random(in: 1...3, using: &generator)))
            let layout = TextLayout(columns: Int.random(in: 40...120, using: &generator), wraps: true)
            let folded = layout.folded(text)
            #expect(folded.split { $0 == " " || $0 == "\n" }.map(String.init) == words)
            #expect(folded.split(separator: "\n").allSatisfy { TerminalText.cells($0) <= layout.columns })
        }
    }
}

@Suite struct UserInfoTests {
    @Test(arguments: [
        ("https://deploy:s3cr3t@api.example.com/a", "https://…@api.example.com/a"),
        ("https://s3cr3t@api.example.com", "https://…@api.example.com"),
        ("socks5h://u:s3@cr3t@proxy.example:1080", "socks5h://…@proxy.example:1080"),
        ("https://u:s3/cr3t@api.example.com/", "https://…@api.example.com/"),
        ("https://u:s3 cr3t@api.example.com/", "https://…@api.example.com/"),
        ("deploy:s3cr3t@api.example.com:8443", "…@api.example.com:8443"),
        ("connect=deploy:s3cr3t@192.0.2.1", "connect=…@192.0.2.1"),
        ("the value 'u:s3cr3t@api.example.com' is none", "the value '…@api.example.com' is none"),
        ("https://…@api.example.com/", "https://…@api.example.com/"),
    ]) func whatStandsBeforeAHostIsHidden(text: String, shown: String) {
        #expect(UserInfo.hidden(in: text) == shown)
        #expect(quoted(text) == "'\(shown)'")
        #expect(quoted("https://u:\(String(repeating: "s3cr3t", count: 40))@a.example/") == "'https://…@a.example/'")
    }

    @Test(arguments: [
        "https://npm.example.com/@scope/name", "https://npm.example.com:8443/@scope/name", "https://[::1]/@scope",
        "email:ops@example.com", "mailto:ops@example.com", "ops@example.com", "Error: ops@example.com is a word",
        "/tmp/a:b@2x.png", "@Assets/icon@2x.png", "a:b", "",
    ]) func whatIsNoUserStays(text: String) { #expect(UserInfo.hidden(in: text) == text) }

    @Test func nothingIsShownBeforeTheHostOfWhatIsToNameOne() {
        #expect(UserInfo.hiddenBeforeHost("s3cr3t@a.example") == "…@a.example")
        #expect(UserInfo.hiddenBeforeHost("ftp://s3cr3t@a.example/x") == "ftp://…@a.example/x")
        #expect(UserInfo.hiddenBeforeHost("u:p://s@a.example") == "u:p://…@a.example")
        #expect(UserInfo.hiddenBeforeHost("a.example") == "a.example")
    }
}
