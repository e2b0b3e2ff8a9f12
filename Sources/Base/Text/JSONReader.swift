/// Reads JSON and JSON5 (comments, trailing commas, single quotation marks, plain keys), with the line of each value.
///
/// Foundation reports no lines, keeps the last of two equal keys silently, loses the order of keys, and is large.
package struct JSONReader {
    package struct Failure: Error {
        package enum Problem { case broken, tooLarge, duplicate }

        package let problem: Problem
        /// The line, from 1.
        package let line: Int
        /// The text after the name of the file, as in `is not JSON: it ends too early`.
        package let reason: String
    }

    private let bytes: [UInt8]
    private let mostValues: Int
    private var position = 0
    private var line = 1
    private var count = 0

    private init(_ bytes: [UInt8], mostValues: Int = 0) {
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        self.mostValues = mostValues
    }

    package static func tree(
        of bytes: [UInt8], mostValues: Int = DocumentTree.mostValues
    ) throws(Failure) -> DocumentTree {
        var reader = JSONReader(bytes, mostValues: mostValues)
        let value = try reader.value(depth: 0)
        try reader.skipSpace()
        guard reader.position == reader.bytes.count else { throw reader.broken("goes on after its end") }
        return value
    }

    package static func beginsObject(_ bytes: [UInt8]) -> Bool {
        var reader = JSONReader(bytes)
        return (try? reader.skipSpace()) != nil && reader.next == "{"
    }

    /// The next byte as a character of Latin-1, so that it can be compared with a literal.
    private var next: Unicode.Scalar? { position < bytes.count ? Unicode.Scalar(bytes[position]) : nil }

    private func broken(_ reason: String) -> Failure {
        Failure(problem: .broken, line: line, reason: "is not JSON: \(reason)")
    }

    private mutating func advance() {
        if next == "\n" { line += 1 }
        position += 1
    }

    private mutating func skipSpace() throws(Failure) {
        while let sign = next, sign <= " " || sign == "/" {
            if sign == "/" { try skipComment() } else { advance() }
        }
    }

    private mutating func skipComment() throws(Failure) {
        let isBlock = bytes[position...].starts(with: "/*".utf8)
        guard isBlock || bytes[position...].starts(with: "//".utf8) else {
            throw broken("a '/' is in the place of a value")
        }
        position += 2
        let ends = isBlock ? ["*/"] : ["\n", "\r", "\u{2028}", "\u{2029}"]
        while !ends.contains(where: { bytes[position...].starts(with: $0.utf8) }) {
            guard next != nil else {
                if isBlock { throw broken("a comment is not closed") }
                return
            }
            advance()
        }
        if isBlock { position += 2 }
    }

    private mutating func value(depth: Int) throws(Failure) -> DocumentTree {
        try skipSpace()
        count += 1
        guard depth <= DocumentTree.mostDepth, count <= mostValues else {
            let what = depth > DocumentTree.mostDepth ? "\(DocumentTree.mostDepth) levels" : "\(mostValues) values"
            throw Failure(problem: .tooLarge, line: line, reason: "has more than \(what), which are not read")
        }
        let start = line
        let content: DocumentTree.Content
        switch next {
        case "{": content = .dictionary(try object(depth))
        case "[":
            let elements = try list(until: "]", of: "an array") { reader throws(Failure) in
                try reader.value(depth: depth + 1)
            }
            content = .array(elements)
        case "\"", "'": content = .text(try string())
        case nil: throw broken("it ends too early")
        default: content = try word()
        }
        return DocumentTree(content: content, line: start)
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard next == character else { return false }
        position += 1
        return true
    }

    private mutating func list<Element>(
        until end: Unicode.Scalar, of kind: String, _ element: (inout JSONReader) throws(Failure) -> Element
    ) throws(Failure) -> [Element] {
        position += 1
        var elements: [Element] = []
        while true {
            try skipSpace()
            if skip(end) { return elements }
            guard next != nil else { throw broken("\(kind) is not closed") }
            elements.append(try element(&self))
            try skipSpace()
            guard skip(",") || next == end else { throw broken("a ',' is missing between two values") }
        }
    }

    private mutating func object(_ depth: Int) throws(Failure) -> [(key: String, value: DocumentTree)] {
        var keys: Set<String> = []
        return try list(until: "}", of: "an object") { reader throws(Failure) in
            let isQuoted = reader.next == "\"" || reader.next == "'"
            let key = isQuoted ? try reader.string() : try reader.name()
            guard keys.insert(key).inserted else {
                throw Failure(
                    problem: .duplicate, line: reader.line,
                    reason: "the key '\(shortened(key, to: 80))' is given twice, and readers keep only one of the two; "
                        + "put both together")
            }
            try reader.skipSpace()
            guard reader.skip(":") else { throw reader.broken("a ':' is missing after a key") }
            return (key, try reader.value(depth: depth + 1))
        }
    }

    private mutating func name() throws(Failure) -> String {
        let start = position
        while let sign = next, Self.isNamePart(sign) { position += 1 }
        guard position > start else { throw broken("a key is missing") }
        return try text(bytes[start..<position])
    }

    private mutating func word() throws(Failure) -> DocumentTree.Content {
        let start = position
        while let sign = next, Self.isNamePart(sign) || "+-.".unicodeScalars.contains(sign) { position += 1 }
        let word = String(utf8: bytes[start..<position])
        switch word {
        case "true": return .flag(true)
        case "false": return .flag(false)
        case "null": return .null
        default:
            guard Double(word) != nil || ["NaN", "Infinity"].contains(word) || word.hasPrefix("0x") else {
                throw broken("a value is missing or is not in quotation marks")
            }
            return .number(word)
        }
    }

    private mutating func string() throws(Failure) -> String {
        let mark = next
        position += 1
        var text: [UInt8] = []
        while let sign = next, sign != mark, sign != "\n" {
            position += 1
            if sign == "\\" { text += try escape().utf8 } else { text.append(bytes[position - 1]) }
        }
        guard next == mark else { throw broken("a quotation mark is not closed") }
        position += 1
        return try self.text(text[...])
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws(Failure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw broken("a text is not UTF-8") }
        return text
    }

    private mutating func escape() throws(Failure) -> String {
        guard let sign = next else { throw broken("a quotation mark is not closed") }
        position += 1
        switch sign {
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "u": return String(Character(try scalar()))
        case "0"..."9", "v", "x": throw broken("'\\\(sign)' is in a text: write '\\u' and four hexadecimal digits")
        case "\n":
            line += 1
            return ""
        default: return String(utf8: [bytes[position - 1]])
        }
    }

    /// Reads four hexadecimal digits, and four more if they are the first half of a surrogate pair.
    private mutating func scalar() throws(Failure) -> Unicode.Scalar {
        var value = try fourDigits()
        if (0xD800...0xDBFF).contains(value), bytes[position...].starts(with: #"\u"#.utf8) {
            position += 2
            let second = try fourDigits()
            if (0xDC00...0xDFFF).contains(second) { value = 0x10000 + (value - 0xD800) << 10 + (second - 0xDC00) }
        }
        guard let scalar = Unicode.Scalar(value) else { throw broken("'\\u' is followed by half of a character") }
        return scalar
    }

    private mutating func fourDigits() throws(Failure) -> UInt32 {
        let digits = bytes[position..<min(position + 4, bytes.count)]
        guard digits.count == 4, digits.first != "+",
            let value = UInt32(String(utf8: digits), radix: 16)
        else { throw broken("'\\u' is not followed by four hexadecimal digits") }
        position += 4
        return value
    }

    private static func isNamePart(_ sign: Unicode.Scalar) -> Bool {
        !sign.isASCII || UInt8(ascii: sign).isAlphanumeric || sign == "_" || sign == "$"
    }
}

/// A value of JSON or of a property list.
package struct DocumentTree: Sendable {
    package enum Content {
        /// Members in their order; keys are unique.
        case dictionary([(key: String, value: DocumentTree)])
        case array([DocumentTree])
        case text(String)
        case flag(Bool)
        /// A date of a property list, as text: `yyyy-MM-dd`.
        case date(String)
        /// A number of JSON, as it was written.
        case number(String)
        case null
        /// Data or a number of a property list, which configurations of pins do not have.
        case other
    }

    package let content: Content
    /// The line, from 1; `nil` if the property list is binary.
    package let line: Int?

    package static let mostDepth = 40
    package static let mostValues = 20_000

    package init(content: Content, line: Int?) { (self.content, self.line) = (content, line) }

    package subscript(key: String) -> DocumentTree? {
        guard case .dictionary(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }

    package var elements: [DocumentTree]? { if case .array(let elements) = content { elements } else { nil } }
    package var text: String? { if case .text(let text) = content { text } else { nil } }
    package var number: String? { if case .number(let digits) = content { digits } else { nil } }
    package var isNull: Bool { if case .null = content { true } else { false } }
}
