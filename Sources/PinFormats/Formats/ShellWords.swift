internal import Text

/// The words of a shell script, line by line: quotation marks and backslashes undone, comments left out, nothing expanded.
struct ShellWords {
    /// The lines with a word, each with the number of its first.
    private(set) var lines: [(words: [String], line: Int)] = []
    /// The line of a quotation mark that is not closed, `nil` where all are.
    private var openLine: Int?

    /// The line of a quotation mark behind which `mark` stands and is no word of a command: an apostrophe in a text, most often.
    func unreadLine(holding mark: String) -> Int? {
        openLine
            ?? lines.first { line in
                line.words.contains { $0.utf8.contains(UInt8(ascii: "\n")) && $0.holdsBytes(of: mark) }
            }?.line
    }

    init(_ text: String) {
        var words: [String] = []
        var word: [UInt8]?
        var quotation: UInt8?
        var quotationLine = 1
        var line = 1
        var start = 1
        var bytes = text.utf8.makeIterator()
        var pending = bytes.next()
        func finish(_ word: inout [UInt8]?, _ words: inout [String]) {
            if let finished = word { words.append(String(decoding: finished, as: UTF8.self)) }
            word = nil
        }
        while let byte = pending {
            pending = bytes.next()
            if byte == UInt8(ascii: "\n") { line += 1 }
            if let open = quotation {
                if byte == open {
                    quotation = nil
                } else if byte == UInt8(ascii: "\\"), open == UInt8(ascii: "\""), let next = pending {
                    word?.append(next)
                    if next == UInt8(ascii: "\n") { line += 1 }
                    pending = bytes.next()
                } else {
                    word?.append(byte)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\n"), UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"):
                finish(&word, &words)
                if !words.isEmpty { lines.append((words, start)) }
                words = []
                start = line
            // What begins or ends a command within one ends a word as well.
            case UInt8(ascii: " "), 0x09, 0x0D, UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "`"):
                finish(&word, &words)
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                quotation = byte
                quotationLine = line
                word = word ?? []
            case UInt8(ascii: "\\"):
                let next = pending
                pending = bytes.next()
                if next == UInt8(ascii: "\n") {
                    line += 1
                } else if let next {
                    word = (word ?? []) + [next]
                }
            case UInt8(ascii: "#") where word == nil:
                while let skipped = pending, skipped != UInt8(ascii: "\n") { pending = bytes.next() }
            default:
                if word == nil { word = [byte] } else { word?.append(byte) }
            }
        }
        finish(&word, &words)
        if !words.isEmpty { lines.append((words, start)) }
        if quotation != nil { openLine = quotationLine }
    }
}
