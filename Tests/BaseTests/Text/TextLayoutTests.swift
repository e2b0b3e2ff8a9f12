import LoopbackLab
import Testing
import Base

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
