extension Substring {
    /// The parts between separators, also empty ones; of at most `count` parts the last contains the rest.
    package func parts(at separator: Character, atMost count: Int = .max) -> [Substring] {
        split(separator: separator, maxSplits: count - 1, omittingEmptySubsequences: false)
    }

    /// Compares bytes: the library's `contains` makes types at run time, in tens of thousands of instructions.
    package func holds(_ part: String) -> Bool {
        var (text, part) = (self, part)
        return text.withUTF8 { text in
            part.withUTF8 { UnsafeRawBufferPointer(text).position(of: UnsafeRawBufferPointer($0)) != nil }
        }
    }
}

extension String {
    /// The text of bytes in UTF-8; U+FFFD replaces bytes that are not.
    @inlinable package init(utf8 bytes: some Collection<UInt8>) { self.init(decoding: bytes, as: UTF8.self) }

    package func parts(at separator: Character, atMost count: Int = .max) -> [Substring] {
        self[...].parts(at: separator, atMost: count)
    }

    package func holds(_ part: String) -> Bool { self[...].holds(part) }

    /// The text with some strings replaced in one pass; if several match at one place, the first of them is replaced.
    ///
    /// Bytes are compared, because the library's `replacing` and `split` compare characters: they skip a quotation mark
    /// with a combining mark, which readers of the text take for a quotation mark.
    package func replacingBytes(_ replacements: KeyValuePairs<StaticString, String>) -> String {
        let table = replacements.map { (needle: "\($0.key)".bytes, text: $0.value) }
        let bytes = Array(utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let found = table.first { !$0.needle.isEmpty && bytes[index...].starts(with: $0.needle) }
            if let found {
                result += found.text.utf8
                index += found.needle.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(utf8: result)
    }
}

extension UnsafeRawBufferPointer {
    func position(of part: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let wanted = part.baseAddress, let first = part.first else { return start }
        var start = start
        while let base = baseAddress, start + part.count <= count,
            let found = memchr(base + start, Int32(first), count - start - part.count + 1)
        {
            start = UnsafeRawPointer(found) - base
            if memcmp(found, wanted, part.count) == 0 { return start }
            start += 1
        }
        return nil
    }
}

extension [UInt8] {
    package func position(of part: [UInt8], from start: Int = 0) -> Int? {
        withUnsafeBytes { bytes in part.withUnsafeBytes { bytes.position(of: $0, from: start) } }
    }

    package func holds(_ part: [UInt8]) -> Bool { position(of: part) != nil }
}

/// Compares a byte with a character of ASCII, as in `bytes.first == "/"`.
@inlinable package func == (byte: UInt8?, character: Unicode.Scalar) -> Bool {
    byte.map { UInt32($0) } == character.value
}
@inlinable package func != (byte: UInt8?, character: Unicode.Scalar) -> Bool { !(byte == character) }

extension UInt8 {
    package var isDigit: Bool { (0x30...0x39).contains(self) }
    package var isAlphanumeric: Bool { isDigit || (0x61...0x7A).contains(self | 0x20) }
}

extension Substring {
    package func trimmingWhitespace() -> Substring {
        // By scalars: a single character can be as long as the text.
        let scalars = unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return self[start...end]
    }
}

extension StringProtocol {
    @inlinable package var bytes: [UInt8] { Array(utf8) }

    /// The bytes of percent-encoded text; `nil` if a `%` is not followed by two hexadecimal digits.
    package var percentDecoded: [UInt8]? {
        var bytes: [UInt8] = []
        var rest = self.bytes[...]
        while var byte = rest.popFirst() {
            if byte == "%" {
                let digits = String(utf8: rest.prefix(2))
                guard digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit), let value = UInt8(digits, radix: 16)
                else { return nil }
                (byte, rest) = (value, rest.dropFirst(2))
            }
            bytes.append(byte)
        }
        return bytes
    }
}

/// Base64 (RFC 4648, 4), implemented here because the lower modules have no Foundation.
package enum Base64 {
    private static let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".bytes

    package static func text(of bytes: [UInt8]) -> String {
        let alphabet = alphabet
        return String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { text in
            var end = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let left = bytes.count - start
                func bits(_ index: Int) -> Int { index < left ? Int(bytes[start + index]) << (16 - 8 * index) : 0 }
                let word = bits(0) | bits(1) | bits(2)
                for index in 0..<4 {
                    text[end] = index <= left ? alphabet[word >> (18 - 6 * index) & 63] : UInt8(ascii: "=")
                    end += 1
                }
            }
            return end
        }
    }
}
