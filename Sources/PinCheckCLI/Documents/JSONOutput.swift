import Base

/// A JSON document while its values are handed over, each where it is to stand.
///
/// Nothing is held but the bytes. No character of the text can fool a terminal: those that could are written as `\u202e`.
struct JSONOutput {
    /// A number that JSON cannot express.
    struct NoNumber: Error { let value: Double }

    private(set) var bytes: [UInt8] = []
    /// How far the lines are indented, `nil` for a document of one line.
    private var depth: Int?
    private var hasParts = false

    /// Output of one value.
    ///
    /// With a depth, each part of an object or list is on a line of its own that is indented by two spaces more than `depth` times
    /// two.
    init(depth: Int?) {
        self.depth = depth
        // A report of the usual size.
        bytes.reserveCapacity(8192)
    }

    /// Ends a document that is followed by another on the next line.
    mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }
}

// Objects and lists.
extension JSONOutput {
    mutating func beginObject() { begin(with: UInt8(ascii: "{")) }
    mutating func endObject() { end(with: UInt8(ascii: "}")) }
    mutating func beginList() { begin(with: UInt8(ascii: "[")) }
    mutating func endList() { end(with: UInt8(ascii: "]")) }

    /// Begins a member; its value is written next.
    ///
    /// The keys of an object come in the order of their bytes.
    mutating func beginMember(_ key: String) {
        beginElement()
        write(key)
        if depth == nil { bytes.append(UInt8(ascii: ":")) } else { bytes += " : ".utf8 }
    }

    mutating func beginElement() {
        if hasParts { bytes.append(UInt8(ascii: ",")) }
        hasParts = true
        startLine()
    }

    private mutating func begin(with bracket: UInt8) {
        bytes.append(bracket)
        depth? += 1
        hasParts = false
    }

    private mutating func end(with bracket: UInt8) {
        depth? -= 1
        if hasParts { startLine() }
        bytes.append(bracket)
        // It is a part of what it stands in.
        hasParts = true
    }

    private mutating func startLine() {
        guard let depth else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }
}

// Other values.
extension JSONOutput {
    mutating func writeNull() { bytes += "null".utf8 }
    mutating func write(_ value: Bool) { bytes += (value ? "true" : "false").utf8 }
    mutating func write(_ value: Int) { bytes += String(value).utf8 }

    mutating func write(_ value: Double) throws(NoNumber) {
        guard value.isFinite else { throw NoNumber(value: value) }
        let digits = value.description.utf8
        bytes += digits.suffix(2).elementsEqual(".0".utf8) ? digits.dropLast(2) : digits[...]
    }

    mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { if Self.isPlain($0) { bytes.append(contentsOf: $0) } else { writeEscaped($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Whether the text is written as it is.
    ///
    /// It has no early end, for whole vectors are compared at once.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var special: UInt8 = 0
        for byte in text { special |= byte &- 0x20 > 0x5E || byte == 0x22 || byte == 0x5C ? 1 : 0 }
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
