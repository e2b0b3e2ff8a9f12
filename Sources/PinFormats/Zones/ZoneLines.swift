/// The lines of a zone file: without comments, and with what parentheses and quotation marks hold together on one line.
struct ZoneLines {
    /// Why the lines behind a place cannot be told apart.
    struct Problem {
        let line: Int
        let reason: String
    }

    private var pending = ""
    private var start = 0
    private var number = 0
    /// The lines of the parentheses that are open.
    private var parentheses: [Int] = []
    private var isQuoted = false
    private var quotation = ""
    private var quotationLine = 0
    /// Whether the line is a TLSA record as far as its first `#`.
    private var isRecord: Bool?
    private var problem: Problem?

    /// Calls `body` with each line that is not empty and the number of its first line, until it returns false.
    static func forEach(in text: String, _ body: (String, Int) -> Bool) -> Problem? {
        var lines = ZoneLines()
        // Nothing else ends a line or a comment in a zone, whatever Unicode has.
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: isEnd) {
            lines.add(line)
            guard lines.problem == nil else { return lines.problem }
            guard lines.parentheses.isEmpty, !lines.isQuoted else { continue }
            if !lines.pending.allSatisfy(\.isWhitespace), !body(lines.pending, lines.start) { return nil }
            lines.pending = ""
            lines.isRecord = nil
        }
        guard !lines.pending.allSatisfy(\.isWhitespace) else { return nil }
        _ = body(lines.pending, lines.start)
        return lines.isQuoted
            ? Problem(line: lines.quotationLine, reason: "a quotation mark that is not closed")
            : Problem(line: lines.parentheses.last ?? lines.start, reason: "a parenthesis that is not closed")
    }

    private static func isEnd(_ character: Character) -> Bool {
        character == "\n" || character == "\r\n" || character == "\r"
    }

    private mutating func add(_ line: Substring) {
        number += 1
        if parentheses.isEmpty, !isQuoted { start = number } else { pending.append(" ") }
        var isEscaped = false
        var previous: Character = " "
        for character in line {
            defer { previous = character }
            if isEscaped {
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                turnQuotation()
            } else if !isQuoted {
                if character == ";" || character == "#" && previous.isWhitespace && mayBeComment() { return }
                if character == "(" || character == ")" {
                    turnParenthesis(character)
                    pending.append(" ")
                    continue
                }
            }
            pending.append(character)
            if isQuoted { quotation.append(character) }
        }
    }

    /// Whether a `#` begins a comment, as none does in zones: at the start of a line or behind a TLSA record.
    private mutating func mayBeComment() -> Bool {
        if pending.allSatisfy(\.isWhitespace) { return true }
        let isRecord = isRecord ?? (TLSARecordLine(pending) != nil)
        self.isRecord = isRecord
        return isRecord
    }

    private mutating func turnParenthesis(_ mark: Character) {
        if mark == "(" {
            parentheses.append(number)
        } else if parentheses.popLast() == nil {
            problem = problem ?? Problem(line: number, reason: "a parenthesis that is not opened")
        }
    }

    /// Text may have several lines; records of TLSA in it are those behind a mark that was forgotten.
    private mutating func turnQuotation() {
        isQuoted.toggle()
        if isQuoted {
            quotationLine = number
        } else {
            if quotationLine < number, TLSARecordLine.isMentioned(in: quotation[...]) {
                problem = problem ?? Problem(line: quotationLine, reason: "a quotation mark that is not closed")
            }
            quotation = ""
        }
    }
}
