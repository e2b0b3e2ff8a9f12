import Pinning
@testable import Rotation
import Testing

/// How long a verdict lasts.
struct OutlookTests {
    let leaf = certificate("leaf", by: "I", number: 1, from: 0, to: 90)
    let intermediate = certificate("I", by: "R", number: 2, from: -100, to: 900)
    let root = certificate("R", number: 3, from: -1_000, to: 4_000)
    let other = certificate("other", number: 9, from: 0, to: 30)

    private func key(_ number: UInt8) -> Pin {
        Pin(.publicKey(SHA256Digest(bytes: [UInt8](repeating: number, count: 32))!), origin: "test")
    }

    private func outlook(
        _ pins: [Pin],
        matching matches: [(Int, Int)],
        comparesCertificates: Bool = false,
        pinsExpire: Timestamp? = nil,
        at time: Timestamp = day(10),
        limits: OutlookLimits = OutlookLimits()
    ) -> Outlook {
        OutlookQuestion(
            path: [leaf, intermediate, root],
            pins: pins,
            matches: matches.map { PinMatch(pinIndex: $0.0, depth: $0.1) },
            comparesCertificates: comparesCertificates,
            pinsExpire: pinsExpire,
            time: time,
            limits: limits
        ).outlook()
    }

    private func ids(_ outlook: Outlook) -> [String] { outlook.findings.map { "\($0.id):\($0.level.rawValue)" } }

