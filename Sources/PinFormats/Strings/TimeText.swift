import Base
package import Pinning

package enum TimeText {
    /// Reads RFC 3339 in whole seconds (`2026-11-21T08:00:00Z`, `…+01:00`), or a date (midnight UTC).
    package static func read(_ text: String) throws(Problem) -> Timestamp {
        guard let time = date(text) else {
            throw .usage("the time \(quoted(text)) is not understood: write 2026-11-21T08:00:00Z or 2026-11-21")
        }
        return time
    }

    /// Midnight in UTC of a day as `yyyy-MM-dd`; `nil` if the text has another form.
    static func midnight(_ date: ArraySlice<UInt8>) -> Timestamp? {
        guard let parts = numbers(date, "____-__-__"), parts[0] > 0 else { return nil }
        // Years begin in March here, as in ``Timestamp``, so that the leap day is the last of a year.
        let (year, month) = parts[1] > 2 ? (parts[0], parts[1] - 3) : (parts[0] - 1, parts[1] + 9)
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + parts[2] - 719_469
        let midnight = Timestamp(secondsSinceEpoch: Int64(days) * 86_400)
        // A day or month that does not exist becomes another date.
        return midnight.date.utf8.elementsEqual(date) ? midnight : nil
    }

    private static func date(_ text: String) -> Timestamp? {
        let bytes = text.bytes
        guard let midnight = midnight(bytes.prefix(10)) else { return nil }
        let rest = bytes.dropFirst(10)
        guard let mark = rest.first else { return midnight }
        guard "Tt ".utf8.contains(mark), let time = numbers(rest.dropFirst().prefix(8), "__:__:__"), time[0] < 24,
            time[1] < 60, time[2] <= 60, let offset = offset(rest.dropFirst(9))
        else { return nil }
        return midnight.advanced(bySeconds: Int64(time[0] * 3_600 + time[1] * 60 + time[2] - offset))
    }

    /// Seconds east of UTC: `Z`, `+01:00`, `-08:30`.
    private static func offset(_ text: ArraySlice<UInt8>) -> Int? {
        if text.elementsEqual("Z".utf8) || text.elementsEqual("z".utf8) { return 0 }
        guard let sign = text.first, "+-".utf8.contains(sign), let parts = numbers(text.dropFirst(), "__:__"),
            parts[0] < 24, parts[1] < 60
        else { return nil }
        return (sign == "-" ? -1 : 1) * (parts[0] * 3_600 + parts[1] * 60)
    }

    /// The numbers at the underscores of a pattern; `nil` if the text does not match it.
    private static func numbers(_ text: ArraySlice<UInt8>, _ pattern: String) -> [Int]? {
        guard text.count == pattern.utf8.count else { return nil }
        var numbers = [0]
        for (byte, expected) in zip(text, pattern.utf8) {
            if expected == "_", byte.isDigit {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte) - 0x30
            } else if byte == expected, byte != "_" {
                numbers.append(0)
            } else {
                return nil
            }
        }
        return numbers
    }
}

/// The time that must be left: `30d`, `12h`, or a part of the lifetime, `33%`.
package enum Threshold: Hashable, CustomStringConvertible {
    case seconds(Int64)
    /// Hundredths of the lifetime, 0 to 100.
    case percent(Int64)

    /// Reads a whole number with `w`, `d` or `h` for weeks, days and hours, or `%`; `m` could mean months.
    package init(_ text: String) throws(Problem) {
        let seconds: [Character: Int64] = ["w": 604_800, "d": 86_400, "h": 3_600]
        guard let unit = text.last, let count = Self.number(text.dropLast()) else { throw Self.mistake(text) }
        if unit == "%", count <= 100 {
            self = .percent(count)
        } else if let seconds = seconds[unit] {
            self = .seconds(count * seconds)
        } else {
            throw Self.mistake(text)
        }
    }

    package func isReached(at time: Timestamp, from start: Timestamp, to end: Timestamp) -> Bool {
        let left = time.seconds(to: end)
        switch self {
        case .seconds(let seconds): return left < seconds
        case .percent(let percent):
            let lifetime = start.seconds(to: end)
            let (part, overflow) = lifetime.multipliedReportingOverflow(by: percent)
            return left < (overflow ? lifetime / 100 * percent : part / 100)
        }
    }

    /// `true` if this is reached after `other` for every lifetime; `false` if one is a time and the other a percentage.
    package func isAlwaysBelow(_ other: Threshold) -> Bool {
        switch (self, other) {
        case (.seconds(let own), .seconds(let other)), (.percent(let own), .percent(let other)): own < other
        default: false
        }
    }

    package func days(from start: Timestamp, to end: Timestamp) -> Double {
        switch self {
        case .seconds(let seconds): Double(seconds) / 86_400
        case .percent(let percent): Double(start.seconds(to: end)) * Double(percent) / 8_640_000
        }
    }

    private static func mistake(_ text: String) -> Problem {
        let example: SafeText = number(text[...]) == nil ? "30d, 12h" : "\(text)d for days"
        return .usage("\(quoted(text, to: 40)) is not a threshold: write \(example), or 33% of the lifetime")
    }

    private static func number(_ digits: Substring) -> Int64? {
        digits.utf8.count <= 6 && digits.utf8.allSatisfy { $0.isDigit } ? Int64(digits) : nil
    }

    package var description: String {
        switch self {
        case .percent(let percent): "\(percent)%"
        case .seconds(let seconds) where seconds % 86_400 == 0: "\(seconds / 86_400)d"
        case .seconds(let seconds): "\(seconds / 3_600)h"
        }
    }
}

extension TimeText {
    /// Midnight in UTC of a day, as Android's strict `SimpleDateFormat("yyyy-MM-dd")` reads it, and the ignored rest.
    static func android(_ text: String, at place: PinPlace) throws(Problem) -> (day: Timestamp, rest: Substring) {
        let digits: (Substring) -> Substring = { $0.prefix { $0.isASCII && $0.isNumber } }
        let start = text.drop { $0 == " " || $0 == "\t" }
        let year = digits(start)
        let month = digits(start[year.endIndex...].dropFirst())
        let day = digits(start[month.endIndex...].dropFirst())
        let isWritten =
            start[year.endIndex...].first == "-" && start[month.endIndex...].first == "-" && !month.isEmpty
            && !day.isEmpty
        let rest = start[day.endIndex...]
        func twoDigits(_ text: Substring) -> String { text.count == 1 ? "0\(text)" : String(text) }
        let isRead =
            isWritten && year.count == 4 && month.count < 3 && day.count < 3
            && rest.first != "E" && rest.first?.isWholeNumber != true
        let date = isRead ? "\(year)-\(twoDigits(month))-\(twoDigits(day))" : ""
        guard let midnight = midnight(date.bytes[...]) else {
            throw wrong(text, isRead || !isWritten && !year.isEmpty ? ", and Android throws for it" : "", at: place)
        }
        return (midnight, rest)
    }

    /// Midnight in UTC of a day, which `text` must give as `yyyy-MM-dd`.
    static func midnight(_ text: some StringProtocol, at place: PinPlace) throws(Problem) -> Timestamp {
        guard let midnight = midnight(text.bytes[...]) else { throw wrong(text, "", at: place) }
        return midnight
    }

    private static func wrong(_ text: some StringProtocol, _ consequence: String, at place: PinPlace) -> Problem {
        Problem(
            .badDate, at: place, "'\(shortened(text, to: 40))' is not a date\(consequence)", "write it as 2027-06-01")
    }
}
