import Pinning
@testable import PinChecking
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
        _ pins: [Pin], matching matches: [(Int, Int)], comparesCertificates: Bool = false, pinsExpire: Timestamp? = nil,
        at time: Timestamp = day(10), limits: OutlookLimits = OutlookLimits()
    ) -> Outlook {
        let uses = PinSet(pins).map { comparesCertificates ? $0.certificateUses : $0.uses(at: .anywhere) }
        return question(
            pins, matching: matches, demands: uses.map { [.any($0)] } ?? [], pinsExpire: pinsExpire, at: time,
            limits: limits
        ).outlook()
    }

    private func question(
        _ pins: [Pin], matching matches: [(Int, Int)], demands: [PinComparison.Demand], pinsExpire: Timestamp? = nil,
        at time: Timestamp = day(10), limits: OutlookLimits = OutlookLimits()
    ) -> OutlookQuestion {
        let path = [leaf, intermediate, root]
        return OutlookQuestion(
            path: path, restsOn: [path],
            pins: pins.map { pin in
                OutlookQuestion.ConfiguredPin(
                    certificate: pin.certificate, isInUse: path.contains { $0.publicKey.spkiSHA256 == pin.spkiSHA256 })
            }, matches: matches.map { PinMatch(pinIndex: $0.0, depth: $0.1) },
            comparison: PinComparison(demands: demands, expiration: pinsExpire, isEnforced: true, endsPathAtPin: false),
            isAcceptedForPins: !matches.isEmpty, time: time, limits: limits)
    }

    private func ids(_ outlook: Outlook) -> [String] { outlook.findings.map { "\($0.id):\($0.level.rawValue)" } }

    @Test func withoutPinsOnlyTheChainHasAnEnd() {
        let outlook = outlook([], matching: [])
        #expect(
            outlook.pins.isEmpty && outlook.pinsMatchUntil == nil && outlook.end == nil && outlook.noPinAfter == nil)
        #expect(outlook.validUntil == day(90))
        #expect(outlook.renewalPoint == day(60))
        #expect(outlook.findings.isEmpty)
        #expect(outlook.level == .info)
    }

    @Test func aLeafKeyBreaksAtTheRenewalWithANewKey() {
        let outlook = outlook([key(1)], matching: [(0, 0)])
        #expect(outlook.pinsMatchUntil == day(90))
        #expect(outlook.noPinAfter == day(90))
        #expect(outlook.end == .leafRenewal && outlook.demands.first?.holding?.isWholeCertificate == false)
        #expect(ids(outlook) == ["breaks-at-renewal:warn"])
        #expect(
            outlook.findings.first?.message
                == "leaf key pinned: breaks at the next renewal with a new key, on or before 2027-04-15; no backup")
    }

    @Test func aLeafCertificateBreaksAtAnyRenewal() {
        let pin = Pin(.certificate(leaf), origin: "leaf.cer")
        let outlook = outlook([pin], matching: [(0, 0)], comparesCertificates: true)
        #expect(outlook.end == .leafRenewal && outlook.demands.first?.holding?.isWholeCertificate == true)
        #expect(
            outlook.findings.first?.message
                == "leaf certificate pinned: breaks at the next renewal, on or before 2027-04-15; no backup")
        // A client that compares keys cares for the key in the certificate alone.
        #expect(self.outlook([pin], matching: [(0, 0)]).demands.first?.holding?.isWholeCertificate == false)
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
            outlook.findings.first?.message == "pin 2, other, expired on 2027-02-14 and can match no more: remove it")
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
                == "root pinned: breaks when the server gets another, on or before 2037-12-28; no backup")
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
            [key(1), key(7)], matching: [(0, 0)], pinsExpire: day(15),
            limits: OutlookLimits(warnBefore: .seconds(10 * 86_400), failBefore: .seconds(3 * 86_400)))
        #expect(ids(soon).first == "pins-expire:warn")
        #expect(
            soon.findings.first?.message
                == "the pins expire on 2027-01-30: from then on the client takes any trusted chain, less than 10d from now"
        )
        let past = outlook([key(1), key(7)], matching: [(0, 0)], pinsExpire: day(5))
        #expect(ids(past).first == "pins-expired:warn")
        // Nothing is known of their lifetime.
        let percent = outlook(
            [key(1), key(7)], matching: [(0, 0)], pinsExpire: day(11), limits: OutlookLimits(warnBefore: .percent(90)))
        #expect(ids(percent).contains("pins-expire:info"))
    }

    @Test func everyCertificateOfThePathIsHeldAgainstTheLimits() {
        func ids(at time: Timestamp, warn: Threshold?, fail: Threshold?) -> [String] {
            self.ids(
                self.outlook([], matching: [], at: time, limits: OutlookLimits(warnBefore: warn, failBefore: fail))
            ).filter { $0.hasPrefix("expires-soon") }
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
            ids(at: day(20), warn: .seconds(885 * 86_400), fail: nil) == ["expires-soon:warn", "expires-soon:warn"])
        // What has expired is for the verdict to say.
        #expect(ids(at: day(91), warn: month, fail: week) == [])
        let outlook = outlook([], matching: [], at: day(89), limits: OutlookLimits(failBefore: week))
        #expect(outlook.level == .fail)
        #expect(
            outlook.findings.first?.message
                == "leaf (depth 0) expires in 24 h, on 2027-04-15T08:00:00Z, less than 7d from now")
    }

    @Test func pinsMustLastAsLongAsAskedFor() {
        let limits = OutlookLimits(minPinLife: .seconds(100 * 86_400))
        let short = outlook([key(1)], matching: [(0, 0)], limits: limits)
        #expect(ids(short).first == "pin-life-short:fail")
        #expect(
            short.findings.first?.message
                == "no configured pin is sure to match after 2027-04-15, less than 100d from now")
        #expect(outlook([key(2), key(7)], matching: [(0, 1)], limits: limits).level == .info)
        // A backup key may match at any time.
        #expect(outlook([key(1), key(7)], matching: [(0, 0)], limits: limits).level == .info)
    }

    @Test(arguments: [(90, 60), (47, 31), (10, 5), (7, 3), (365, 243)] as [(Int64, Int64)])
    func aServerIsLateAfterItsUsualRenewal(days: Int64, usualDay: Int64) {
        func outlook(at time: Timestamp) -> Outlook {
            let path = [certificate("leaf", by: "R", number: 1, from: 0, to: days)]
            return OutlookQuestion(
                path: path, restsOn: [path], pins: [], matches: [], comparison: .nothing, isAcceptedForPins: false,
                time: time
            ).outlook()
        }
        #expect(outlook(at: day(usualDay)).findings.isEmpty)
        #expect(ids(outlook(at: day(usualDay + 1))) == ["renewal-due:warn"])
        #expect(outlook(at: day(days + 1)).findings.isEmpty)
    }

    // MARK: What each client demands

    @Test func thePlaceDecidesBeforeTheDate() {
        let longLeaf = certificate("leaf", by: "I", number: 1, from: 0, to: 2_000)
        var question = question([key(1), key(2)], matching: [(0, 0), (1, 1)], demands: [])
        question.path = [longLeaf, intermediate, root]
        question.comparison.demands = [.any(PinSet([key(1), key(2)])!.uses(at: .anywhere))]
        let outlook = question.outlook()
        #expect(outlook.end == .intermediateExpiry)
        #expect(outlook.pinsMatchUntil == day(900))
    }

    @Test func eachListNeedsABackupOfItsOwn() {
        let pins = [key(1), key(7), key(2), key(8)]
        func lists(_ leaf: [Int], _ authorities: [Int]) -> [PinComparison.Demand] {
            let set = PinSet(pins)!
            return [
                .any(set.uses(at: .leaf).filter { leaf.contains($0.pinIndex) }),
                .any(set.uses(at: .authorities).filter { authorities.contains($0.pinIndex) }),
            ]
        }
        let limits = OutlookLimits(minPinLife: .seconds(2_000 * 86_400))
        let half = question(pins, matching: [(0, 0), (2, 1)], demands: lists([0, 1], [2]), limits: limits).outlook()
        #expect(!half.hasBackup && half.backups == [1])
        #expect(half.noPinAfter == day(900) && half.pinsMatchUntil == day(90))
        #expect(ids(half) == ["pin-life-short:fail", "breaks-at-renewal:warn"])
        #expect(
            half.findings[1].message
                == "leaf key and intermediate pinned, each needed: breaks when one of them is replaced, "
                + "on or before 2027-04-15; backup: pin 2, but none for the intermediate")
        let whole = question(pins, matching: [(0, 0), (2, 1)], demands: lists([0, 1], [2, 3]), limits: limits).outlook()
        #expect(whole.hasBackup && whole.backups == [1, 3] && whole.noPinAfter == nil)
        #expect(ids(whole) == ["breaks-at-renewal:info"])
        // A leaf's key in the list of authorities is none at the leaf.
        let misplaced = question(pins, matching: [(0, 0), (2, 1)], demands: [lists([], [0, 2])[1]]).outlook()
        #expect(misplaced.pins[0].depth == nil && misplaced.end == .intermediateExpiry)
    }

    @Test func whereEveryCertificateIsNeededOneBackupIsNone() {
        let pins = [key(1), key(2), key(3), key(7)]
        let every: [PinComparison.Demand] = [.every(PinSet(pins)!.uses(at: .anywhere))]
        let outlook = question(pins, matching: [(0, 0), (1, 1), (2, 2)], demands: every).outlook()
        #expect(!outlook.hasBackup && outlook.backups.isEmpty && outlook.noPinAfter == day(90))
        #expect(
            outlook.findings.map(\.message) == [
                "every key of the chain pinned: breaks when one of them is replaced, on or before 2027-04-15; no backup"
            ])
        // A chain on which a certificate is not pinned holds nothing.
        #expect(question(pins, matching: [(0, 0), (1, 1)], demands: every).outlook().end == nil)
        let more = pins + [key(8), key(9)]
        let complete = question(
            more, matching: [(0, 0), (1, 1), (2, 2)], demands: [.every(PinSet(more)!.uses(at: .anywhere))]
        ).outlook()
        #expect(complete.hasBackup && complete.backups == [3, 4, 5] && complete.noPinAfter == nil)
    }

    @Test func allPathsOfAVerdictCount() {
        var question = question([key(1)], matching: [(0, 0)], demands: [.any(PinSet([key(1)])!.uses(at: .anywhere))])
        let soon = certificate("J", by: "R", number: 4, from: 0, to: 20)
        question.path = [leaf]
        question.restsOn = [[leaf, soon, root], [leaf]]
        question.limits.failBefore = .seconds(15 * 86_400)
        let outlook = question.outlook()
        #expect(outlook.validUntil == day(20))
        #expect(outlook.findings.first?.message == "J (depth 1) expires in 10 d, on 2027-02-04, less than 15d from now")
    }

    @Test func aClientThatDoesNotMindDatesIsPromisedNoEnd() {
        let all: [PinComparison.Demand] = [.any(PinSet([key(1)])!.uses(at: .anywhere))]
        var question = question([key(1)], matching: [(0, 0)], demands: all, at: day(80))
        question.restsOn = []
        question.limits.failBefore = .seconds(15 * 86_400)
        let outlook = question.outlook()
        #expect(outlook.validUntil == nil)
        #expect(
            outlook.findings[0].message
                == "leaf (depth 0) expires in 10 d, on 2027-04-15, less than 15d from now; the client does not mind")
        #expect(outlook.findings.contains { $0.message.contains("with a new key, due by 2027-04-15; no backup") })
    }

    // MARK: Several clients

    @Test func theWorstOfSeveralClientsCountsInWhateverOrder() throws {
        let pins = [key(1), key(3), key(7)]
        let set = PinSet(pins)!
        let limits = OutlookLimits(minPinLife: .seconds(200 * 86_400))
        let anywhere = question(
            pins, matching: [(0, 0), (1, 2)], demands: [.any(set.uses(at: .anywhere))], pinsExpire: day(50),
            limits: limits
        ).outlook()
        let leafAlone = question(
            pins, matching: [(0, 0), (1, 2)], demands: [.any(Array(set.uses(at: .leaf).prefix(2)))], limits: limits
        ).outlook()
        let one = [Outlook.Named(client: "a", outlook: anywhere), Outlook.Named(client: "b", outlook: leafAlone)]
        let worst = try #require(Outlook.worst(of: one))
        let other = try #require(Outlook.worst(of: one.reversed()))
        #expect(Set(worst.findings) == Set(other.findings) && worst.level == other.level)
        #expect(worst.pinsMatchUntil == day(90) && worst.end == .leafRenewal && !worst.hasBackup)
        #expect(worst.pinsExpire == day(50) && worst.noPinAfter == day(90))
        #expect(worst.pins.map(\.isCompared) == [true, true, true])
        #expect(
            worst.findings.map(\.message) == [
                "b: no configured pin is sure to match after 2027-04-15, less than 200d from now",
                "b: leaf key pinned: breaks at the next renewal with a new key, on or before 2027-04-15; no backup",
                "a: the pins expire on 2027-03-06: from then on the client takes any trusted chain",
            ])
        #expect(Outlook.worst(of: []) == nil)
        // What all say is said once, and of nobody by name.
        let twice = Outlook.worst(of: [one[1], Outlook.Named(client: "c", outlook: leafAlone)])
        #expect(twice?.findings == leafAlone.findings)
    }
}
