import Testing
import Base

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
