import PinFormats
import Pinning
import Testing

@testable import PinChecking

/// How long a verdict lasts.
struct OutlookTests {
    private static let leaf = certificate("leaf", by: "I", number: 1, from: 0, to: 90)
    private static let intermediate = certificate("I", by: "R", number: 2, from: -100, to: 900)
    private static let root = certificate("R", number: 3, from: -1_000, to: 4_000)
    private static let other = certificate("other", number: 9, from: 0, to: 30)
    private static let renewed = certificate("leaf", by: "I", number: 1, edition: 1, from: 60, to: 150)
    private static let later = certificate("later", number: 8, from: 0, to: 500)
    private static let path = [leaf, intermediate, root]

    private static func key(_ number: UInt8) -> Pin {
        Pin(.publicKey(SHA256Digest(bytes: [UInt8](repeating: number, count: 32))!), origin: "test")
    }

    private static func days(_ count: Int64) -> Threshold { .seconds(count * 86_400) }

    private static func whole(_ certificate: Certificate) -> Pin { Pin(.certificate(certificate), origin: "test") }

    private static func keys(_ pins: [Int], _ place: PinComparison.Place = .anywhere) -> PinComparison.Condition {
        PinComparison.Condition(pins: pins, at: place)
    }

    /// Pins on the path, what the client asks of them, and what that comes to.
    struct Row: CustomTestStringConvertible, Sendable {
        let name: String
        let pins: [Pin]
        var matches = [(0, 0)]
        var conditions: [PinComparison.Condition]?
        var comparesCertificates = false
        /// Moments are days after the start.
        var pinsExpire: Int64?
        var at: Int64 = 10
        var limits = OutlookRules()
        /// When the pins match no more, and why; after when none is sure to.
        var until: Int64? = 90
        var end: Outlook.End? = .leafRenewal
        var noPinAfter: Int64?
        var backups: [Int] = []
        var hasBackup: Bool?
        var findings = ""
        var message: String?

        var testDescription: String { name }

        fileprivate var facts: OutlookFacts {
            let set = PinSet(pins)
            let all =
                comparesCertificates ? PinComparison.Condition.certificates(of: set) : .keys(of: set, at: .anywhere)
            return OutlookFacts(
                path: path, restsOn: [path], pins: pins, matches: matches.map { PinMatch(pinIndex: $0.0, depth: $0.1) },
                comparison: PinComparison(conditions ?? (pins.isEmpty ? [] : [all]), expiration: pinsExpire.map(day)),
                inUse: Set(path.flatMap { [$0.publicKey.spkiSHA256, $0.fingerprint] }),
                isAcceptedForPins: !matches.isEmpty, time: day(at), rules: limits)
        }
    }

