/// A moment in whole seconds, as certificates count time.
public struct Timestamp: Sendable, Hashable, Comparable {
    /// Seconds since 1970-01-01T00:00:00Z without leap seconds, negative before it.
    public let secondsSinceEpoch: Int64

    /// The moment `secondsSinceEpoch` seconds after the start of 1970 in UTC.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// Whether `left` is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSinceEpoch < right.secondsSinceEpoch
    }

    /// The seconds to another moment, held at the ends of the range.
    package func seconds(to end: Timestamp) -> Int64 {
        let (seconds, overflow) = end.secondsSinceEpoch.subtractingReportingOverflow(secondsSinceEpoch)
        return overflow ? (end < self ? .min : .max) : seconds
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
        let second = (secondsSinceEpoch % 86_400 + 86_400) % 86_400
        let (hour, minute) = (Self.padded(second / 3_600), Self.padded(second / 60 % 60))
        return "\(date)T\(hour):\(minute):\(Self.padded(second % 60))Z"
    }

    /// The date alone in UTC, as in `2027-02-19`.
    public var date: String {
        // Days to a proleptic Gregorian date: years are counted from March, so that the leap day is a year's last,
        // and in cycles of 400 years, which all have 146,097 days.
        let (day, second) = secondsSinceEpoch.quotientAndRemainder(dividingBy: 86_400)
        let shifted = (second < 0 ? day - 1 : day) + 719_468
        let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfCycle = shifted - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)
        let dayOfMonth = Self.padded(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
        return (year < 0 ? "-" : "") + "\(Self.padded(abs(year), to: 4))-\(Self.padded(month))-\(dayOfMonth)"
    }

    private static func padded(_ number: Int64, to count: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}
