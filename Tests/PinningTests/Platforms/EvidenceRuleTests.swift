import Testing

@testable import Pinning

@Suite("Platforms judge what comes along with a leaf") struct EvidenceRuleTests {
    private static let day: Int64 = 86_400

    private func timestamps(_ count: Int, at time: Timestamp) -> [SignedCertificateTimestamp] {
        (0..<count).map { log in SignedCertificateTimestamp(logID: .repeating(UInt8(log + 1)), time: time) }
    }

    /// The ids of what a platform has against a path with so many timestamps in its leaf.
    private func complaints(
        _ platform: Platform, _ anchorClass: AnchorClass, logs: Int = 0, leaf: Described = Described(),
        root: SHA256Digest? = nil, intermediate: Described = .intermediate, staple: LeafEvidence.Staple = .none,
        issuedAt: Int64? = nil, firstAnchor: Int = 2, policy: TrustPolicy = .sslServer(name: .unchecked)
    ) -> [String] {
        var described = Described.root
        described.fingerprint = root
        let time = Timestamp(secondsSinceEpoch: issuedAt ?? leaf.from)
        let path = PlatformPath(
            certificates: [leaf.certificate(1), intermediate.certificate(2), described.certificate(3)],
            anchorClass: anchorClass, firstAnchor: firstAnchor, policy: policy,
            evidence: LeafEvidence(
                timestamps: timestamps(logs, at: time), staple: staple, at: time.advanced(bySeconds: Self.day)))
        let all = Set(platform.failures(of: path))
        return platform.evidenceFailures(of: path).filter(all.contains).map(\.id)
    }

    /// A platform, how long the leaf lives in days, how many logs its timestamps are from, and whether that is too few.
    @Test(arguments: [
        (Platform.apple(), 90, 0, true), (.apple(), 90, 1, true), (.apple(), 90, 2, false), (.apple(), 181, 2, true),
        (.apple(), 181, 3, false), (.openssl, 90, 0, false), (.android(), 90, 0, false),
    ]) func belowPublicRootsLogsAreNeeded(_ platform: Platform, _ days: Int64, _ logs: Int, _ isTooFew: Bool) {
        let leaf = Described(days: days)
        #expect(complaints(platform, .system, logs: logs, leaf: leaf) == (isTooFew ? ["too-few-scts"] : []))
        #expect(complaints(platform, .own, logs: logs, leaf: leaf).isEmpty)
        #expect(complaints(platform, .installedByHand, logs: logs, leaf: leaf).isEmpty)
    }

    @Test func nobodyElseIsAskedForAny() {
        let old = DeviceVersion(12)
        #expect(complaints(.apple(old), .system).isEmpty)
        #expect(complaints(.apple(.ios12), .system) == ["too-few-scts"])
        #expect(complaints(.apple(), .system, policy: .basicX509).isEmpty)
        // 2018-10-15 and the first second after it.
        #expect(complaints(.apple(), .system, leaf: Described(from: 1_539_647_999)).isEmpty)
        #expect(complaints(.apple(), .system, leaf: Described(from: 1_539_648_000)) == ["too-few-scts"])
        for root in Platform.appleOwnRoots.map(Self.digest) {
            #expect(complaints(.apple(), .system, root: root).isEmpty)
        }
    }

