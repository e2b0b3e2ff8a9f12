import Base

protocol JSONValue: Sendable { func write(to output: inout JSONRenderer) }

protocol JSONDocument: JSONValue { var document: JSONObject { get } }

struct JSONObject: JSONValue, ExpressibleByDictionaryLiteral {
    typealias Value = any JSONValue

    var members: [(String, Value)]

    init(_ members: [(String, Value)]) { self.members = members }
    init(dictionaryLiteral elements: (String, Value)...) { members = elements }

    func write(to output: inout JSONRenderer) {
        output.begin(with: "{")
        for (name, value) in members {
            output.beginPart()
            output.write(name)
            output.write(word: output.depth == nil ? ":" : " : ")
            value.write(to: &output)
        }
        output.end(with: "}")
    }
}

extension JSONDocument { func write(to output: inout JSONRenderer) { document.write(to: &output) } }

extension JSONValue where Self: RawRepresentable, RawValue == String {
    func write(to output: inout JSONRenderer) { output.write(rawValue) }
}

extension Optional: JSONValue where Wrapped: JSONValue {
    func write(to output: inout JSONRenderer) {
        if let self { self.write(to: &output) } else { output.write(word: "null") }
    }
}

extension String: JSONValue { func write(to output: inout JSONRenderer) { output.write(self) } }

extension Bool: JSONValue { func write(to output: inout JSONRenderer) { output.write(word: description) } }

extension Int: JSONValue { func write(to output: inout JSONRenderer) { output.write(word: description) } }

extension Double: JSONValue { func write(to output: inout JSONRenderer) { output.write(self) } }

extension Array: JSONValue where Element: JSONValue {
    func write(to output: inout JSONRenderer) {
        output.begin(with: "[")
        for element in self {
            output.beginPart()
            element.write(to: &output)
        }
        output.end(with: "]")
    }
}

/// Writes JSON: keys in their order, missing values and infinite numbers as `null`, hidden characters as `\u202e`.
struct JSONRenderer {
    private var bytes: [UInt8] = []
    /// The depth of the current level, indented by two spaces each; `nil` writes everything on one line.
    fileprivate var depth: Int?
    private var isEmpty = true

    static func document(_ value: some JSONValue) -> String { text(value, depth: 0) + "\n" }

    static func line(_ value: some JSONValue) -> String { text(value, depth: nil) + "\n" }

    /// Writes a value `depth` levels deep, or on one line, without indentation before or a newline after it.
    static func text(_ value: some JSONValue, depth: Int?) -> String {
        var output = JSONRenderer(depth: depth)
        output.bytes.reserveCapacity(8192)
        value.write(to: &output)
        return String(utf8: output.bytes)
    }

    fileprivate mutating func begin(with bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        depth? += 1
        isEmpty = true
    }

    fileprivate mutating func beginPart() {
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        isEmpty = false
        startLine()
    }

    fileprivate mutating func end(with bracket: Unicode.Scalar) {
        depth? -= 1
        if !isEmpty { startLine() }
        bytes.append(UInt8(ascii: bracket))
        isEmpty = false
    }

    private mutating func startLine() {
        guard let depth else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    fileprivate mutating func write(word: String) {
        var word = word
        word.withUTF8 { bytes.append(contentsOf: $0) }
    }

    fileprivate mutating func write(_ value: Double) {
        guard value.isFinite else { return write(word: "null") }
        let digits = value.description.utf8
        bytes += digits.suffix(2).elementsEqual(".0".utf8) ? digits.dropLast(2) : digits[...]
    }

    fileprivate mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { if Self.isPlain($0) { bytes.append(contentsOf: $0) } else { writeEscaped($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

    /// `true` for text without escapes; the loop has no early exit, so that the compiler vectorizes it.
    private static func isPlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var special: UInt8 = 0
        for byte in text { special |= byte &- 0x20 > 0x5E || byte == 0x22 || byte == 0x5C ? 1 : 0 }
        return special == 0
    }

    private mutating func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
        for scalar in String(utf8: text).unicodeScalars {
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