    @Test func withoutPinsOnlyTheChainHasAnEnd() {
        let outlook = outlook([], matching: [])
        #expect(
            outlook.pins.isEmpty && outlook.pinsMatchUntil == nil && outlook.end == nil && outlook.noPinAfter == nil
        )
        #expect(outlook.firstExpiry == Outlook.Expiry(depth: 0, time: day(90)))
        #expect(outlook.renewalPoint == day(60))
        #expect(outlook.findings.isEmpty)
        #expect(outlook.level == .info)
    }

    @Test func aLeafKeyBreaksAtTheRenewalWithANewKey() {
        let outlook = outlook([key(1)], matching: [(0, 0)])
        #expect(outlook.pinsMatchUntil == day(90))
        #expect(outlook.noPinAfter == day(90))
        #expect(outlook.end == .leafRenewal && !outlook.endsWithCertificate)
        #expect(ids(outlook) == ["breaks-at-renewal:warn"])
        #expect(
            outlook.findings.first?.message
                == "leaf key pinned: breaks at the next renewal with a new key, on or before 2027-04-15; no backup"
        )
    }

    @Test func aLeafCertificateBreaksAtAnyRenewal() {
        let pin = Pin(.certificate(leaf), origin: "leaf.cer")
        let outlook = outlook([pin], matching: [(0, 0)], comparesCertificates: true)
        #expect(outlook.end == .leafRenewal && outlook.endsWithCertificate)
        #expect(
            outlook.findings.first?.message
                == "leaf certificate pinned: breaks at the next renewal, on or before 2027-04-15; no backup"
        )
        // A client that compares keys cares for the key in the certificate alone.
        #expect(!self.outlook([pin], matching: [(0, 0)]).endsWithCertificate)
    }

    @Test func aBackupKeyHasNoEnd() {
        let outlook = outlook([key(1), key(7)], matching: [(0, 0)])
        #expect(outlook.backups == [1])
        #expect(outlook.pinsMatchUntil == day(90))
        #expect(outlook.noPinAfter == nil)
        #expect(outlook.pins.map(\.depth) == [0, nil])
        #expect(outlook.pins.map(\.until) == [day(90), nil])
        #expect(ids(outlook) == ["breaks-at-renewal:info"])
    }

    @Test func aBackupCertificateEndsWithIt() {
        let live = certificate("next", number: 8, from: 0, to: 500)
        let pins = [Pin(.certificate(leaf), origin: "a"), Pin(.certificate(live), origin: "b")]
        #expect(outlook(pins, matching: [(0, 0)], comparesCertificates: true).noPinAfter == day(500))
        #expect(outlook(pins, matching: [(0, 0)]).noPinAfter == nil)
    }

    @Test func anExpiredCertificateIsNoBackup() {
        let pins = [Pin(.certificate(leaf), origin: "a"), Pin(.certificate(other), origin: "b")]
        let outlook = outlook(pins, matching: [(0, 0)], comparesCertificates: true, at: day(40))
        #expect(outlook.backups.isEmpty)
        #expect(outlook.noPinAfter == day(90))
        #expect(ids(outlook) == ["pin-expired:warn", "breaks-at-renewal:warn"])
        #expect(
            outlook.findings.first?.message
                == "pin 2, other, expired on 2027-02-14 and can match no more: remove it"
        )
        // Its key may come back.
        #expect(self.outlook(pins, matching: [(0, 0)], at: day(40)).backups == [1])
    }

    @Test func thePinThatLastsLongestDecides() {
        let atIntermediate = outlook([key(1), key(2)], matching: [(0, 0), (1, 1)])
        #expect(atIntermediate.pinsMatchUntil == day(900))
        #expect(atIntermediate.end == .intermediateExpiry)
        #expect(ids(atIntermediate) == ["pins-end:info"])
        let backed = outlook([key(2), key(7), key(8)], matching: [(0, 1)])
        #expect(backed.findings.first?.message.hasSuffix("; backups: pins 2, 3") == true)
        let atRoot = outlook([key(3)], matching: [(0, 2)])
        #expect(atRoot.pinsMatchUntil == day(4_000))
        #expect(atRoot.end == .rootExpiry)
        #expect(ids(atRoot) == ["pins-end:warn"])
        #expect(
            atRoot.findings.first?.message
                == "root pinned: breaks when the server gets another, on or before 2037-12-28; no backup"
        )
    }

    @Test func withoutAMatchThereIsNoEndToName() {
        let outlook = outlook([key(7)], matching: [])
        #expect(outlook.pinsMatchUntil == nil && outlook.end == nil && outlook.noPinAfter == nil)
        #expect(outlook.backups == [0])
        #expect(outlook.findings.isEmpty)
    }

    @Test func aMatchOutsideThePathIsNone() {
        #expect(outlook([key(1)], matching: [(0, 7)]).pins.map(\.depth) == [nil])
    }

    @Test func pinsThatExpireFailOpen() {
        let later = outlook([key(1), key(7)], matching: [(0, 0)], pinsExpire: day(50))
        #expect(later.pinsExpire == day(50))
        #expect(ids(later).contains("pins-expire:info"))
        let soon = outlook(
            [key(1), key(7)],
            matching: [(0, 0)],
            pinsExpire: day(15),
            limits: OutlookLimits(warnBefore: .seconds(10 * 86_400), failBefore: .seconds(3 * 86_400))
        )
        #expect(ids(soon).first == "pins-expire:warn")
        #expect(
            soon.findings.first?.message
                == "the pins expire on 2027-01-30: from then on the client takes any trusted chain, less than 10d from now"
        )
        let past = outlook([key(1), key(7)], matching: [(0, 0)], pinsExpire: day(5))
        #expect(ids(past).first == "pins-expired:warn")
        // Nothing is known of their lifetime.
        let percent = outlook(
            [key(1), key(7)],
            matching: [(0, 0)],
            pinsExpire: day(11),
            limits: OutlookLimits(warnBefore: .percent(90))
        )
        #expect(ids(percent).contains("pins-expire:info"))
    }

    @Test func everyCertificateOfThePathIsHeldAgainstTheLimits() {
        func ids(at time: Timestamp, warn: Threshold?, fail: Threshold?) -> [String] {
            self.ids(
                self.outlook([], matching: [], at: time, limits: OutlookLimits(warnBefore: warn, failBefore: fail))
            )
            .filter { $0.hasPrefix("expires-soon") }
        }
        let week = Threshold.seconds(7 * 86_400)
        let month = Threshold.seconds(30 * 86_400)
        #expect(ids(at: day(59), warn: month, fail: week) == [])
        #expect(ids(at: day(61), warn: month, fail: week) == ["expires-soon:warn"])
        #expect(ids(at: day(84), warn: month, fail: week) == ["expires-soon:fail"])
        #expect(ids(at: day(84), warn: nil, fail: week) == ["expires-soon:fail"])
        #expect(ids(at: day(84), warn: nil, fail: nil) == [])
        #expect(ids(at: day(70), warn: .percent(33), fail: nil) == ["expires-soon:warn"])
        #expect(
            ids(at: day(20), warn: .seconds(885 * 86_400), fail: nil) == ["expires-soon:warn", "expires-soon:warn"]
        )
        // What has expired is for the verdict to say.
        #expect(ids(at: day(91), warn: month, fail: week) == [])
        let outlook = outlook([], matching: [], at: day(89), limits: OutlookLimits(failBefore: week))
        #expect(outlook.level == .fail)
        #expect(
            outlook.findings.first?.message
                == "leaf (depth 0) expires in 24 h, on 2027-04-15T08:00:00Z, less than 7d from now"
        )
    }

    @Test func pinsMustLastAsLongAsAskedFor() {
        let limits = OutlookLimits(minPinLife: .seconds(100 * 86_400))
        let short = outlook([key(1)], matching: [(0, 0)], limits: limits)
        #expect(ids(short).first == "pin-life-short:fail")
        #expect(
            short.findings.first?.message
                == "no configured pin is sure to match after 2027-04-15, less than 100d from now"
        )
        #expect(outlook([key(2), key(7)], matching: [(0, 1)], limits: limits).level == .info)
        // A backup key may match at any time.
        #expect(outlook([key(1), key(7)], matching: [(0, 0)], limits: limits).level == .info)
    }

    @Test(arguments: [(90, 60), (47, 31), (10, 5), (7, 3), (365, 243)] as [(Int64, Int64)])
    func aServerIsLateAfterItsUsualRenewal(days: Int64, usualDay: Int64) {
        func outlook(at time: Timestamp) -> Outlook {
            OutlookQuestion(
                path: [certificate("leaf", by: "R", number: 1, from: 0, to: days)],
                pins: [],
                matches: [],
                comparesCertificates: false,
                pinsExpire: nil,
                time: time
            ).outlook()
        }
        #expect(outlook(at: day(usualDay)).findings.isEmpty)
        #expect(ids(outlook(at: day(usualDay + 1))) == ["renewal-due:warn"])
        #expect(outlook(at: day(days + 1)).findings.isEmpty)
    }
}
