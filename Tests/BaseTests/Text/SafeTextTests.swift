import Testing
import Base

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
