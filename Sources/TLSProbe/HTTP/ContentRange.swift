/// Which part of a document an answer holds (Content-Range, RFC 9110, 14.4).
package struct ContentRange: Hashable, Sendable {
    /// The first and the last byte, `nil` where the server has nothing of what was asked for.
    package let bytes: ClosedRange<Int>?
    /// How long the whole document is, `nil` where the server does not say.
    package let total: Int?

    /// Reads `bytes 100-199/1000`, `bytes 100-199/*` or `bytes */1000`; `nil` for anything else, and for what contradicts itself.
    package init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard halves.count == 2 else { return nil }
        if halves[1] == "*" {
            total = nil
        } else {
            guard let number = Self.number(halves[1]) else { return nil }
            total = number
        }
        guard halves[0] != "*" else {
            guard total != nil else { return nil }
            bytes = nil
            return
        }
        let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]), first <= last,
            total.map({ last < $0 }) ?? true
        else { return nil }
        bytes = first...last
    }

    private static func number(_ text: Substring) -> Int? {
        guard !text.isEmpty, text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
