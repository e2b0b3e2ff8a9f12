/// Makes a document that comes in pieces safe to show: what is hidden in it, or means something to a terminal, is written out as
/// ``TerminalText/escaped(_:)`` does, and its lines and tabs stay.
///
/// What is not UTF-8 becomes U+FFFD. A carriage return before a line break is part of that.
package struct TerminalDocument: Sendable {
    /// The beginning of a character, or a carriage return, of which the rest is to come.
    private var rest: [UInt8] = []

    package init() {}

    package mutating func shown(_ piece: [UInt8]) -> [UInt8] {
        let bytes = rest + piece
        let end = Self.wholeCount(of: bytes)
        rest = Array(bytes[end...])
        return Self.escaped(bytes[..<end])
    }

    package mutating func finished() -> [UInt8] {
        defer { rest = [] }
        return Self.escaped(rest[...])
    }

    private static func escaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result = ""
        var isAfterReturn = false
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if isAfterReturn, scalar != "\n" { result += TerminalText.escaped("\r") }
            isAfterReturn = scalar == "\r"
            if isAfterReturn { continue }
            if scalar == "\n" || scalar == "\t" || !scalar.isHidden {
                result.unicodeScalars.append(scalar)
            } else {
                result += TerminalText.escaped(String(scalar))
            }
        }
        if isAfterReturn { result += TerminalText.escaped("\r") }
        return Array(result.utf8)
    }

    /// How many bytes there are before what may go on.
    private static func wholeCount(of bytes: [UInt8]) -> Int {
        if bytes.last == 0x0D { return bytes.count - 1 }
        // At most three bytes of a character whose last is missing.
        for length in 1...3 where length <= bytes.count {
            let byte = bytes[bytes.count - length]
            if byte & 0xC0 == 0x80 { continue }
            let whole = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
            return whole > length ? bytes.count - length : bytes.count
        }
        return bytes.count
    }
}
