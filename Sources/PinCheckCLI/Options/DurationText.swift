/// Reads the lengths of time that users write.
enum DurationText {
    /// How to write one, for messages.
    static let usage = "write days, weeks or hours, as in 30d, 4w or 12h"

    private static let units: [Character: Int64] = ["h": 3_600, "d": 86_400, "w": 604_800]

    /// Seconds of `30d`, `4w` or `12h`, `nil` for anything else and for more than a century.
    static func seconds(_ text: String) -> Int64? {
        guard let unit = text.last, let length = units[unit] else { return nil }
        let digits = text.dropLast()
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(digits),
            count <= 100 * 366 * 24
        else { return nil }
        let seconds = count * length
        return seconds <= 100 * 366 * 86_400 ? seconds : nil
    }
}
