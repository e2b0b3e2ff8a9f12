internal import Base

/// What programs put something else in the place of: `$PIN`, `${PIN}`, `$(PIN)`, `%PIN%`, `%1`, `!PIN!`, `{{ pin }}`, `<%= pin %>`.
enum Placeholder {
    /// Whether a pin's text has one; neither a hash nor the name of a file is written so.
    static func isFound(in text: String) -> Bool {
        let bytes = Array(text.utf8)
        if bytes.first == UInt8(ascii: "%") || bytes.contains(UInt8(ascii: "$")) || text.holdsBytes(of: "{{")
            || text.holdsBytes(of: "<%")
        {
            return true
        }
        return "%!@".utf8.contains { mark in
            let parts = bytes.split(separator: mark, omittingEmptySubsequences: false)
            return parts.dropFirst().dropLast().contains(where: isName)
        }
    }

    private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, !(0x30...0x39).contains(first) else { return false }
        return text.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == UInt8(ascii: "_")
        }
    }
}
