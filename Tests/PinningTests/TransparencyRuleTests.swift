import Testing

@testable import Pinning

@Suite("Each platform needs timestamps of so many logs") struct TransparencyRuleTests {
    private static let day: Int64 = 86_400
    /// 2026-11-01T00:00:00Z, 2021-04-20T23:59:59Z, 2018-10-16T00:00:00Z and the second before.
    private static let (today, april, october, earlier): (Int64, Int64, Int64, Int64) = (
        1_793_491_200, 1_618_963_199, 1_539_648_000, 1_539_647_999
    )

    /// Where a leaf begins, how many seconds it lives, and how many logs Apple's platforms and Chrome and Android need.
    @Test(
        arguments: [
            (today, 1, 2, 2), (today, 180 * day, 2, 2),
            // A second more is over Apple's limit; Conscrypt counts whole days.
            (today, 180 * day + 1, 3, 2), (today, 181 * day - 1, 3, 2), (today, 181 * day, 3, 3),
            (today, 825 * day, 3, 3), (today, 825 * day + 1, 4, 3), (today, -1, 2, 2), (april, 454 * day - 1, 2, 3),
            (april, 454 * day, 4, 3), (april, 825 * day, 4, 3), (april, 826 * day, 5, 3), (april + 1, 454 * day, 3, 3),
            (october, 90 * day, 2, 2), (earlier, 825 * day, nil, 3), (.min, .max, nil, 3),
        ] as [(Int64, Int64, Int?, Int)]) func `the lifetime and the age decide how many`(
            start: Int64, lifetime: Int64, apple: Int?, chrome: Int
        )
    {
        let notBefore = Timestamp(secondsSinceEpoch: start)
        let notAfter = start == .min ? Timestamp(secondsSinceEpoch: .max) : notBefore.advanced(bySeconds: lifetime)
        #expect(PlatformFamily.apple.logsNeeded(notBefore: notBefore, notAfter: notAfter) == apple)
        #expect(PlatformFamily.android.logsNeeded(notBefore: notBefore, notAfter: notAfter) == chrome)
    }

    @Test func `logs are counted once, and a promise from the future not at all`() {
        let now = Timestamp(secondsSinceEpoch: Self.today)
        func timestamp(_ log: UInt8, _ seconds: Int64) -> SignedCertificateTimestamp {
            SignedCertificateTimestamp(
                logID: SHA256Digest(bytes: [UInt8](repeating: log, count: 32))!, time: now.advanced(bySeconds: seconds))
        }
        let evidence = LeafEvidence(
            timestamps: [timestamp(1, 0), timestamp(1, -9), timestamp(2, -1), timestamp(3, 1)], at: now)
        #expect(evidence.logs == 2 && evidence.timestamps.count == 3)
        #expect(evidence.earliestTimestamp == now.advanced(bySeconds: -9))
    }
}

@Suite("An issuer is fetched from where Apple's platform would look") struct IssuerFetchingTests {
    @Test(
        arguments: [
            ([], []), (["http://a.example/1"], ["http://a.example/1"]),
            (["https://a.example/1", "ldap://a.example/1", "http://b.example/"], ["http://b.example/"]),
            (["HTTP://a.example/1", "http:/a", "http://", "http:///x", "http://a b", "http://\u{E9}"], []),
            ((0..<5).map { "http://a.example/\($0)" }, (0..<3).map { "http://a.example/\($0)" }),
            (["ldap://x"] + (0..<8).map { "http://a.example/\($0)" }, (0..<3).map { "http://a.example/\($0)" }),
            (["ldap://x"] + (0..<9).map { "http://a.example/\($0)" }, []),
        ] as [([String], [String])]) func `three are tried, of ten none`(places: [String], tried: [String])
    { #expect(Platform.triedPlaces(of: places) == tried) }
}
