internal import Base

/// Reads the moments that users write.
package enum TimeText {
    /// Reads RFC 3339 (`2026-11-21T08:00:00Z`, `…+01:00`), a date (midnight UTC) or seconds since 1970.
    ///
    /// - Throws: ``TimeTextError``, which quotes the text.
    package static func read(_ text: String) throws(TimeTextError) -> Timestamp {
        guard let time = seconds(text) ?? date(text) else { throw TimeTextError(text: text) }
        return time
    }

    /// Whole seconds since 1970, but not what is more likely a date or a year (`20261121`, `2026`).
    private static func seconds(_ text: String) -> Timestamp? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.count <= 11, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let value = Int64(text)
        else { return nil }
        let looksLikeDate =
            (text.utf8.count == 8 || text.utf8.count == 4) && (text.hasPrefix("19") || text.hasPrefix("20"))
        return looksLikeDate ? nil : Timestamp(secondsSinceEpoch: value)
    }

    private static func date(_ text: String) -> Timestamp? {
        var rest = Array(text.utf8)[...]
        guard let year = number(&rest, digits: 4), skip(&rest, "-"), let month = number(&rest, digits: 2),
            skip(&rest, "-"), let day = number(&rest, digits: 2), let days = daysSinceEpoch(year, month, day)
        else { return nil }
        let midnight = Timestamp(secondsSinceEpoch: Int64(days) * 86_400)
        if rest.isEmpty { return midnight }
        guard skip(&rest, "T") || skip(&rest, "t") || skip(&rest, " "), let hour = number(&rest, digits: 2),
            skip(&rest, ":"), let minute = number(&rest, digits: 2), skip(&rest, ":"),
            let second = number(&rest, digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        if skip(&rest, ".") {
            let fraction = rest.prefix { (0x30...0x39).contains($0) }
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(fraction.count)
        }
        guard let offset = offset(&rest), rest.isEmpty else { return nil }
        return midnight.advanced(bySeconds: Int64(hour * 3_600 + minute * 60 + second - offset))
    }

    /// Seconds east of UTC: `Z`, `+01:00`, `-08:30`.
    private static func offset(_ rest: inout ArraySlice<UInt8>) -> Int? {
        if skip(&rest, "Z") || skip(&rest, "z") { return 0 }
        let sign = skip(&rest, "+") ? 1 : skip(&rest, "-") ? -1 : 0
        guard sign != 0, let hours = number(&rest, digits: 2), skip(&rest, ":"), let minutes = number(&rest, digits: 2),
            hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    private static func number(_ rest: inout ArraySlice<UInt8>, digits count: Int) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        rest = rest.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }

    private static func skip(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Days from 1970-01-01 to a date of the Gregorian calendar, `nil` when there is no such date.
    private static func daysSinceEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard year >= 1, (1...12).contains(month), (1...lengths[month - 1]).contains(day) else { return nil }
        let before = year - 1
        let leapDays = before / 4 - before / 100 + before / 400
        return before * 365 + leapDays + lengths[..<(month - 1)].reduce(0, +) + day - 1 - 719_162
    }
}

package struct TimeTextError: Error, Hashable, CustomStringConvertible {
    package let text: String

    /// One line that quotes the text and says what to write.
    package var description: String {
        "the time \(quoted(text)) is not understood: write 2026-11-21T08:00:00Z, 2026-11-21, or seconds since 1970"
    }
}