    private static let leafKey = "leaf key pinned: breaks at the next renewal with a new key, on or before 2027-04-15; "
    private static let rows: [Row] = [
        Row(name: "no pins", pins: [], matches: [], until: nil, end: nil),
        Row(
            name: "the leaf's key", pins: [key(1)], noPinAfter: 90, findings: "breaks-at-renewal:warning",
            message: leafKey + "no backup"),
        Row(
            name: "the leaf's certificate", pins: [whole(leaf)], comparesCertificates: true, noPinAfter: 90,
            findings: "breaks-at-renewal:warning",
            message: "leaf certificate pinned: breaks at the next renewal, on or before 2027-04-15; no backup"),
        Row(
            name: "the key in the leaf's certificate", pins: [whole(leaf)], noPinAfter: 90,
            findings: "breaks-at-renewal:warning", message: leafKey + "no backup"),
        Row(
            name: "a backup key has no end", pins: [key(1), key(7)], backups: [1], findings: "breaks-at-renewal:note",
            message: leafKey + "backup: pin 2"),
        Row(
            name: "a backup certificate ends with it", pins: [whole(leaf), whole(later)], comparesCertificates: true,
            noPinAfter: 500, backups: [1], findings: "breaks-at-renewal:note"),
        Row(
            name: "the next certificate for the same key is one where certificates are compared",
            pins: [whole(leaf), whole(renewed)], comparesCertificates: true, noPinAfter: 150, backups: [1],
            findings: "breaks-at-renewal:note"),
        Row(
            name: "and none where keys are", pins: [whole(leaf), whole(renewed)], matches: [(0, 0), (1, 0)],
            noPinAfter: 90, findings: "breaks-at-renewal:note"),
        Row(
            name: "an expired certificate is no backup", pins: [whole(leaf), whole(other)], comparesCertificates: true,
            at: 40, noPinAfter: 90, findings: "pin-expired:warning breaks-at-renewal:warning",
            message: "pin 2, other, expired on 2027-02-14 and can match no more: replace it"),
        Row(
            name: "its key may come back", pins: [whole(leaf), whole(other)], at: 40, backups: [1],
            findings: "breaks-at-renewal:note"),
        Row(
            name: "the highest place decides", pins: [key(1), key(2)], matches: [(0, 0), (1, 1)], until: 900,
            end: .intermediateExpiry, noPinAfter: 900, findings: "pins-end:note"),
        Row(
            name: "several backups", pins: [key(2), key(7), key(8)], matches: [(0, 1)], until: 900,
            end: .intermediateExpiry, backups: [1, 2], findings: "pins-end:note",
            message: "intermediate pinned: breaks when the server gets another, on or before 2029-07-03; "
                + "backups: pins 2, 3"),
        Row(
            name: "the root", pins: [key(3)], matches: [(0, 2)], until: 4_000, end: .rootExpiry, noPinAfter: 4_000,
            findings: "pins-end:warning",
            message: "root pinned: breaks when the server gets another, on or before 2037-12-28; no backup"),
        Row(name: "no match", pins: [key(7)], matches: [], until: nil, end: nil, backups: [0]),
        Row(name: "a match beside the path", pins: [key(1)], matches: [(0, 7)], until: nil, end: nil, hasBackup: false),
        Row(
            name: "pins that expire", pins: [key(1), key(7)], pinsExpire: 50, backups: [1],
            findings: "pins-expire:note breaks-at-renewal:note"),
        Row(
            name: "pins that expire soon", pins: [key(1), key(7)], pinsExpire: 15,
            limits: OutlookRules(warnBefore: days(10), failBefore: days(3)), backups: [1],
            findings: "pins-expire:warning breaks-at-renewal:note",
            message: "the pins expire on 2027-01-30: from then on the client accepts any trusted chain, "
                + "less than 10d from now"),
        Row(
            name: "pins that expired", pins: [key(1), key(7)], pinsExpire: 5, backups: [1],
            findings: "pins-expired:warning breaks-at-renewal:note"),
        Row(
            name: "nothing is known of the pins' lifetime", pins: [key(1), key(7)], pinsExpire: 11,
            limits: OutlookRules(warnBefore: .percent(90)), backups: [1],
            findings:
                "expires-soon:warning expires-soon:warning expires-soon:warning pins-expire:note breaks-at-renewal:note"
        ),
        Row(
            name: "pins that do not last as long as asked for", pins: [key(1)],
            limits: OutlookRules(minPinLife: days(100)), noPinAfter: 90,
            findings: "pin-life-short:fail breaks-at-renewal:warning",
            message: "no configured pin is sure to match after 2027-04-15, less than 100d from now"),
        Row(
            name: "a backup may match at any time", pins: [key(1), key(7)], limits: OutlookRules(minPinLife: days(100)),
            backups: [1], findings: "breaks-at-renewal:note"),
        Row(
            name: "a backup for one of two lists", pins: [key(1), key(7), key(2), key(8)], matches: [(0, 0), (2, 1)],
            conditions: [keys([0, 1], .leaf), keys([2], .authorities)], limits: OutlookRules(minPinLife: days(2_000)),
            noPinAfter: 900, backups: [1], hasBackup: false, findings: "pin-life-short:fail breaks-at-renewal:warning"),
        Row(
            name: "the same without a limit", pins: [key(1), key(7), key(2), key(8)], matches: [(0, 0), (2, 1)],
            conditions: [keys([0, 1], .leaf), keys([2], .authorities)], noPinAfter: 900, backups: [1], hasBackup: false,
            findings: "breaks-at-renewal:warning",
            message: "leaf key and intermediate pinned, each needed: breaks when one of them is replaced, "
                + "on or before 2027-04-15; backup: pin 2, but none for the intermediate"),
        Row(
            name: "a backup for each of two lists", pins: [key(1), key(7), key(2), key(8)], matches: [(0, 0), (2, 1)],
            conditions: [keys([0, 1], .leaf), keys([2, 3], .authorities)], backups: [1, 3],
            findings: "breaks-at-renewal:note"),
        Row(
            name: "a leaf's key in the list of CAs", pins: [key(1), key(2)], matches: [(0, 0), (1, 1)],
            conditions: [keys([0, 1], .authorities)], until: 900, end: .intermediateExpiry, noPinAfter: 900,
            findings: "pins-end:warning"),
        Row(
            name: "every certificate of the chain", pins: [key(1), key(2), key(3), key(7)],
            matches: [(0, 0), (1, 1), (2, 2)], conditions: [keys([0, 1, 2, 3], .everywhere)], noPinAfter: 90,
            findings: "breaks-at-renewal:warning",
            message: "every key of the chain pinned: breaks at the next renewal, on or before 2027-04-15; no backup"),
        Row(
            name: "a chain with one that is not pinned", pins: [key(1), key(2)], matches: [(0, 0), (1, 1)],
            conditions: [keys([0, 1], .everywhere)], until: nil, end: nil),
    ]

