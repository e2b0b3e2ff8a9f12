import LoopbackLab
import PinFormats
import Pinning
import Testing
import X509

@testable import PinChecking

/// The one function that decides how a check ends, over all that it is asked with.
@Suite struct EndingTests {
    private static let accepted = Ending(.accepted, Reason("pin-matched", "a pin matched"))
    private static let rejected = Ending(.rejected, Reason("pin-mismatch", "no pin matched"))
    private static let unreachable = Ending(.unreachable, Reason("refused", "connect: refused"))
    private static let notSetUp = Ending(.notSetUp, Reason("not-configured", "no client"))
    private static let unjudged = Ending.unjudged
    private static let all = [accepted, rejected, unreachable, notSetUp, unjudged]

    private static let now = Timestamp(secondsSinceEpoch: LabClock.now)
    private static let warning = Finding.warning(.nameNotChecked, "take care")

    private static func outlook(_ level: Finding.Level) -> Outlook {
        Outlook(
            pins: [], pinsMatchUntil: nil, end: nil, noPinAfter: nil, hasBackup: false, pinsExpire: nil,
            validUntil: nil, renewalPoint: nil,
            findings: [Finding(.pinsExpire, level, "the end is near", of: "end", on: Timestamp(secondsSinceEpoch: 0))],
            comparesPins: false)
    }

    private static func changes(_ kind: Change.Kind?, allowing allowed: Set<Change.Kind> = []) -> BaselineChanges {
        BaselineChanges(
            baseline: "old.json", recorded: nil, comparedWith: nil,
            changes: kind.map { [Change(kind: $0, old: nil, new: nil)] } ?? [], allowed: allowed)
    }

    @Test func withoutAnythingElseTheClientsDecide() {
        #expect(Self.all.map { Ending($0).outcome } == [.accepted, .rejected, .unreachable, .notSetUp, .unjudged])
        #expect(Self.all.allSatisfy { Ending($0).reason == $0.reason })
    }

    @Test func nothingTurnsARejectionIntoAnythingElse() {
        for verdict in [Self.rejected, Self.unreachable, Self.notSetUp] {
            for failsOnWarning in [false, true] {
                for level in [Finding.Level.note, .warning, .fail] {
                    for change in [Self.changes(nil), Self.changes(.rekeyed)] {
                        let ending = Ending(
                            verdict, outlook: Self.outlook(level), changes: change, warnings: [Self.warning],
                            failsOnWarning: failsOnWarning)
                        #expect(ending == Ending(verdict))
                    }
                }
            }
        }
    }

    /// What an acceptance comes to, by outlook, change, warning, and whether warnings are told by the outcome.
    @Test(arguments: [
        (Finding.Level.note, Change.Kind?.none, false, false, Outcome.accepted, "pin-matched"),
        (.note, nil, true, false, .accepted, "pin-matched"),
        (.note, nil, true, true, .needsAttention, "name-not-checked"),
        (.note, nil, false, true, .accepted, "pin-matched"), (.warning, nil, false, false, .accepted, "pin-matched"),
        (.warning, nil, false, true, .needsAttention, "pins-expire"),
        (.warning, nil, true, true, .needsAttention, "pins-expire"),
        (.warning, .rekeyed, true, true, .changed, "changed"), (.note, .rekeyed, true, false, .changed, "changed"),
        (.fail, nil, false, false, .endsTooSoon, "pins-expire"),
        (.fail, .rekeyed, true, true, .endsTooSoon, "pins-expire"),
    ]) func anAcceptanceEndsAsItsTimeItsChangesAndItsWarningsSay(
        level: Finding.Level, change: Change.Kind?, hasWarning: Bool, failsOnWarning: Bool, outcome: Outcome,
        reason: String
    ) {
        let ending = Ending(
            Self.accepted, outlook: Self.outlook(level), changes: Self.changes(change),
            warnings: hasWarning ? [Self.warning] : [], failsOnWarning: failsOnWarning)
        #expect(ending.outcome == outcome)
        #expect(ending.reason.id == reason)
        #expect(ending.reason.message.hasPrefix("accepted, but ") == (outcome != .accepted))
        #expect((ending.told != nil) == (reason == "pins-expire"))
    }

    @Test func aChangeThatIsAllowedChangesNothingButWhatIsSaidOfAnUnjudgedChain() {
        let change = Self.changes(.rekeyed, allowing: [.rekeyed])
        #expect(Ending(Self.accepted, changes: change) == Ending(Self.accepted))
        let unjudged = Ending(Self.unjudged, changes: change)
        #expect(unjudged.outcome == .unjudged && unjudged.reason.id == "changed-as-allowed")
        #expect(Ending(Self.unjudged, changes: Self.changes(nil)).reason.id == "unchanged")
        #expect(Ending(Self.unjudged, changes: Self.changes(.rekeyed)).outcome == .changed)
    }

