internal import Text

/// The words of a shell script, command by command: quotation marks and backslashes undone, comments left out, nothing expanded.
///
/// A command within another, as in `$(…)`, is one for itself. The line ends of `cmd` (`^`) and PowerShell (a backtick) are read too.
struct ShellWords {
    struct Word {
        var text: String
        /// Whether the shell puts something in its place or in a part of it.
        var isComputed: Bool
    }

    /// What words stand together as.
    enum Kind {
        case command
        /// What is assigned to a variable as a list.
        case array
        /// The files that a command reads and writes.
        case redirection
        /// The lines that a command has as its input.
        case hereDocument
    }

    struct Line {
        var kind: Kind
        var words: [Word]
        /// The number of its first line.
        var line: Int
    }

    private(set) var lines: [Line] = []
    /// The line of a quotation mark or of a command within another that is not closed, `nil` where all are.
    private(set) var openLine: Int?

    private static let deepest = 64

    /// What is read until its end: the script, or a command within a command.
    private struct Frame {
        var closing: UInt8?
        var kind = Kind.command
        var isArithmetic = false
        var words: [Word] = []
        var word: [UInt8]?
        var isComputed = false
        var quotation: Quotation?
        /// Whether the next word is the file of a redirection.
        var isRedirecting = false
        /// The line where it opens; a parenthesis that stays open is none of a command's.
        var openingLine: Int?
        var start: Int
    }

    private enum Quotation { case single, double, escaped }

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var frames = [Frame(start: 1)]
    private var quotationLine = 1
    private var pendingDocuments: [[UInt8]] = []
    private lazy var contents = Set(bytes.split(separator: UInt8(ascii: "\n")).map(Self.trimmed))

    init(_ text: String) {
        bytes = Array(text.utf8)
        while index < bytes.count { readOne() }
        if frames.contains(where: { $0.quotation != nil }) { openLine = quotationLine }
        openLine = frames.lazy.compactMap(\.openingLine).first ?? openLine
        while !frames.isEmpty {
            endCommand()
            frames.removeLast()
        }
    }

    // MARK: Words

    private var frame: Frame {
        get { frames[frames.count - 1] }
        _modify { yield &frames[frames.count - 1] }
    }

    private func peek(_ distance: Int) -> UInt8? {
        let place = index + distance
        return place >= 0 && place < bytes.count ? bytes[place] : nil
    }

    private mutating func add(_ byte: UInt8) {
        if frame.word == nil { frame.word = [byte] } else { frame.word?.append(byte) }
    }

    private mutating func finishWord() {
        guard let word = frame.word else { return }
        let finished = Word(text: String(decoding: word, as: UTF8.self), isComputed: frame.isComputed)
        frame.word = nil
        frame.isComputed = false
        if frame.isRedirecting {
            frame.isRedirecting = false
            lines.append(Line(kind: .redirection, words: [finished], line: line))
        } else {
            frame.words.append(finished)
        }
    }

    private mutating func endCommand() {
        finishWord()
        if !frame.words.isEmpty { lines.append(Line(kind: frame.kind, words: frame.words, line: frame.start)) }
        frame.words = []
        frame.isRedirecting = false
        frame.start = line
    }

    /// Begins what a closing character ends, `isWithinWord` where the shell puts its output there.
    private mutating func open(_ closing: UInt8, isWithinWord: Bool, kind: Kind = .command) {
        if isWithinWord {
            frame.word = frame.word ?? []
            frame.isComputed = true
        }
        guard frames.count < Self.deepest else {
            openLine = openLine ?? line
            return
        }
        var inner = Frame(closing: closing, kind: kind, start: line)
        inner.openingLine = isWithinWord ? line : nil
        inner.isArithmetic = frame.isArithmetic || peek(0) == UInt8(ascii: "(")
        frames.append(inner)
    }

    private mutating func close() {
        endCommand()
        frames.removeLast()
    }

    /// The length of the end of the line at a distance, `nil` where there is none.
    private func lineEnd(at distance: Int) -> Int? {
        if peek(distance) == UInt8(ascii: "\n") { return 1 }
        return peek(distance) == 0x0D && peek(distance + 1) == UInt8(ascii: "\n") ? 2 : nil
    }

    private mutating func join(_ length: Int) {
        index += length
        line += 1
    }

    private mutating func readOne() {
        let byte = bytes[index]
        index += 1
        switch frame.quotation {
        case .single, .escaped: readSingleQuoted(byte)
        case .double: readDoubleQuoted(byte)
        case nil: readPlain(byte)
        }
    }

    // MARK: Quotations

    private mutating func readSingleQuoted(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") { line += 1 }
        if byte == UInt8(ascii: "'") {
            frame.quotation = nil
        } else if byte == UInt8(ascii: "\\"), frame.quotation == .escaped, let next = peek(0) {
            if next == UInt8(ascii: "\n") { line += 1 }
            index += 1
            add(byte)
            add(next)
        } else {
            add(byte)
        }
    }

