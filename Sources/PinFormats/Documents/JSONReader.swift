internal import Base

/// Reads JSON and JSON5 (comments, trailing commas, single quotation marks, plain keys), with the line of each value.
///
/// Not with FoundationEssentials, which has no lines to name in messages, keeps the last of two equal keys without a word,
/// and loses their order.
package struct JSONReader {
    private let file: PinFile
    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    private var count = 0

    private init(_ file: PinFile) {
        self.file = file
        bytes = file.bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(file.bytes.dropFirst(3)) : file.bytes
    }

    /// The document in `file`.
    ///
    /// - Throws: ``PinFormatError`` with the line of what is no JSON, given twice, too deep or too much.
    package static func root(of file: PinFile) throws(PinFormatError) -> DocumentNode {
        var reader = JSONReader(file)
        let value = try reader.value(depth: 0)
        try reader.skipSpace()
        guard reader.position == reader.bytes.count else { throw reader.broken("goes on after its end") }
        return DocumentNode(root: value, of: file)
    }

    /// Whether `file` begins as an object does.
    package static func beginsObject(_ file: PinFile) -> Bool {
        var reader = JSONReader(file)
        return (try? reader.skipSpace()) != nil && reader.next == UInt8(ascii: "{")
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private func broken(_ reason: String) -> PinFormatError {
        PinFormatError(.brokenDocument, at: file.place(line: line), "is not JSON: \(reason)")
    }

    private mutating func skipSpace() throws(PinFormatError) {
        while let byte = next {
            if byte == UInt8(ascii: "\n") {
                line += 1
            } else if byte == UInt8(ascii: "/") {
                try skipComment()
                continue
            } else if byte > 0x20 {
                return
            }
            position += 1
        }
    }

    private mutating func skipComment() throws(PinFormatError) {
        let second = position + 1 < bytes.count ? bytes[position + 1] : 0
        if second == UInt8(ascii: "/") {
            while let byte = next, byte != UInt8(ascii: "\n") { position += 1 }
            return
        }
        guard second == UInt8(ascii: "*") else { throw broken("'/' stands where a value belongs") }
        position += 2
        while position + 1 < bytes.count {
            if bytes[position] == UInt8(ascii: "*"), bytes[position + 1] == UInt8(ascii: "/") {
                position += 2
                return
            }
            if bytes[position] == UInt8(ascii: "\n") { line += 1 }
            position += 1
        }
        throw broken("a comment is not closed")
    }

    private mutating func value(depth: Int) throws(PinFormatError) -> DocumentValue {
        try skipSpace()
        count += 1
        guard depth <= DocumentValue.mostDepth, count <= DocumentValue.mostValues else {
            throw PinFormatError(
                .unreasonableDocument, at: file.place(line: line),
                depth > DocumentValue.mostDepth
                    ? "has more than \(DocumentValue.mostDepth) levels, no configuration is that deep"
                    : "has more than \(DocumentValue.mostValues) values, no configuration is that long")
        }
        let start = line
        switch next {
        case UInt8(ascii: "{"): return DocumentValue(content: .dictionary(try object(depth)), line: start)
        case UInt8(ascii: "["): return DocumentValue(content: .array(try array(depth)), line: start)
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return DocumentValue(content: .text(try string()), line: start)
        case nil: throw broken("it ends too early")
        default: return DocumentValue(content: try word(), line: start)
        }
    }

    private mutating func object(_ depth: Int) throws(PinFormatError) -> [(key: String, value: DocumentValue)] {
        position += 1
        var members: [(key: String, value: DocumentValue)] = []
        var keys: Set<String> = []
        while true {
            try skipSpace()
            guard let byte = next else { throw broken("an object is not closed") }
            if byte == UInt8(ascii: "}") {
                position += 1
                return members
            }
            let isQuoted = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
            let key = isQuoted ? try string() : try name()
            guard keys.insert(key).inserted else {
                throw PinFormatError(
                    .duplicate, at: file.place(line: line),
                    "the key '\(shortened(key, to: 80))' is given twice, and readers keep only one of the two",
                    remedy: "put both together")
            }
            try skipSpace()
            guard next == UInt8(ascii: ":") else { throw broken("a ':' is missing after a key") }
            position += 1
            members.append((key, try value(depth: depth + 1)))
            try separator(before: UInt8(ascii: "}"))
        }
    }

    private mutating func array(_ depth: Int) throws(PinFormatError) -> [DocumentValue] {
        position += 1
        var elements: [DocumentValue] = []
        while true {
            try skipSpace()
            guard let byte = next else { throw broken("an array is not closed") }
            if byte == UInt8(ascii: "]") {
                position += 1
                return elements
            }
            elements.append(try value(depth: depth + 1))
            try separator(before: UInt8(ascii: "]"))
        }
    }

    private mutating func separator(before end: UInt8) throws(PinFormatError) {
        try skipSpace()
        if next == UInt8(ascii: ",") {
            position += 1
        } else if next != end {
            throw broken("a ',' is missing between two values")
        }
    }

    private mutating func name() throws(PinFormatError) -> String {
        let start = position
        while let byte = next, Self.isNamePart(byte) { position += 1 }
        guard position > start else { throw broken("a key is missing") }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    /// true, false, null or a number.
    private mutating func word() throws(PinFormatError) -> DocumentValue.Content {
        let start = position
        while let byte = next, Self.isNamePart(byte) || "+-.".utf8.contains(byte) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return .other
        default:
            guard Double(word) != nil || ["NaN", "Infinity"].contains(word) || word.hasPrefix("0x") else {
                throw broken("a value is missing or is not in quotation marks")
            }
            return .number(word)
        }
    }

    private mutating func string() throws(PinFormatError) -> String {
        let mark = bytes[position]
        position += 1
        var text: [UInt8] = []
        while let byte = next, byte != mark {
            guard byte != UInt8(ascii: "\n") else { throw broken("a quotation mark is not closed") }
            position += 1
            if byte == UInt8(ascii: "\\") { text += try escape().utf8 } else { text.append(byte) }
        }
        guard next == mark else { throw broken("a quotation mark is not closed") }
        position += 1
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func escape() throws(PinFormatError) -> String {
        guard let byte = next else { throw broken("a quotation mark is not closed") }
        position += 1
        switch byte {
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "u"): return String(Character(try scalar()))
        case UInt8(ascii: "\n"):
            line += 1
            return ""
        default: return String(decoding: [byte], as: UTF8.self)
        }
    }

    /// Four hexadecimal digits, and four more where they are half of a pair.
    private mutating func scalar() throws(PinFormatError) -> Unicode.Scalar {
        let first = try fourDigits()
        guard (0xD800...0xDBFF).contains(first), next == UInt8(ascii: "\\"), position + 1 < bytes.count,
            bytes[position + 1] == UInt8(ascii: "u")
        else { return Unicode.Scalar(first) ?? "\u{FFFD}" }
        position += 2
        let second = try fourDigits()
        guard (0xDC00...0xDFFF).contains(second) else { return "\u{FFFD}" }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func fourDigits() throws(PinFormatError) -> UInt32 {
        let digits = bytes[position..<min(position + 4, bytes.count)]
        guard digits.count == 4, digits.allSatisfy(PinString.isHexDigit),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw broken("'\\u' is not followed by four hexadecimal digits") }
        position += 4
        return value
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }
}
