import Text

/// A JSON document while its values are handed over: the members of an object in the order of their keys, in snake case.
///
/// The bytes of a value are written where it comes. An object whose members came in another order is put into order when it ends,
/// so nothing is held but the document itself. No character of the text can fool a terminal: those that could are written as
/// `\u202e`.
struct JSONOutput {
    /// A value that has begun, and what it has turned out to be.
    private struct Frame {
        enum Kind { case nothing, value, elements, members }

        var kind = Kind.nothing
        /// Where its bytes and its parts begin.
        let start: Int
        let firstPart: Int
        /// Whether the parts stand in the order they must have, complete.
        var isInOrder = true
    }

    /// A member with its key, or an element: a range of the bytes.
    private struct Part {
        let start: Int
        /// Where the key ends, with its quotation marks; an element has none.
        let keyEnd: Int
        var end: Int
        /// The writer of a value that is written beside others, by its index.
        var open: Int?
    }

    private(set) var bytes: [UInt8] = []
    private var frames: [Frame] = []
    /// The parts of all values that have begun, those of the innermost last.
    private var parts: [Part] = []
    private var open: [JSONWriter] = []
    private let keepsKeys: Bool
    /// How far the lines are indented, `nil` for a document of one line.
    private var depth: Int?

    /// Output of one value, with keys in snake case or as they are called in the program.
    ///
    /// With a depth, each part of an object or list is on a line of its own that is indented by two spaces more than `depth` times
    /// two.
    init(keepsKeys: Bool, depth: Int?) {
        self.keepsKeys = keepsKeys
        self.depth = depth
    }
}

// Values that are no objects or lists.
extension JSONOutput {
    mutating func writeNull() { bytes += "null".utf8 }
    mutating func write(_ value: Bool) { bytes += (value ? "true" : "false").utf8 }
    mutating func write(_ value: some FixedWidthInteger) { bytes += String(value).utf8 }

    mutating func write(_ value: Double) throws {
        guard value.isFinite else {
            let context = EncodingError.Context(codingPath: [], debugDescription: "JSON has no number for \(value)")
            throw EncodingError.invalidValue(value, context)
        }
        let digits = value.description.utf8
        bytes += digits.suffix(2).elementsEqual(".0".utf8) ? digits.dropLast(2) : digits[...]
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { if Self.isPlain($0) { bytes.append(contentsOf: $0) } else { writeEscaped($0) } }
        bytes.append(UInt8(ascii: "\""))
    }
}

// Values inside of values.
extension JSONOutput {
    /// How many elements the list has that is being written.
    var count: Int { frames.last.map { parts.count - $0.firstPart } ?? 0 }

    mutating func begin() {
        frames.append(Frame(start: bytes.count, firstPart: parts.count))
    }

    /// Says that the value is neither an object nor a list.
    mutating func beginSingle() { frames[frames.count - 1].kind = .value }

    mutating func beginMembers() { begin(.members, with: UInt8(ascii: "{")) }
    mutating func beginElements() { begin(.elements, with: UInt8(ascii: "[")) }

    private mutating func begin(_ kind: Frame.Kind, with bracket: UInt8) {
        guard case .nothing = frames[frames.count - 1].kind else { return }
        frames[frames.count - 1].kind = kind
        bytes.append(bracket)
        depth? += 1
    }

    /// Begins a member; its value is written next.
    mutating func beginMember(_ key: some CodingKey) {
        let start = startPart()
        writeKey(key.stringValue)
        let part = Part(start: start, keyEnd: bytes.count, end: bytes.count)
        if parts.count > frames[frames.count - 1].firstPart, !precedes(parts[parts.count - 1], part, in: bytes) {
            frames[frames.count - 1].isInOrder = false
        }
        parts.append(part)
        bytes += depth == nil ? ":".utf8 : " : ".utf8
    }

    /// Begins an element; its value is written next.
    mutating func beginElement() {
        let start = startPart()
        parts.append(Part(start: start, keyEnd: start, end: start))
    }

    /// A writer of the value of the member or element that has begun, which others may follow before it is complete.
    mutating func openValue() -> JSONWriter {
        let writer = JSONWriter(keepsKeys: keepsKeys, depth: depth)
        writer.output.begin()
        parts[parts.count - 1].open = open.count
        frames[frames.count - 1].isInOrder = false
        open.append(writer)
        return writer
    }