    private mutating func readDoubleQuoted(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): frame.quotation = nil
        case UInt8(ascii: "\\"):
            if let length = lineEnd(at: 0) { return join(length) }
            if let next = peek(0), "$`\"\\".utf8.contains(next) {
                index += 1
                add(next)
            } else {
                add(byte)
            }
        case UInt8(ascii: "$"): readDollar()
        case UInt8(ascii: "`"): readBacktick()
        default:
            if byte == UInt8(ascii: "\n") { line += 1 }
            add(byte)
        }
    }

    private mutating func beginQuotation(_ quotation: Quotation) {
        frame.quotation = quotation
        quotationLine = line
        frame.word = frame.word ?? []
    }

    // MARK: Expansions

    private mutating func readDollar() {
        add(UInt8(ascii: "$"))
        frame.isComputed = true
        if peek(0) == UInt8(ascii: "(") {
            index += 1
            open(UInt8(ascii: ")"), isWithinWord: true)
        } else if peek(0) == UInt8(ascii: "'"), frame.quotation == nil {
            index += 1
            beginQuotation(.escaped)
        }
    }

    private mutating func readBacktick() {
        if frame.quotation == nil {
            if frame.closing == UInt8(ascii: "`") { return close() }
            if let length = lineEnd(at: 0), let before = peek(-2), before == UInt8(ascii: " ") || before == 0x09 {
                return join(length)
            }
        }
        // What it puts in its place is seen in the word, as with $(…).
        add(UInt8(ascii: "$"))
        open(UInt8(ascii: "`"), isWithinWord: true)
    }

    // MARK: Commands

    private mutating func readPlain(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\n"):
            line += 1
            endCommand()
            skipDocuments()
        case UInt8(ascii: "&") where peek(0) == UInt8(ascii: ">"):
            finishWord()
            index += 1
            readRedirection(UInt8(ascii: ">"))
        case UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "&"): endCommand()
        case UInt8(ascii: " "), 0x09, 0x0D: finishWord()
        case UInt8(ascii: "("):
            let isArray = frame.word?.last == UInt8(ascii: "=")
            if !isArray { finishWord() }
            open(UInt8(ascii: ")"), isWithinWord: isArray, kind: isArray ? .array : .command)
        case UInt8(ascii: ")"):
            if frame.closing == byte { close() } else { endCommand() }
        case UInt8(ascii: "`"): readBacktick()
        case UInt8(ascii: "'"): beginQuotation(.single)
        case UInt8(ascii: "\""): beginQuotation(.double)
        case UInt8(ascii: "$"): readDollar()
        case UInt8(ascii: "<"), UInt8(ascii: ">"): readRedirection(byte)
        case UInt8(ascii: "^"):
            if let length = lineEnd(at: 0) { join(length) } else { add(byte) }
        case UInt8(ascii: "\\"):
            if let length = lineEnd(at: 0) { return join(length) }
            guard let next = peek(0) else { return }
            index += 1
            add(next)
        case UInt8(ascii: "#") where frame.word == nil:
            while let next = peek(0), next != UInt8(ascii: "\n") { index += 1 }
        default: add(byte)
        }
    }

    // MARK: Redirections

    /// Reads an operator such as `2>&1`, `>>`, `<<<`; the word behind it is none of the command.
    private mutating func readRedirection(_ byte: UInt8) {
        if peek(0) == UInt8(ascii: "(") {
            index += 1
            return open(UInt8(ascii: ")"), isWithinWord: true)
        }
        let isNumber = frame.word?.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        if isNumber { frame.word = nil } else { finishWord() }
        if byte == UInt8(ascii: "<"), peek(0) == byte, peek(1) != byte, !frame.isArithmetic, beginDocument() { return }
        var length = 0
        while length < 2, let next = peek(0), "<>&|".utf8.contains(next) {
            index += 1
            length += 1
        }
        frame.isRedirecting = true
    }

    /// Takes note of a here-document, whose lines begin behind this one; false where no line ends it, so that there is none.
    private mutating func beginDocument() -> Bool {
        var place = index + 1
        if place < bytes.count, "-~".utf8.contains(bytes[place]) { place += 1 }
        while place < bytes.count, bytes[place] == UInt8(ascii: " ") { place += 1 }
        let rest = bytes[place...].prefix { byte in
            byte > 0x20 && !";|&<>()".utf8.contains(byte)
        }
        let delimiter = rest.filter { !"'\"\\".utf8.contains($0) }
        guard !delimiter.isEmpty, contents.contains(delimiter[...]) else { return false }
        pendingDocuments.append(delimiter)
        index = rest.endIndex
        return true
    }

    private mutating func skipDocuments() {
        for delimiter in pendingDocuments {
            let start = line
            var text: [UInt8] = []
            while index < bytes.count {
                let content = bytes[index...].prefix { $0 != UInt8(ascii: "\n") }
                index = min(content.endIndex + 1, bytes.count)
                line += 1
                if Self.trimmed(content).elementsEqual(delimiter) { break }
                text += content + [UInt8(ascii: "\n")]
            }
            let word = Word(text: String(decoding: text, as: UTF8.self), isComputed: false)
            lines.append(Line(kind: .hereDocument, words: [word], line: start))
        }
        pendingDocuments = []
        frame.start = line
    }

    private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line.drop { $0 <= 0x20 }
        while let last = line.last, last <= 0x20 { line.removeLast() }
        return line
    }
}
