#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

extension DER {
    /// A Time (RFC 5280, 4.1.2.5): UTCTime for the years 1950 to 2049, GeneralizedTime for all others up to 9999.
    static func time(_ secondsSinceEpoch: Int64) -> [UInt8] {
        let (year, rest) = parts(of: secondsSinceEpoch)
        guard (1950..<2050).contains(year) else { return generalizedTime(secondsSinceEpoch) }
        return element(0x17, digits(year % 100, 2) + rest + [UInt8(ascii: "Z")])
    }

    /// A GeneralizedTime of whole seconds, for years up to 9999.
    static func generalizedTime(_ secondsSinceEpoch: Int64) -> [UInt8] {
        let (year, rest) = parts(of: secondsSinceEpoch)
        return element(0x18, digits(year, 4) + rest + [UInt8(ascii: "Z")])
    }

    private static func parts(of secondsSinceEpoch: Int64) -> (year: Int, rest: [UInt8]) {
        var seconds = time_t(secondsSinceEpoch)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let rest = [
            Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec),
        ]
        return (Int(parts.tm_year) + 1900, rest.flatMap { digits($0, 2) })
    }

    private static func digits(_ number: Int, _ width: Int) -> [UInt8] {
        let text = Array(String(number).utf8)
        return [UInt8](repeating: UInt8(ascii: "0"), count: max(0, width - text.count)) + text
    }
}

/// The time the lab issues certificates at.
public enum LabClock {
    /// Seconds since 1970-01-01T00:00:00Z by the system clock.
    public static var now: Int64 { Int64(time(nil)) }
    /// The seconds of an hour.
    public static let hour: Int64 = 3_600
    /// The seconds of a day.
    public static let day: Int64 = 86_400
    /// The seconds of 365 days.
    public static let year: Int64 = 365 * day
}
