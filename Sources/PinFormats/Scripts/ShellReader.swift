internal import Base

/// Takes a shell script apart; see ``ShellWords``.
struct ShellReader {
    typealias Word = ShellWords.Word
    typealias Kind = ShellWords.Kind
    typealias Line = ShellWords.Line

    var lines: [Line] = []
    private(set) var openLine: Int?

    private static let deepest = 64
    /// What begins a comment of `cmd`, beside two colons.
    private static let remarks: Set = ["rem", "@rem"]

    /// What is read until its end: the script, or a command within a command.
    struct Frame {
        var closing: UInt8?
        var kind = Kind.command
        var isArithmetic = false
        var words: [Word] = []
        var word: [UInt8]?
        var isComputed = false
        var quotation: Quotation?
        /// Whether the next word is the file of a redirection.
        var isRedirecting = false
        var isJoined = false
        /// Whether the command writes to a file.
        var isWriting = false
        /// The line where it opens; a parenthesis that stays open is none of a command's.
        var openingLine: Int?
        var start: Int
    }

    enum Quotation { case single, double, escaped }

    let bytes: [UInt8]
    var index = 0
    var line = 1
    private var frames = [Frame(start: 1)]
    var pendingDocuments: [[UInt8]] = []
    /// The lines of the text, without blanks at their ends.
    lazy var contents = Set(bytes.split(separator: UInt8(ascii: "\n")).map(Self.trimmed))

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func readAll() {
        while index < bytes.count { readOne() }
        openLine = frames.lazy.compactMap(\.openingLine).first ?? openLine
        while !frames.isEmpty {
            endCommand()
            frames.removeLast()
        }
    }

    // MARK: Words

    var frame: Frame {
        get { frames[frames.count - 1] }
        _modify { yield &frames[frames.count - 1] }
    }

    func peek(_ distance: Int) -> UInt8? {
        let place = index + distance
        return place >= 0 && place < bytes.count ? bytes[place] : nil
    }

    private mutating func add(_ byte: UInt8) {
        if frame.word == nil { frame.word = [byte] } else { frame.word?.append(byte) }
    }

    mutating func finishWord() {
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

    private mutating func endCommand(isPiped: Bool = false) {
        let isOpen = frame.quotation != nil
        finishWord()
        if !frame.words.isEmpty {
            var line = Line(kind: frame.kind, words: frame.words, line: frame.start)
            line.isOpen = isOpen
            line.isJoined = frame.isJoined
            line.isTaken = isPiped || frame.isWriting || frames.count > 1
            lines.append(line)
        }
        frame.words = []
        frame.isRedirecting = false
        frame.isJoined = false
        frame.isWriting = false
        frame.start = line
    }

    /// Begins what a closing character ends, `isWithinWord` where the shell puts its output there.
    mutating func open(_ closing: UInt8, isWithinWord: Bool, kind: Kind = .command) {
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
        frame.isJoined = true
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
        case UInt8(ascii: "|"): endCommand(isPiped: peek(0) != byte)
        case UInt8(ascii: ";"), UInt8(ascii: "&"): endCommand()
        case UInt8(ascii: " "), 0x09, 0x0D:
            let isFirst = frame.words.isEmpty && !frame.isRedirecting
            finishWord()
            if isFirst, Self.remarks.contains(frame.words.first?.text.lowercased() ?? "") { skipLine() }
        case UInt8(ascii: ":") where peek(0) == byte && frame.words.isEmpty && frame.word == nil: skipLine()
        case UInt8(ascii: "("):
            let isArray = frame.word?.last == UInt8(ascii: "=")
            if !isArray { finishWord() }
            open(UInt8(ascii: ")"), isWithinWord: isArray, kind: isArray ? .array : .command)
        case UInt8(ascii: ")"): if frame.closing == byte { close() } else { endCommand() }
        case UInt8(ascii: "`"): readBacktick()
        case UInt8(ascii: "'"): beginQuotation(.single)
        case UInt8(ascii: "\""): beginQuotation(.double)
        case UInt8(ascii: "$"): readDollar()
        case UInt8(ascii: "<"), UInt8(ascii: ">"): readRedirection(byte)
        case UInt8(ascii: "^"): if let length = lineEnd(at: 0) { join(length) } else { add(byte) }
        case UInt8(ascii: "\\"):
            if let length = lineEnd(at: 0) { return join(length) }
            guard let next = peek(0) else { return }
            index += 1
            add(next)
        case UInt8(ascii: "#") where frame.word == nil: skipLine()
        default: add(byte)
        }
    }

    private mutating func skipLine() { while let next = peek(0), next != UInt8(ascii: "\n") { index += 1 } }
}