    @Test(arguments: rows) func anOutlookIsWhatThePinsComeTo(_ row: Row) {
        let outlook = row.facts.outlook()
        #expect(outlook.pinsMatchUntil == row.until.map(day) && outlook.end == row.end)
        #expect(outlook.noPinAfter == row.noPinAfter.map(day))
        #expect(outlook.backups == row.backups && outlook.hasBackup == row.hasBackup ?? !row.backups.isEmpty)
        #expect(outlook.pinsExpire == row.pinsExpire.map(day) && outlook.validUntil == day(90))
        #expect(outlook.findings.map { "\($0.id):\($0.level.rawValue)" }.joined(separator: " ") == row.findings)
        if let message = row.message { #expect(outlook.findings.first?.message == message) }
    }

    @Test func everyPinHasItsPlaceAndItsEnd() {
        let pins = Row(name: "", pins: [Self.key(1), Self.key(7)]).facts.outlook().pins
        #expect(pins.map(\.depth) == [0, nil] && pins.map(\.until) == [day(90), nil])
        #expect(pins.map(\.isCompared) == [true, true])
        let misplaced = Row(name: "", pins: [Self.key(1)], conditions: [Self.keys([0], .authorities)])
        #expect(misplaced.facts.outlook().pins.map(\.depth) == [nil])
    }

    private static let week = days(7)
    private static let month = days(30)

    @Test(
        arguments: [
            (59, month, week, []), (61, month, week, ["expires-soon:warning"]),
            (84, month, week, ["expires-soon:fail"]), (84, nil, week, ["expires-soon:fail"]),
            (84, nil, nil, ["expires-soon:warning"]), (75, nil, nil, []),
            (70, .percent(33), nil, ["expires-soon:warning"]),
            (20, Self.days(885), nil, ["expires-soon:warning", "expires-soon:warning"]),
            // What has expired is for the verdict to say.
            (91, month, week, []),
        ] as [(Int64, Threshold?, Threshold?, [String])]) func everyCertificateOfThePathIsHeldAgainstTheLimits(
            at time: Int64, warn: Threshold?, fail: Threshold?, expected: [String]
        )
    {
        let row = Row(
            name: "", pins: [], matches: [], at: time, limits: OutlookRules(warnBefore: warn, failBefore: fail))
        #expect(row.facts.outlook().findings.map { "\($0.id):\($0.level.rawValue)" } == expected)
    }

    @Test func theLastTwoDaysAreCountedInHours() {
        let row = Row(name: "", pins: [], matches: [], at: 89, limits: OutlookRules(failBefore: Self.week))
        let outlook = row.facts.outlook()
        #expect(outlook.level == .fail)
        #expect(
            outlook.findings.first?.message
                == "leaf (depth 0) expires in 24 h, on 2027-04-15T08:00:00Z, less than 7d from now")
    }

