/// What a command reads and writes beside its words.
extension ShellReader {
    /// Reads an operator such as `2>&1`, `>>`, `<<<`; the word behind it is none of the command.
    mutating func readRedirection(_ byte: UInt8) {
        if peek(0) == UInt8(ascii: "(") {
            index += 1
            return open(UInt8(ascii: ")"), isWithinWord: true)
        }
        let isNumber = frame.word?.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? false
        if isNumber { frame.word = nil } else { finishWord() }
        if byte == UInt8(ascii: "<"), peek(0) == byte, peek(1) != byte, !frame.isArithmetic, beginDocument() { return }
        // As in >&2, which is for who runs it.
        if byte == UInt8(ascii: ">"), peek(0) != UInt8(ascii: "&") { frame.isWriting = true }
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
        let rest = bytes[place...].prefix { byte in byte > 0x20 && !";|&<>()".utf8.contains(byte) }
        let delimiter = rest.filter { !"'\"\\".utf8.contains($0) }
        guard !delimiter.isEmpty, contents.contains(delimiter[...]) else { return false }
        pendingDocuments.append(delimiter)
        index = rest.endIndex
        return true
    }

    mutating func skipDocuments() {
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

    static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var line = line.drop { $0 <= 0x20 }
        while let last = line.last, last <= 0x20 { line.removeLast() }
        return line
    }
}
