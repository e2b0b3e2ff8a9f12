import Base

package protocol JSONValue: Sendable { func write(to output: inout JSONRenderer) }

package protocol JSONDocument: JSONValue { var document: JSONObject { get } }

package struct JSONObject: JSONValue, ExpressibleByDictionaryLiteral {
    package typealias Value = (any JSONValue)?

    var members: [(key: String, value: Value)]

    init(_ members: [(key: String, value: Value)]) { self.members = members }
    package init(dictionaryLiteral elements: (String, Value)...) { members = elements.map { ($0, $1) } }

    package func write(to output: inout JSONRenderer) {
        output.write(members, from: UInt8(ascii: "{"), to: UInt8(ascii: "}")) { member, output in
            output.write(member.key)
            output.endKey()
            if let value = member.value { value.write(to: &output) } else { output.writeNull() }
        }
    }
}

extension JSONDocument { package func write(to output: inout JSONRenderer) { document.write(to: &output) } }

extension JSONValue where Self: RawRepresentable, RawValue == String {
    package func write(to output: inout JSONRenderer) { output.write(rawValue) }
}

extension String: JSONValue { package func write(to output: inout JSONRenderer) { output.write(self) } }

extension Bool: JSONValue { package func write(to output: inout JSONRenderer) { output.write(word: description) } }

extension Int: JSONValue { package func write(to output: inout JSONRenderer) { output.write(word: description) } }

extension Double: JSONValue { package func write(to output: inout JSONRenderer) { output.write(self) } }

extension Optional: JSONValue where Wrapped: JSONValue {
    package func write(to output: inout JSONRenderer) {
        if let self { self.write(to: &output) } else { output.writeNull() }
    }
}

extension Array: JSONValue where Element: JSONValue {
    package func write(to output: inout JSONRenderer) {
        output.write(self, from: UInt8(ascii: "["), to: UInt8(ascii: "]")) { $0.write(to: &$1) }
    }
}

/// Keys keep their order, what is not there is `null`, and characters that could fool a terminal are written as `\u202e`.
package struct JSONRenderer {
    private var bytes: [UInt8] = []
    /// With a depth, each part of an object or list is on a line of its own, indented by two spaces for each level.
    private var depth: Int?
    private var problem: Double?

    static func document(_ value: some JSONValue) throws(CommandError) -> String { try text(value, depth: 0) + "\n" }

    static func line(_ value: some JSONValue) throws(CommandError) -> String { try text(value, depth: nil) + "\n" }

    /// A value `depth` levels deep, or on one line: the first line has no indentation and the last no newline.
    static func text(_ value: some JSONValue, depth: Int?) throws(CommandError) -> String {
        var output = JSONRenderer(depth: depth)
        output.bytes.reserveCapacity(8192)
        value.write(to: &output)
        if let number = output.problem {
            throw .software("the result cannot be written as JSON: it has no number for \(number)")
        }
        return String(decoding: output.bytes, as: UTF8.self)
    }

    fileprivate mutating func write<Part>(
        _ parts: [Part], from start: UInt8, to end: UInt8, _ write: (Part, inout JSONRenderer) -> Void
    ) {
        bytes.append(start)
        depth? += 1
        for (index, part) in parts.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            startLine()
            write(part, &self)
        }
        depth? -= 1
        if !parts.isEmpty { startLine() }
        bytes.append(end)
    }

    fileprivate mutating func endKey() { write(word: depth == nil ? ":" : " : ") }

    private mutating func startLine() {
        guard let depth else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    fileprivate mutating func writeNull() { write(word: "null") }

    fileprivate mutating func write(word: String) { bytes += word.utf8 }

    fileprivate mutating func write(_ value: Double) {
        guard value.isFinite else { return problem = value }
        let digits = value.description.utf8
        bytes += digits.suffix(2).elementsEqual(".0".utf8) ? digits.dropLast(2) : digits[...]
    }

    fileprivate mutating func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { if Self.isPlain($0) { bytes.append(contentsOf: $0) } else { writeEscaped($0) } }
        bytes.append(UInt8(ascii: "\""))
    }

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