    @Test(arguments: [(90, 60), (47, 31), (10, 5), (7, 3), (365, 243)] as [(Int64, Int64)])
    func theUsualRenewalPointIsToldByTheDocument(days: Int64, usualDay: Int64) {
        var facts = Row(name: "", pins: [], matches: []).facts
        facts.path = [certificate("leaf", by: "R", number: 1, from: 0, to: days)]
        let point = facts.outlook().renewalPoint ?? day(0)
        #expect(point >= day(usualDay) && point < day(usualDay + 1))
        #expect(facts.outlook().findings.isEmpty)
    }

    @Test func allPathsOfAVerdictCount() {
        var facts = Row(name: "", pins: [Self.key(1)]).facts
        let soon = certificate("J", by: "R", number: 4, from: 0, to: 20)
        facts.path = [Self.leaf]
        facts.restsOn = [[Self.leaf, soon, Self.root], [Self.leaf]]
        facts.rules.failBefore = Self.days(15)
        let outlook = facts.outlook()
        #expect(outlook.validUntil == day(20))
        #expect(outlook.findings.first?.message == "J (depth 1) expires in 10 d, on 2027-02-04, less than 15d from now")
    }

    @Test func aClientThatDoesNotMindDatesIsPromisedNoEnd() {
        var facts = Row(name: "", pins: [Self.key(1)], at: 80).facts
        facts.restsOn = []
        facts.rules.failBefore = Self.days(15)
        let outlook = facts.outlook()
        #expect(outlook.validUntil == nil)
        #expect(
            outlook.findings[0].message
                == "leaf (depth 0) expires in 10 d, on 2027-04-15, less than 15d from now; the client does not mind")
        #expect(outlook.findings.contains { $0.message.contains("with a new key, due by 2027-04-15; no backup") })
    }

    @Test func aKeyInUseElsewhereIsNoBackup() {
        var facts = Row(name: "", pins: [Self.key(1), Self.key(7)]).facts
        facts.inUse.insert(Self.key(7).spkiSHA256)
        let outlook = facts.outlook()
        #expect(!outlook.hasBackup && outlook.backups.isEmpty && outlook.noPinAfter == day(90))
    }

    @Test func theWorstOfSeveralClientsCountsInWhateverOrder() throws {
        let pins = [Self.key(1), Self.key(3), Self.key(7)]
        let limits = OutlookRules(minPinLife: Self.days(200))
        let anywhere = Row(name: "", pins: pins, matches: [(0, 0), (1, 2)], pinsExpire: 50, limits: limits).facts
            .outlook()
        let leafAlone = Row(
            name: "", pins: pins, matches: [(0, 0), (1, 2)], conditions: [Self.keys([0, 1], .leaf)], limits: limits
        ).facts.outlook()
        func worst(_ outlooks: [(judge: String, outlook: Outlook)]) -> Outlook? {
            Outlook.worst(of: outlooks) { $0.joined(separator: ", ") }
        }
        let both = [("a", anywhere), ("b", leafAlone)]
        let outlook = try #require(worst(both))
        let other = try #require(worst(both.reversed()))
        #expect(Set(outlook.findings) == Set(other.findings) && outlook.level == other.level)
        #expect(outlook.pinsMatchUntil == day(90) && outlook.end == .leafRenewal && !outlook.hasBackup)
        #expect(outlook.pinsExpire == day(50) && outlook.noPinAfter == day(90))
        #expect(outlook.pins.map(\.isCompared) == [true, true, true])
        #expect(
            outlook.findings.map(\.message) == [
                "b: no configured pin is sure to match after 2027-04-15, less than 200d from now",
                "b: leaf key pinned: breaks at the next renewal with a new key, on or before 2027-04-15; no backup",
                "a: the pins expire on 2027-03-06: from then on the client accepts any trusted chain",
            ])
        #expect(worst([]) == nil)
        // What all say is said once, and of nobody by name.
        #expect(worst([("b", leafAlone), ("c", leafAlone)])?.findings == leafAlone.findings)
    }
}
