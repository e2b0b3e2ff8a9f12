import Base

/// Writes values as JSON documents.
///
/// Keys are in snake case and in the order in which the values hand them over; what is not there is written as `null`.
enum JSONRenderer {
    static func document(_ value: some Encodable) throws(CommandError) -> String { try text(value, depth: 0) + "\n" }

    static func line(_ value: some Encodable) throws(CommandError) -> String { try text(value, depth: nil) + "\n" }

    /// A value as it stands in a document, `depth` levels deep, or in a line; the first line has no indentation and the last no
    /// newline.
    static func text(_ value: some Encodable, depth: Int?) throws(CommandError) -> String {
        let output = JSONOutput(depth: depth)
        do { try output.write(value) } catch { throw .software("the result cannot be written as JSON: \(error)") }
        return String(decoding: output.bytes, as: UTF8.self)
    }
}

/// An object that has no type of its own: its keys as they are written, in their order.
package struct JSONObject: Encodable, Sendable, ExpressibleByDictionaryLiteral {
    package typealias Value = (any Encodable & Sendable)?

    var members: [(key: String, value: Value)]

    init(_ members: [(key: String, value: Value)]) { self.members = members }
    package init(dictionaryLiteral elements: (String, Value)...) { members = elements.map { ($0, $1) } }

    package func encode(to encoder: any Encoder) throws { try (encoder as? JSONOutput)?.write(self) }
}

/// A value that is written as an object.
package protocol JSONDocument: Encodable, Sendable { var document: JSONObject { get } }

extension JSONDocument { package func encode(to encoder: any Encoder) throws { try document.encode(to: encoder) } }

/// A JSON document while its values are handed over, each where it is to stand.
///
/// Nothing is held but the bytes. No character of the text can fool a terminal: those that could are written as `\u202e`.
private final class JSONOutput: Encoder {
    private(set) var bytes: [UInt8] = []
    /// How far the lines are indented, `nil` for a document of one line.
    ///
    /// With a depth, each part of an object or list is on a line of its own, indented by two spaces for each level.
    private var depth: Int?
    private var hasParts = false
    /// What ends the object or list that is open, `nil` where the value that is written has begun none.
    private var closing: UInt8?

    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]

    init(depth: Int?) {
        self.depth = depth
        // A report of the usual size.
        bytes.reserveCapacity(8192)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        begin(UInt8(ascii: "{"), end: UInt8(ascii: "}"))
        return KeyedEncodingContainer(Members(output: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        begin(UInt8(ascii: "["), end: UInt8(ascii: "]"))
        return Elements(output: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Scalar(output: self) }

    func write(_ value: some Encodable) throws {
        let outer = closing
        closing = nil
        try value.encode(to: self)
        end()
        closing = outer
    }

    func write(_ object: JSONObject) throws {
        begin(UInt8(ascii: "{"), end: UInt8(ascii: "}"))
        for (key, value) in object.members {
            beginElement()
            write(key)
            endKey()
            if let value { try write(value) } else { writeNull() }
        }
    }

    // MARK: Objects and lists

    /// Begins an object or list; what has begun one goes on with it.
    private func begin(_ opening: UInt8, end: UInt8) {
        guard closing == nil else { return }
        closing = end
        bytes.append(opening)
        depth? += 1
        hasParts = false
    }

    private func end() {
        guard let closing else { return }
        depth? -= 1
        if hasParts { startLine() }
        bytes.append(closing)
        // It is a part of what it stands in.
        hasParts = true
    }

    /// Begins a member with the key in snake case; its value is written next.
    func beginMember(_ key: String) {
        beginElement()
        bytes.append(UInt8(ascii: "\""))
        for byte in key.utf8 {
            if (0x41...0x5A).contains(byte) {
                bytes.append(UInt8(ascii: "_"))
                bytes.append(byte + 0x20)
            } else {
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        endKey()
    }

    private func endKey() { if depth == nil { bytes.append(UInt8(ascii: ":")) } else { bytes += " : ".utf8 } }

    func beginElement() {
        if hasParts { bytes.append(UInt8(ascii: ",")) }
        hasParts = true
        startLine()
    }

    private func startLine() {
        guard let depth else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    // MARK: Other values

    func writeNull() { bytes += "null".utf8 }
    func write(_ value: Bool) { bytes += (value ? "true" : "false").utf8 }
    func write(number value: some BinaryInteger) { bytes += value.description.utf8 }

    func write(_ value: Double) throws {
        guard value.isFinite else { throw CommandError.software("it has no number for \(value)") }
        let digits = value.description.utf8
        bytes += digits.suffix(2).elementsEqual(".0".utf8) ? digits.dropLast(2) : digits[...]
    }

    func write(_ text: String) {
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

    private func writeEscaped(_ text: UnsafeBufferPointer<UInt8>) {
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

// Documents are whole values, and ask for no containers within containers.

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let output: JSONOutput

    var codingPath: [any CodingKey] { [] }

    /// What takes the value of a key.
    private func member(_ key: Key) -> JSONOutput {
        output.beginMember(key.stringValue)
        return output
    }

    func encodeNil(forKey key: Key) { member(key).writeNull() }
    func encode(_ value: Bool, forKey key: Key) { member(key).write(value) }
    func encode(_ value: String, forKey key: Key) { member(key).write(value) }
    func encode(_ value: Int, forKey key: Key) { member(key).write(number: value) }
    func encode(_ value: some Encodable, forKey key: Key) throws { try member(key).write(value) }

    func encodeIfPresent(_ value: Bool?, forKey key: Key) { encode(value, key) { $0.write($1) } }
    func encodeIfPresent(_ value: String?, forKey key: Key) { encode(value, key) { $0.write($1) } }
    func encodeIfPresent(_ value: Int?, forKey key: Key) { encode(value, key) { $0.write(number: $1) } }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try encode(value, key) { try $0.write($1) } }
    func encodeIfPresent(_ value: (some Encodable)?, forKey key: Key) throws {
        try encode(value, key) { try $0.write($1) }
    }

    private func encode<Value>(_ value: Value?, _ key: Key, _ write: (JSONOutput, Value) throws -> Void) rethrows {
        if let value { try write(member(key), value) } else { encodeNil(forKey: key) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { preconditionFailure() }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { preconditionFailure() }
    func superEncoder() -> any Encoder { output }
    func superEncoder(forKey key: Key) -> any Encoder { output }
}

private struct Elements: UnkeyedEncodingContainer {
    let output: JSONOutput

    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() {
        output.beginElement()
        output.writeNull()
    }

    func encode(_ value: some Encodable) throws {
        output.beginElement()
        try output.write(value)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        preconditionFailure()
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { preconditionFailure() }
    func superEncoder() -> any Encoder { output }
}

private struct Scalar: SingleValueEncodingContainer {
    let output: JSONOutput

    var codingPath: [any CodingKey] { [] }

    func encodeNil() { output.writeNull() }
    func encode(_ value: Bool) { output.write(value) }
    func encode(_ value: String) { output.write(value) }
    func encode(_ value: Double) throws { try output.write(value) }
    func encode(_ value: Float) throws { try output.write(Double(value)) }
    func encode(_ value: some BinaryInteger & Encodable) { output.write(number: value) }
    func encode(_ value: some Encodable) throws { try output.write(value) }
}
