/// A JSON value, ready to be written.
indirect enum JSONNode: Sendable {
    case null
    case flag(Bool)
    /// A number as it is written.
    case number(String)
    case text(String)
    case array([JSONNode])
    /// The members of an object, in the order they are written.
    case object([(key: String, value: JSONNode)])

    /// Writes the value on one line.
    func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .flag(let value): output += (value ? "true" : "false").utf8
        case .number(let digits): output += digits.utf8
        case .text(let text): Self.write(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.key, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    /// Writes the value on lines of their own for all it holds, each indented by two spaces more than `depth` times two.
    func write(to output: inout [UInt8], depth: Int) {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.startLine(depth + 1, in: &output)
                element.write(to: &output, depth: depth + 1)
            }
            Self.startLine(depth, in: &output)
            output.append(UInt8(ascii: "]"))
        case .object(let members) where !members.isEmpty:
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.startLine(depth + 1, in: &output)
                Self.write(member.key, to: &output)
                output += " : ".utf8
                member.value.write(to: &output, depth: depth + 1)
            }
            Self.startLine(depth, in: &output)
            output.append(UInt8(ascii: "}"))
        default: write(to: &output)
        }
    }

    private static func startLine(_ depth: Int, in output: inout [UInt8]) {
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    /// Writes a string in which no character can fool a terminal: those that could become `\u202E`.
    private static func write(_ text: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        let isPlain = text.utf8.withContiguousStorageIfAvailable { bytes in
            let isPlain = bytes.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
            if isPlain { output.append(contentsOf: bytes) }
            return isPlain
        }
        if isPlain != true {
            for scalar in text.unicodeScalars { write(scalar, to: &output) }
        }
        output.append(UInt8(ascii: "\""))
    }

    private static func write(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
        switch scalar {
        case "\"": output += "\\\"".utf8
        case "\\": output += "\\\\".utf8
        case "\n": output += "\\n".utf8
        case "\r": output += "\\r".utf8
        case "\t": output += "\\t".utf8
        case _ where TerminalText.isDangerous(scalar):
            for unit in scalar.utf16 {
                let digits = String(unit, radix: 16)
                output += "\\u".utf8
                output.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: 4 - digits.utf8.count))
                output += digits.utf8
            }
        default: output += scalar.utf8
        }
    }
}
