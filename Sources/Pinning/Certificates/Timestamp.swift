/// A moment in whole seconds, as certificates count time.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Seconds since 1970-01-01T00:00:00Z, negative before it.
    ///
    /// Leap seconds do not count.
    public let secondsSinceEpoch: Int64

    /// The moment `secondsSinceEpoch` seconds after the start of 1970 in UTC.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// The moment `seconds` later (earlier when negative), held at the ends of the range.
    public func advanced(bySeconds seconds: Int64) -> Timestamp {
        let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
        return Timestamp(secondsSinceEpoch: overflow ? (seconds < 0 ? .min : .max) : sum)
    }
}

extension Timestamp: CustomStringConvertible {
    /// RFC 3339 in UTC, as in `2027-02-19T00:00:00Z`.
    public var description: String {
        let second = Int((secondsSinceEpoch % 86_400 + 86_400) % 86_400)
        return date(followedBy: [
            UInt8(ascii: "T"), Self.digit(second / 36_000), Self.digit(second / 3_600), UInt8(ascii: ":"),
            Self.digit(second / 600 % 6), Self.digit(second / 60), UInt8(ascii: ":"), Self.digit(second % 60 / 10),
            Self.digit(second), UInt8(ascii: "Z"),
        ])
    }

    /// The date alone in UTC, as in `2027-02-19`.
    public var date: String { date(followedBy: []) }

    private func date(followedBy rest: [UInt8]) -> String {
        // Days to a proleptic Gregorian date: years are counted from March, so that the leap day is a year's last,
        // and in cycles of 400 years, which all have 146,097 days.
        let shifted = dayOfEpoch + 719_468
        let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfCycle = shifted - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        let month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
        let year = Int(yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0))
        let monthAndDay = [
            UInt8(ascii: "-"), Self.digit(month / 10), Self.digit(month), UInt8(ascii: "-"), Self.digit(day / 10),
            Self.digit(day),
        ]
        // A report has twenty of them: bytes, and no texts that are put together.
        if (0...9_999).contains(year) {
            let digits = [Self.digit(year / 1_000), Self.digit(year / 100), Self.digit(year / 10), Self.digit(year)]
            return String(decoding: digits + monthAndDay + rest, as: UTF8.self)
        }
        let digits = String(year.magnitude)
        let padding = String(repeating: "0", count: max(0, 4 - digits.count))
        return (year < 0 ? "-" : "") + padding + digits + String(decoding: monthAndDay + rest, as: UTF8.self)
    }

    /// The last digit of a number that is not negative.
    private static func digit(_ number: Int) -> UInt8 { UInt8(ascii: "0") + UInt8(number % 10) }

    private var dayOfEpoch: Int64 {
        let (day, second) = secondsSinceEpoch.quotientAndRemainder(dividingBy: 86_400)
        return second < 0 ? day - 1 : day
    }
}