    private mutating func startPart() -> Int {
        endPart()
        separate(isFirst: parts.count == frames[frames.count - 1].firstPart)
        return bytes.count
    }

    /// Notes where the member or element ends that was written last.
    private mutating func endPart() {
        if let frame = frames.last, parts.count > frame.firstPart { parts[parts.count - 1].end = bytes.count }
    }

    private mutating func separate(isFirst: Bool) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        startLine()
    }

    private mutating func startLine() {
        guard let depth else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    mutating func end() {
        endPart()
        let frame = frames.removeLast()
        switch frame.kind {
        case .nothing: bytes += "{}".utf8
        case .value: break
        case .members: end(frame, with: UInt8(ascii: "}"))
        case .elements: end(frame, with: UInt8(ascii: "]"))
        }
    }

    private mutating func end(_ frame: Frame, with bracket: UInt8) {
        if !frame.isInOrder { putIntoOrder(frame) }
        depth? -= 1
        if parts.count > frame.firstPart { startLine() }
        bytes.append(bracket)
        parts.removeSubrange(frame.firstPart...)
    }

    private mutating func putIntoOrder(_ frame: Frame) {
        // The bracket stays.
        let written = Array(bytes[(frame.start + 1)...])
        bytes.removeSubrange((frame.start + 1)...)
        var ordered = parts[frame.firstPart...]
        if case .members = frame.kind {
            ordered.sort { precedes($0, $1, in: written, from: frame.start + 1) }
        }
        var isFirst = true
        for part in ordered {
            separate(isFirst: isFirst)
            bytes.append(contentsOf: written[(part.start - frame.start - 1)..<(part.end - frame.start - 1)])
            if let index = part.open {
                open[index].output.end()
                bytes.append(contentsOf: open[index].output.bytes)
            }
            isFirst = false
        }
    }

    /// Whether the key of one member goes before that of another; `bytes` are those from `origin` on.
    private func precedes(_ first: Part, _ second: Part, in bytes: [UInt8], from origin: Int = 0) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            // Without the quotation marks.
            var index = first.start + 1 - origin
            var other = second.start + 1 - origin
            let (end, otherEnd) = (first.keyEnd - 1 - origin, second.keyEnd - 1 - origin)
            while index < end, other < otherEnd {
                guard bytes[index] == bytes[other] else { return bytes[index] < bytes[other] }
                index += 1
                other += 1
            }
            return other < otherEnd
        }
    }
}

// Text.
extension JSONOutput {
    private mutating func writeKey(_ key: String) {
        guard !keepsKeys else { return write(key) }
        var key = key
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8 { key in
            if Self.isPlain(key) {
                Self.writeSnakeCase(key, to: &bytes)
            } else {
                var name: [UInt8] = []
                Self.writeSnakeCase(key, to: &name)
                name.withUnsafeBufferPointer { writeEscaped($0) }
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// `spkiSha256` as `spki_sha256`, and `myURLHere` as `my_url_here`.
    private static func writeSnakeCase(_ name: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        for (index, byte) in name.enumerated() {
            guard isUppercase(byte) else {
                output.append(byte)
                continue
            }
            let isLastOfWord = index + 1 < name.count && !isUppercase(name[index + 1])
            if index > 0, name[index - 1] != UInt8(ascii: "_"), !isUppercase(name[index - 1]) || isLastOfWord {
                output.append(UInt8(ascii: "_"))
            }
            output.append(byte + 0x20)
        }
    }

    private static func isUppercase(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }

    /// Whether the text is written as it is.
    ///
    /// It has no early end, for whole vectors are compared at once.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var special: UInt8 = 0
        for byte in text {
            special |= byte &- 0x20 > 0x5E || byte == 0x22 || byte == 0x5C ? 1 : 0
        }
        return special == 0
    }

    private mutating func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            switch scalar {
            case "\"": bytes += "\\\"".utf8
            case "\\": bytes += "\\\\".utf8
            case "\n": bytes += "\\n".utf8
            case "\r": bytes += "\\r".utf8
            case "\t": bytes += "\\t".utf8
            case _ where scalar.isHidden:
                for unit in scalar.utf16 {
                    let digits = String(unit, radix: 16)
                    bytes += "\\u".utf8
                    bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
                    bytes += digits.utf8
                }
            default: bytes += scalar.utf8
            }
        }
    }
}