    @Test(arguments: AnchorClass.allCases) func aRevokedLeafIsRefused(_ anchorClass: AnchorClass) {
        func complaints(
            _ platform: Platform, firstAnchor: Int = 2,
            _ staple: LeafEvidence.Staple = .revoked(at: Timestamp(secondsSinceEpoch: 1_750_000_100), reason: 1)
        ) -> [String] { self.complaints(platform, anchorClass, logs: 3, staple: staple, firstAnchor: firstAnchor) }
        #expect(complaints(.apple()) == ["revoked"])
        #expect(complaints(.android()) == ["revoked"])
        #expect(complaints(.openssl).isEmpty)
        // Conscrypt checks nothing of what is trusted itself.
        #expect(complaints(.android(), firstAnchor: 0).isEmpty)
        #expect(complaints(.apple(), firstAnchor: 0) == ["revoked"])
        // What is neither good nor revoked is enough for Android to refuse.
        #expect(complaints(.android(), .unusable("why")) == ["unusable-staple"])
        #expect(complaints(.android(), firstAnchor: 0, .unusable("why")).isEmpty)
        for platform in [Platform.apple(), .openssl] { #expect(complaints(platform, .unusable("why")).isEmpty) }
    }

    @Test func theSentenceSaysWhenAndWhy() {
        let failure = TrustFailure(
            .revoked(at: Timestamp(secondsSinceEpoch: 1_750_000_000), reason: 1), at: 0, of: Described().certificate())
        #expect(failure.description.contains("was revoked at 2025-06-15T15:06:40Z (key compromise)"))
        let few = TrustFailure(.tooFewTimestamps(logs: 1, needed: 3), at: 0, of: Described().certificate())
        #expect(few.description.contains("has SCTs of 1 log, 3 are needed"))
    }

    private static func digest(_ digits: String) -> SHA256Digest {
        SHA256Digest(bytes: stride(from: 0, to: 64, by: 2).map { UInt8(digits.dropFirst($0).prefix(2), radix: 16)! })!
    }

    /// 2024-11-15T23:59:59Z and 2024-11-16T00:00:00Z.
    private static let lastGood: Int64 = 1_731_715_199

    @Test func leavesOfEntrustAndOthersEndWithADay() {
        #expect(Platform.distrustedSinceNovember2024.count == 11)
        for root in Platform.distrustedSinceNovember2024.map(Self.digest) {
            func complaints(_ platform: Platform, _ anchorClass: AnchorClass, from: Int64, issuedAt: Int64? = nil)
                -> [String]
            {
                self.complaints(
                    platform, anchorClass, logs: 4, leaf: Described(from: from), root: root, issuedAt: issuedAt)
            }
            #expect(complaints(.apple(), .system, from: Self.lastGood).isEmpty)
            #expect(complaints(.apple(), .system, from: Self.lastGood + 1) == ["distrusted"])
            // The earliest timestamp goes before the leaf's own first second, both ways.
            #expect(complaints(.apple(), .system, from: Self.lastGood, issuedAt: Self.lastGood + 1) == ["distrusted"])
            #expect(complaints(.apple(), .system, from: Self.lastGood + 1, issuedAt: Self.lastGood).isEmpty)
            #expect(complaints(.apple(), .installedByHand, from: Self.lastGood + 1).isEmpty)
            #expect(complaints(.android(), .system, from: Self.lastGood + 1).isEmpty)
        }
    }

    @Test func withoutATimestampTheFirstSecondCounts() {
        let root = Platform.distrustedSinceNovember2024.first.map(Self.digest)
        #expect(
            complaints(.apple(), .system, leaf: Described(from: Self.lastGood + 1), root: root) == [
                "too-few-scts", "distrusted",
            ])
        #expect(complaints(.apple(), .system, leaf: Described(from: Self.lastGood), root: root) == ["too-few-scts"])
    }

    @Test func ofWoSignAndStartComEveryCertificateBelowCounts() {
        #expect(Platform.distrustedSinceDecember2016.count == 6)
        let december: Int64 = 1_480_550_400
        for root in Platform.distrustedSinceDecember2016.map(Self.digest) {
            func complaints(leaf: Int64, intermediate: Int64) -> [String] {
                self.complaints(
                    .apple(), .system, leaf: Described(from: leaf), root: root,
                    intermediate: Described(usage: nil, days: 1_825, from: intermediate))
            }
            #expect(complaints(leaf: december - 1, intermediate: december - 2).isEmpty)
            #expect(complaints(leaf: december, intermediate: december - 1) == ["distrusted"])
            #expect(complaints(leaf: december - 1, intermediate: december) == ["distrusted"])
        }
    }

    @Test func androidAsksByTheConfiguration() {
        let name = ServerName.dns("api.example.com")
        let newest = 37
        func isAsked(
            _ elements: [AndroidTrust.Transparency], on level: Int?, targetSDK: Int?, for name: ServerName = name
        ) -> Bool {
            var trust = AndroidTrust(targetSDK: targetSDK)
            trust.transparency = elements
            return trust.transparencyDemand(level: level, for: name) != .none
        }
        #expect(!isAsked([.init()], on: 35, targetSDK: 37))
        #expect(!isAsked([.init()], on: 36, targetSDK: 37))
        #expect(isAsked([.init()], on: newest, targetSDK: 37))
        #expect(isAsked([.init()], on: nil, targetSDK: 37))
        #expect(!isAsked([.init()], on: newest, targetSDK: 36))
        #expect(!isAsked([.init()], on: newest, targetSDK: nil))
        #expect(!isAsked([.init()], on: newest, targetSDK: 37, for: .dns("localhost")))
        let enabled = AndroidTrust.Transparency(isEnabled: true)
        #expect(isAsked([enabled], on: 36, targetSDK: nil))
        #expect(!isAsked([enabled], on: 35, targetSDK: 37))
        // A configuration's own word goes before its anchors, those before its parent's word.
        #expect(isAsked([.init(isEnabled: true, hasOwnAnchors: true)], on: newest, targetSDK: 1))
        #expect(!isAsked([.init(isEnabled: false), enabled], on: newest, targetSDK: 37))
        #expect(!isAsked([.init(hasOwnAnchors: true), enabled], on: newest, targetSDK: 37))
        #expect(isAsked([.init(), .init(), enabled], on: newest, targetSDK: 1))
    }
}
