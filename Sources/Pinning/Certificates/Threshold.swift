internal import Base

/// How much time must be left: `30d`, `12h`, or a part of the lifetime, `33%`.
package enum Threshold: Sendable, Hashable {
    /// So many seconds.
    case seconds(Int64)
    /// So many hundredths of the lifetime, 0 to 100.
    case percent(Int64)

    /// Reads a whole number with `w`, `d`, `h` or `m` for weeks, days, hours and minutes, or `%`.
    ///
    /// - Throws: ``ThresholdError``, which quotes the text.
    package init(_ text: String) throws(ThresholdError) {
        guard let unit = text.last, let count = Self.number(text.dropLast()) else { throw ThresholdError(text: text) }
        switch unit {
        case "%" where count <= 100: self = .percent(count)
        case "w": self = .seconds(count * 604_800)
        case "d": self = .seconds(count * 86_400)
        case "h": self = .seconds(count * 3_600)
        case "m": self = .seconds(count * 60)
        default: throw ThresholdError(text: text)
        }
    }

    /// Whether less is left at `time` than the threshold asks for.
    package func isReached(at time: Timestamp, from start: Timestamp, to end: Timestamp) -> Bool {
        let left = Self.seconds(from: time, to: end)
        switch self {
        case .seconds(let seconds): return left < seconds
        case .percent(let percent):
            let lifetime = Self.seconds(from: start, to: end)
            let (part, overflow) = lifetime.multipliedReportingOverflow(by: percent)
            return left < (overflow ? lifetime / 100 * percent : part / 100)
        }
    }

    /// Whether this is reached only after `other` is, whatever the lifetime; of a time and a percentage nobody can tell.
    package func isAlwaysBelow(_ other: Threshold) -> Bool {
        switch (self, other) {
        case (.seconds(let own), .seconds(let other)), (.percent(let own), .percent(let other)): own < other
        default: false
        }
    }

    package func days(from start: Timestamp, to end: Timestamp) -> Double {
        switch self {
        case .seconds(let seconds): Double(seconds) / 86_400
        case .percent(let percent): Double(Self.seconds(from: start, to: end)) * Double(percent) / 8_640_000
        }
    }

    /// The seconds from one moment to another, held at the ends of the range.
    package static func seconds(from start: Timestamp, to end: Timestamp) -> Int64 {
        let (seconds, overflow) = end.secondsSinceEpoch.subtractingReportingOverflow(start.secondsSinceEpoch)
        return overflow ? (end < start ? .min : .max) : seconds
    }

    private static func number(_ digits: Substring) -> Int64? {
        guard (1...6).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int64(digits)
    }
}

extension Threshold: CustomStringConvertible {
    package var description: String {
        switch self {
        case .percent(let percent): "\(percent)%"
        case .seconds(let seconds) where seconds % 86_400 == 0: "\(seconds / 86_400)d"
        case .seconds(let seconds) where seconds % 3_600 == 0: "\(seconds / 3_600)h"
        case .seconds(let seconds): "\(seconds / 60)m"
        }
    }
}

package struct ThresholdError: Error, Hashable, CustomStringConvertible {
    package let text: String

    /// One line that quotes the text and says what to write.
    package var description: String {
        let isBare = !text.isEmpty && text.utf8.count <= 6 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return "\(quoted(text, to: 40)) is not a threshold: write " + (isBare ? "\(text)d for days" : "30d, 12h")
            + ", or 33% of the lifetime"
    }
}
