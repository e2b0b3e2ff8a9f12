/// A moment in whole seconds, as certificates count time.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The seconds since 1970-01-01T00:00:00Z without leap seconds; negative before it.
    public let secondsSinceEpoch: Int64

    /// The moment `secondsSinceEpoch` seconds after the start of 1970 in UTC.
    public init(secondsSinceEpoch: Int64) { self.secondsSinceEpoch = secondsSinceEpoch }

    /// Orders moments in time.
    public static func < (left: Self, right: Self) -> Bool { left.secondsSinceEpoch < right.secondsSinceEpoch }

    /// The seconds to another moment, limited to the range of `Int64`.
    package func seconds(to end: Timestamp) -> Int64 {
        let (seconds, overflow) = end.secondsSinceEpoch.subtractingReportingOverflow(secondsSinceEpoch)
        let limit: Int64 = end < self ? .min : .max
        return overflow ? limit : seconds
    }

    /// The days to another moment, rounded down: the last hours before an end give 0, the first after it -1.
    package func wholeDays(to end: Timestamp) -> Int {
        let (days, rest) = seconds(to: end).quotientAndRemainder(dividingBy: 86_400)
        return Int(rest < 0 ? days - 1 : days)
    }

    /// The moment `seconds` later, or earlier if negative, limited to the range of `Int64`.
    public func advanced(bySeconds seconds: Int64) -> Timestamp {
        let (sum, overflow) = secondsSinceEpoch.addingReportingOverflow(seconds)
        let limit: Int64 = seconds < 0 ? .min : .max
        return Timestamp(secondsSinceEpoch: overflow ? limit : sum)
    }

    /// The moment in RFC 3339, in UTC, as in `2027-02-19T00:00:00Z`.
    public var description: String { text(hasTime: true) }

    /// The date in UTC, as in `2027-02-19`.
    public var date: String { text(hasTime: false) }

    private func text(hasTime: Bool) -> String {
        // Proleptic Gregorian: a year begins in March, so that a leap day is its last; 400 years have 146,097 days.
        let second = (secondsSinceEpoch % 86_400 + 86_400) % 86_400
        let shifted = secondsSinceEpoch / 86_400 - (secondsSinceEpoch % 86_400 < 0 ? 1 : 0) + 719_468
        let cycle = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfCycle = shifted - cycle * 146_097
        let yearOfCycle = (dayOfCycle - dayOfCycle / 1_460 + dayOfCycle / 36_524 - dayOfCycle / 146_096) / 365
        let dayOfYear = dayOfCycle - (365 * yearOfCycle + yearOfCycle / 4 - yearOfCycle / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        // RFC 3339 has four digits for the year, as certificates have.
        let year = min(max(0, yearOfCycle + cycle * 400 + (month <= 2 ? 1 : 0)), 9_999)
        return String(unsafeUninitializedCapacity: 20) { text in
            var count = 0
            func add(_ byte: UInt8) {
                text[count] = byte
                count += 1
            }
            func add(_ number: Int64, after mark: Unicode.Scalar? = nil) {
                if let mark { add(UInt8(ascii: mark)) }
                add(UInt8(ascii: "0") + UInt8(number / 10))
                add(UInt8(ascii: "0") + UInt8(number % 10))
            }
            add(year / 100)
            add(year % 100)
            add(month, after: "-")
            add(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1, after: "-")
            guard hasTime else { return count }
            add(second / 3_600, after: "T")
            add(second / 60 % 60, after: ":")
            add(second % 60, after: ":")
            add(UInt8(ascii: "Z"))
            return count
        }
    }
}
