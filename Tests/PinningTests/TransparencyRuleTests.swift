import Pinning
import Testing

@Suite("Timestamps are counted as each platform counts them") struct TransparencyRuleTests {
    private static let day: Int64 = 86_400
    /// 2026-11-01T00:00:00Z.
    private static let start = Timestamp(secondsSinceEpoch: 1_793_491_200)
    private static let now = start.advanced(bySeconds: 10 * day)

    private func timestamps(_ logs: [UInt8], _ source: SignedCertificateTimestamp.Source, at time: Timestamp = start)
        -> [SignedCertificateTimestamp]
    {
        logs.map { log in
            SignedCertificateTimestamp(
                source: source, logID: SHA256Digest(bytes: [UInt8](repeating: log, count: 32))!,
                milliseconds: UInt64(time.secondsSinceEpoch) * 1_000, extensions: [], hashAlgorithm: 4,
                signatureAlgorithm: 3, signature: [1])
        }
    }

    private func isEnough(
        _ rule: TransparencyRule, _ timestamps: [SignedCertificateTimestamp], lifetime: Int64 = 90 * day
    ) -> Bool {
        let judgement = rule.judge(
            timestamps, notBefore: Self.start, notAfter: Self.start.advanced(bySeconds: lifetime), at: Self.now)
        if case .enough = judgement { return true }
        return false
    }

    /// How many logs a certificate of so many seconds needs; the second number is Apple's, the third Chrome's and Android's.
    @Test(arguments: [
        (1, 2, 2), (180 * day, 2, 2),
        // A second more is over Apple's limit; Conscrypt counts whole days.
        (180 * day + 1, 3, 2), (181 * day - 1, 3, 2), (181 * day, 3, 3), (398 * day, 3, 3), (825 * day, 3, 3),
        (825 * day + 1, 4, 3), (3_650 * day, 4, 3), (-1, 2, 2),
    ]) func `the lifetime decides how many are needed in the certificate`(lifetime: Int64, apple: Int, chrome: Int) {
        for (rule, needed) in [(TransparencyRule.apple, apple), (.chrome, chrome)] {
            let logs = (0..<UInt8(needed)).map { $0 }
            #expect(isEnough(rule, timestamps(logs, .certificate), lifetime: lifetime), "\(rule)")
            let fewer = timestamps(Array(logs.dropLast()), .certificate)
            let judgement = rule.judge(
                fewer, notBefore: Self.start, notAfter: Self.start.advanced(bySeconds: lifetime), at: Self.now)
            #expect(judgement == .tooFew(.init(fewer, at: Self.now), needed: needed), "\(rule)")
        }
    }

    /// Logs in the certificate, in the handshake and in the staple; whether that is enough for Apple, for Chrome and Android.
    @Test(
        arguments: [
            ([], [], [], false, false), ([1], [], [], false, false), ([1, 1], [], [], false, false),
            ([1, 2], [], [], true, true), ([1], [2], [], true, false), ([1], [], [2], true, false),
            ([1], [1], [], false, false), ([], [1], [], false, false), ([], [1], [1], false, false),
            ([], [1], [2], true, true), ([], [1, 2], [], true, true), ([], [], [1, 2], true, true),
            ([1], [1, 2], [], true, true), ([1, 2], [3], [4], true, true),
        ] as [([UInt8], [UInt8], [UInt8], Bool, Bool)]) func `where timestamps came from counts`(
            certificate: [UInt8], handshake: [UInt8], staple: [UInt8], apple: Bool, chrome: Bool
        )
    {
        let all =
            timestamps(certificate, .certificate) + timestamps(handshake, .handshake) + timestamps(staple, .staple)
        #expect(isEnough(.apple, all) == apple)
        #expect(isEnough(.chrome, all) == chrome)
    }

    @Test func `a promise from the future counts for nothing`() {
        let future = timestamps([1, 2], .certificate, at: Self.now.advanced(bySeconds: 1))
        #expect(!isEnough(.apple, future) && !isEnough(.chrome, future))
        let present = timestamps([1, 2], .certificate, at: Self.now)
        #expect(isEnough(.apple, present) && isEnough(.chrome, present))
    }

    @Test func `a time that no clock shows is no trap`() {
        let odd = SignedCertificateTimestamp(
            source: .handshake, logID: SHA256Digest(bytes: [UInt8](repeating: 0, count: 32))!, milliseconds: .max,
            extensions: [], hashAlgorithm: 0, signatureAlgorithm: 0, signature: [])
        let (end, start) = (Timestamp(secondsSinceEpoch: .max), Timestamp(secondsSinceEpoch: .min))
        for rule in TransparencyRule.allCases {
            _ = rule.judge([odd], notBefore: start, notAfter: end, at: Self.now)
            _ = rule.judge([odd], notBefore: end, notAfter: start, at: end)
        }
    }

    @Test func `Apple asks for none with leaves up to 2018-10-15`() {
        let end = Timestamp(secondsSinceEpoch: 1_539_648_000)
        let before = end.advanced(bySeconds: -1)
        let notAfter = end.advanced(bySeconds: 825 * Self.day)
        #expect(TransparencyRule.apple.judge([], notBefore: before, notAfter: notAfter, at: end) == .notAsked)
        #expect(
            TransparencyRule.apple.judge([], notBefore: end, notAfter: notAfter, at: end)
                == .tooFew(.init([], at: end), needed: 3))
    }

    /// Leaves from 2020-01-31T00:00:00Z on, to an end; how many Apple wants, by months of the calendar.
    @Test(arguments: [
        // 2021-04-30 and 2021-04-29: a month more begins with the same day, so that both are 14.
        (1_619_740_800, 2), (1_619_654_400, 2), (1_619_913_600, 3), (1_651_276_800, 3),
        // 2022-05-31T00:00:00Z: 28 months, 2023-05-31: 40.
        (1_653_955_200, 4), (1_685_491_200, 5),
    ]) func `Apple counted months until 2021-04-21`(end: Int64, needed: Int) {
        let start = Timestamp(secondsSinceEpoch: 1_580_428_800)
        let judgement = TransparencyRule.apple.judge(
            [], notBefore: start, notAfter: Timestamp(secondsSinceEpoch: end), at: start)
        #expect(judgement == .tooFew(.init([], at: start), needed: needed))
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
    { #expect(IssuerFetching.triedPlaces(of: places) == tried) }
}
