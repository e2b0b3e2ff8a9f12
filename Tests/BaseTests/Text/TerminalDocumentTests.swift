import Testing
import Base

@Suite struct TerminalDocumentTests {
    @Test(arguments: [
        ("{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1\n}\n"), ("one\r\ntwo\r\n", "one\ntwo\n"),
        ("new\rold\r", "new\\u{D}old\\u{D}"), ("\u{1B}]0;title\u{7}", "\\u{1B}]0;title\\u{7}"),
        ("\u{9B}2J Zürich 東京 🚀\u{202E}", "\\u{9B}2J Zürich 東京 🚀\\u{202E}"), ("\r\r\n", "\\u{D}\n"), ("", ""),
    ]) func aDocumentIsEscapedHoweverItComes(text: String, shown: String) {
        let bytes = Array(text.utf8)
        for length in 1...5 {
            var document = TerminalDocument()
            var result: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: length) {
                result += document.shown(Array(bytes[start..<min(start + length, bytes.count)]))
            }
            result += document.finished()
            #expect(String(decoding: result, as: UTF8.self) == shown)
        }
    }

    @Test(
        arguments: [[0x9B, 0x32, 0x4A], [0x41, 0xE2, 0x82], [0xF0], [0xFF, 0x1B], [0x80, 0x80, 0x80, 0x80]] as [[UInt8]]
    ) func noByteThatIsNoTextIsLeft(bytes: [UInt8]) {
        var document = TerminalDocument()
        let result = bytes.flatMap { document.shown([$0]) } + document.finished()
        let text = String(validating: result, as: UTF8.self)
        #expect(text?.contains("\u{FFFD}") == true && text?.contains("\u{1B}") == false)
    }
}