    @Test func anAnswerIsAskedForOfAnAcceptanceAlone() {
        let objection = Reason("unexpected-status", "GET / is answered by 503", remedy: .raiseTimeout)
        for verdict in Self.all where verdict != Self.accepted {
            #expect(Ending(verdict, objection: objection) == Ending(verdict))
        }
        // What is the case now goes before all that is ahead, changed, or deserves attention.
        for level in [Finding.Level.note, .warning, .fail] {
            for failsOnWarning in [false, true] {
                let ending = Ending(
                    Self.accepted, objection: objection, outlook: Self.outlook(level), changes: Self.changes(.rekeyed),
                    warnings: [Self.warning], failsOnWarning: failsOnWarning)
                #expect(ending.outcome == .answersOtherwise)
                #expect(ending.reason.id == "unexpected-status")
                #expect(ending.reason.message == "accepted, but GET / is answered by 503")
                #expect(ending.reason.remedy == .raiseTimeout)
                #expect(ending.told == nil)
            }
        }
        let shown = Ending(Self.accepted, counts: false, objection: objection)
        #expect(shown.outcome == .needsAttention && shown.reason.id == "unexpected-status")
        #expect(Ending(Self.rejected, counts: false, objection: objection).reason == Self.rejected.reason)
    }

    @Test func whatIsShownForComparisonCanOnlyAskForAttention() {
        for verdict in Self.all {
            let ending = Ending(verdict, counts: false)
            #expect(ending.outcome == (verdict == Self.accepted ? .accepted : .needsAttention))
            #expect(ending.reason == verdict.reason)
        }
        let changed = Ending(Self.rejected, counts: false, changes: Self.changes(.rekeyed))
        #expect(changed.outcome == .needsAttention && changed.reason.id == "changed")
        let ending = Ending(Self.accepted, counts: false, outlook: Self.outlook(.fail))
        #expect(ending.outcome == .needsAttention && ending.reason.id == "pins-expire")
    }

    @Test func aDeviceOnWhichNobodyJudgesIsNoVerdict() throws {
        let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: []))
        let devices = DeviceData.builtIn.devices.filter { ["ios-26", "android-17"].contains($0.name) }.map {
            JudgedDevice(device: $0, trust: .device, verifier: verifier, verifierWithInstalledRoots: verifier)
        }
        let client = try ConfiguredClient(
            ClientInput(client: .generic, afSecurityPolicy: AFSecurityPolicy(mode: .none), pins: nil))
        let policy = HostPolicy(SettingsPolicy(devices: devices), clients: [client], pins: nil)
        let verdict = Verdict(
            reason: .trustedWithoutPins, disposition: .performDefaultHandling, trace: [],
            builtChain: .unverified([try CertificateReader.certificate(der: pki.leaf.der)]), restsOn: [], matches: [])
        let verdicts = devices.map { device in
            ClientVerdict(client, on: device, in: policy, (verdict, Reason("pin-matched", "it is"), nil, nil))
        }
        #expect(verdicts.count == 2 && verdicts.ending(in: policy, at: Self.now).outcome == .accepted)
        for verdict in verdicts {
            let ending = [verdict].ending(in: policy, at: Self.now)
            #expect(ending.outcome == .notSetUp && ending.reason.id == "not-configured")
        }
    }

    @Test func aClientThatCannotBeSetUpKeepsItsHintsAndWhatWouldMendIt() throws {
        let client = try ConfiguredClient(
            ClientInput(client: .okhttp, afSecurityPolicy: AFSecurityPolicy(mode: .none), pins: nil))
        let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: []))
        let device = JudgedDevice(device: nil, trust: .system, verifier: verifier, verifierWithInstalledRoots: verifier)
        let policy = HostPolicy(SettingsPolicy(devices: [device]), clients: [client], pins: nil)
        let reason = Reason("not-configured", "no roots", hints: ["look again"], remedy: .giveRoots)
        let absent = ClientVerdict(client, on: device, in: policy, (nil, reason, nil, nil))
        #expect([absent].ending(in: policy, at: Self.now) == Ending(.notSetUp, reason))
        let both = [absent, absent].ending(in: policy, at: Self.now).reason
        #expect(both.message == "okhttp cannot be set up: no roots; look again" && both.remedy == .giveRoots)
    }
}
