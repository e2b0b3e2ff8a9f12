import LoopbackLab
@testable import Base
import Testing

/// Lines of whatever input, one after the other.
@Suite(.timeLimit(.minutes(5))) struct LineReaderTests {
    private func lines(_ bytes: [UInt8], limit: Int = 1 << 20) throws -> [String] {
        let reader = LineReader(bytes: bytes, limit: limit)
        var lines: [String] = []
        while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        #expect(reader.number == lines.count)
        return lines
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\n\nb", ["a", "", "b"]),
        ("a\r\nb\rc\n\rd", ["a", "b", "c", "", "d"]),
        ("a\u{B}b\u{C}c\u{85}d\u{2028}e\u{2029}f", ["a", "b", "c", "d", "e", "f"]),
        ("\u{2027}\u{2026}é\u{A8}\u{5A8}", ["\u{2027}\u{2026}é\u{A8}\u{5A8}"]),
    ]) func aLineEndsWhereUnicodeSaysSo(text: String, expected: [String]) throws {
        #expect(try lines(Array(text.utf8)) == expected)
    }

    @Test func theLinesOfAFileAreThoseOfItsBytes() throws {
        // What ends a line stands at each place around the end of the buffer.
        for end in ["\n", "\r\n", "\u{85}", "\u{2028}"] {
            for length in 65_530...65_537 {
                let text = String(repeating: "x", count: length) + end + "second" + end
                try TemporaryDirectory.scoped { files in
                    let reader = try LineReader(path: files.write(text, to: "list"), limit: 1 << 20)
                    #expect(reader.isRepeatable)
                    #expect(try reader.next()?.count == length)
                    #expect(try reader.next() == Array("second".utf8))
                    #expect(try reader.next() == nil)
                }
            }
        }
    }

    @Test func aLineThatIsTooLongIsRefusedByItsNumber() throws {
        let reader = LineReader(bytes: Array("a\nlonger\n".utf8), limit: 5)
        #expect(try reader.next() == Array("a".utf8))
        #expect { _ = try reader.next() } throws: {
            if case .tooLong = $0 as? LineReader.Failure { true } else { false }
        }
        #expect(reader.number == 2)
    }
}
