/// The HTTP statuses that an answer may have: `204`, `2xx`, `200-299`, or several of them.
package struct ExpectedStatus: Hashable, Sendable {
    /// One status, or several that follow each other.
    private struct Entry: Hashable {
        let text: String
        let statuses: ClosedRange<Int>
    }

    private let entries: [Entry]

    /// Reads texts, each of which may hold several entries with commas between them.
    ///
    /// - Throws: ``RequestError`` for an entry that is no status, class or range.
    package init(_ texts: [String]) throws(RequestError) {
        var entries: [Entry] = []
        for text in texts {
            for entry in text.split(separator: ",", omittingEmptySubsequences: false) {
                guard let statuses = Self.statuses(entry) else { throw .expectedStatus(text) }
                entries.append(Entry(text: entry.lowercased(), statuses: statuses))
            }
        }
        self.entries = entries
    }

    package func includes(_ status: Int) -> Bool { entries.contains { $0.statuses.contains(status) } }

    /// The entries in short, as in `2xx` and `304`.
    package var texts: [String] { entries.map(\.text) }

    private static func statuses(_ text: Substring) -> ClosedRange<Int>? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false).map(statusOrClass)
        guard let first = ends.first, let last = ends.last, ends.count <= 2, let first, let last,
            first.lowerBound <= last.upperBound
        else { return nil }
        return first.lowerBound...last.upperBound
    }

    /// A status from 100 to 599 (RFC 9110, 15), or one of the five classes.
    private static func statusOrClass(_ text: Substring) -> ClosedRange<Int>? {
        let bytes = Array(text.utf8)
        guard bytes.count == 3, (0x31...0x35).contains(bytes[0]) else { return nil }
        let first = Int(bytes[0] - 0x30) * 100
        if text.dropFirst().lowercased() == "xx" { return first...first + 99 }
        guard let status = Int(text) else { return nil }
        return status...status
    }
}

extension ExpectedStatus: CustomStringConvertible { package var description: String { texts.joined(separator: ",") } }
