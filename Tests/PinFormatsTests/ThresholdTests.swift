@testable import PinFormats
import Pinning
import Testing

/// `30d`, `12h`, `33%`.
struct ThresholdTests {
    @Test(
        arguments: [
            ("30d", .seconds(2_592_000), "30d"), ("12h", .seconds(43_200), "12h"), ("2w", .seconds(1_209_600), "14d"),
            ("90m", .seconds(5_400), "90m"), ("24h", .seconds(86_400), "1d"), ("0d", .seconds(0), "0d"),
            ("33%", .percent(33), "33%"), ("0%", .percent(0), "0%"), ("100%", .percent(100), "100%"),
        ] as [(String, Threshold, String)]) func readsAndWrites(text: String, expected: Threshold, written: String)
        throws
    {
        #expect(try Threshold(text) == expected)
        #expect(expected.description == written)
    }

    @Test(arguments: ["", "d", "30", "-1d", "+3d", "3.5d", "30 d", "101%", "1y", "30D", "1234567d", "३d", "%", "1dd"])
    func refusesAnythingElse(text: String) {
        let error = #expect(throws: ThresholdError.self) { try Threshold(text) }
        #expect(error?.description.contains("is not a threshold: write ") == true)
        #expect(error?.description.contains("'\(text)'") == true)
    }

    @Test func aBareNumberIsToldItsUnit() {
        #expect(
            ThresholdError(text: "30").description
                == "'30' is not a threshold: write 30d for days, or 33% of the lifetime")
    }

    @Test(
        arguments: [
            ("30d", 60, false), ("30d", 30, false), ("30d", 29, true), ("30d", -1, true), ("0d", 0, false),
            ("0d", -1, true), ("33%", 33, false), ("33%", 32, true), ("100%", 100, false), ("100%", 99, true),
        ] as [(String, Int64, Bool)]) func isReachedWhenLessIsLeft(text: String, daysLeft: Int64, isReached: Bool)
        throws
    {
        let start = Timestamp(secondsSinceEpoch: 1_000_000)
        let end = start.advanced(bySeconds: 100 * 86_400)
        let time = end.advanced(bySeconds: -daysLeft * 86_400)
        #expect(try Threshold(text).isReached(at: time, from: start, to: end) == isReached)
    }

    @Test func extremesDoNotOverflow() throws {
        let first = Timestamp(secondsSinceEpoch: .min)
        let last = Timestamp(secondsSinceEpoch: .max)
        #expect(try !Threshold("100%").isReached(at: first, from: first, to: last))
        #expect(try Threshold("50%").isReached(at: last, from: first, to: last))
        #expect(try !Threshold("999999w").isReached(at: first, from: first, to: last))
        #expect(try Threshold("1d").isReached(at: last, from: first, to: first))
    }
}
