import Base
import LoopbackLab
import PinFormats
import Pinning
import Testing
import X509

@testable import PinCheckCLI
@testable import PinChecking

/// Random worlds are moved through time and renewals, and each promise of an outlook is held against what is judged then.
@Suite(.endsSomeTime) struct OutlookPromiseTests {
    private static let clients = [
        "afnetworking", "afnetworking-3", "afnetworking-2.5", "afnetworking-2.5:chain=no", "alamofire",
        "alamofire:accept-self-signed:evaluator=pinned-certificates", "alamofire:evaluator=composite",
        "trustkit:no-enforce", "okhttp", "android", "android:expires=2100-01-01", "nspinneddomains",
        "nspinneddomains:key=leaf", "nspinneddomains:key=ca", "curl", "curl:insecure", "generic",
    ]

    @Test(arguments: Seeds.sample(3)) func everyPromiseIsKept(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<3 {
            let world = try PromiseWorld(using: &generator)
            for client in Self.clients.shuffled(using: &generator).prefix(5) {
                guard let clients = world.clients(client) else { continue }
                try world.holdPromises(of: clients, named: client, seed: seed, using: &generator)
            }
        }
    }

    /// A certificate that is compared whole, of random names and dates: a backup if the client accepts a chain with it then.
    @Test(arguments: Seeds.sample(3)) func aWholeCertificateIsABackupIfItIsAccepted(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<8 {
            let world = try PromiseWorld(wholeUsing: &generator)
            for client in ["afnetworking", "alamofire:evaluator=pinned-certificates", "generic"] {
                guard let clients = world.clients(client) else { continue }
                let report = world.report(world.chain, by: clients, at: world.start)
                let outlook = try #require(report.clients[0].outlook)
                guard let time = outlook.pinsMatchUntil else { continue }
                let isAccepted = world.report(world.spareChain, by: clients, at: time).verdict == .accept
                let isInTime = world.spareEnd > time
                #expect(
                    (outlook.backups == [1]) == (isAccepted && isInTime), "seed \(seed), \(client): \(outlook.pins[1])")
            }
        }
    }

    @Test(arguments: Seeds.sample(4)) func severalClientsArePromisedTheLeastThatEachIs(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let world = try PromiseWorld(using: &generator)
        let names = Array(Self.clients.shuffled(using: &generator).prefix(3)).filter { world.clients($0) != nil }
        guard let together = world.clients(names.joined(separator: ",")),
            let reversed = world.clients(names.reversed().joined(separator: ","))
        else { return }
        let report = world.report(world.chain, by: together, at: world.start)
        let other = world.report(world.chain, by: reversed, at: world.start)
        guard report.verdict == .accept, let outlook = report.outlook else { return }
        #expect(other.outlook?.findings.map(\.message) == outlook.findings.map(\.message), "seed \(seed) \(names)")
        #expect(other.status == report.status && other.reason.message == report.reason.message)
        for name in names {
            let alone = try #require(world.clients(name))
            let own = try #require(world.report(world.chain, by: alone, at: world.start).outlook)
            func isSooner(_ summary: Timestamp?, _ own: Timestamp?) -> Bool {
                guard let own else { return true }
                return summary.map { $0 <= own } ?? false
            }
            #expect(isSooner(outlook.validUntil, own.validUntil), "seed \(seed) \(name)")
            #expect(isSooner(outlook.pinsMatchUntil, own.pinsMatchUntil), "seed \(seed) \(name)")
            #expect(isSooner(outlook.noPinAfter, own.noPinAfter), "seed \(seed) \(name)")
            #expect(isSooner(outlook.pinsExpire, own.pinsExpire), "seed \(seed) \(name)")
            // A client that compares no pin needs none in reserve.
            if own.pinsMatchUntil != nil { #expect(!outlook.hasBackup || own.hasBackup) }
        }
    }
}

/// A server with two roots above it, pins of every place, and what could become of it.
private struct PromiseWorld {
    let start = Timestamp(secondsSinceEpoch: LabClock.now)
    private let roots: [LabCertificate]
    private let inter: LabCertificate
    private let leaf: LabCertificate
    private let spares: [LabCertificate]
    private let pins: PinSet
    let chain: [LabCertificate]

    init(using generator: inout some RandomNumberGenerator) throws {
        func days(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
        roots = try [
            .selfSigned(Self.valid(.authority("Root 1"), from: -100, to: days(60...3_000))),
            .selfSigned(Self.valid(.authority("Root 2"), from: -100, to: 9_000)),
        ]
        inter = try roots[0].issue(Self.valid(.authority("Inter"), from: -50, to: days(30...2_000)))
        leaf = try inter.issue(Self.valid(.leaf("api.example.com"), from: -10, to: days(20...400)))
        let spare = Self.valid(.leaf("api.example.com"), from: -10, to: 800)
        spares = [try inter.issue(spare), try inter.issue(spare)]
        chain = [leaf, inter]
        let isWhole = Bool.random(using: &generator)
        var pinned = [leaf, inter, roots[0]].filter { _ in generator.chanceOfTwoThirds() }
        pinned += spares.filter { _ in Bool.random(using: &generator) }
        if pinned.isEmpty { pinned = [leaf] }
        pins = PinSet(
            values(pinned).map { pin in
                Pin(isWhole ? .certificate(pin) : .publicKey(pin.spkiSHA256), at: .named("test"))
            })!
    }

    /// A world with the leaf's certificate pinned and another one, of random names and dates.
    init(wholeUsing generator: inout some RandomNumberGenerator) throws {
        func days(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
        roots = try [.selfSigned(Self.valid(.authority("Root 1"), from: -100, to: 3_000))]
        inter = try roots[0].issue(Self.valid(.authority("Inter"), from: -50, to: days(30...2_000)))
        leaf = try inter.issue(Self.valid(.leaf("api.example.com"), from: -10, to: days(20...200)))
        let name = Bool.random(using: &generator) ? "api.example.com" : "www.example.org"
        let spare = try inter.issue(Self.valid(.leaf(name), from: days(-300...250), to: days(260...900)))
        (spares, chain) = ([spare], [leaf, inter])
        pins = PinSet(values([leaf, spare]).map { Pin(.certificate($0), at: .named("test")) })!
    }

    var spareChain: [LabCertificate] { [spares[0], inter] }
    var spareEnd: Timestamp { pins.pins[1].certificate!.notAfter }

    private static func valid(_ template: CertificateTemplate, from start: Int64, to end: Int64) -> CertificateTemplate
    { template.valid(from: LabClock.now + start * LabClock.day, to: LabClock.now + end * LabClock.day) }

    /// What the clients that `text` names judge by, `nil` where they cannot be set up with these pins.
    func clients(_ text: String) -> [ConfiguredClient]? {
        let mode: AFSecurityPolicy.PinningMode = pins.certificates.isEmpty ? .publicKey : .certificate
        guard let selection = try? ClientSelection([text]) else { return nil }
        return try? selection.clients.map { client in
            try ConfiguredClient(
                ClientInput(client: client, afSecurityPolicy: AFSecurityPolicy(mode: mode), pins: pins))
        }
    }

    func report(_ chain: [LabCertificate], by clients: [ConfiguredClient], at time: Timestamp) -> Report {
        let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: [AnchorBundle(values(roots))]))
        let policy = HostPolicy(
            SettingsPolicy(devices: [
                JudgedDevice(device: nil, trust: .anchors, verifier: verifier, verifierWithInstalledRoots: verifier)
            ]), clients: clients, pins: pins)
        let result = CheckResult(
            of: PresentedChain(values(chain))!, named: "world", for: ReferenceName("api.example.com"), by: policy,
            at: time)
        return Report(result)
    }

    func holdPromises(
        of clients: [ConfiguredClient], named client: String, seed: UInt64,
        using generator: inout some RandomNumberGenerator
    ) throws {
        let today = report(chain, by: clients, at: start)
        guard today.verdict == .accept, let outlook = today.clients[0].outlook else { return }
        let context =
            "seed \(seed), \(client): \(outlook.findings.map(\.message)), pins at \(outlook.pins.map(\.depth))"
        func isAccepted(_ chain: [LabCertificate], at time: Timestamp) -> Bool {
            report(chain, by: clients, at: time).verdict == .accept
        }
        if let end = outlook.validUntil {
            for time in [end, moment(before: end, using: &generator)] {
                #expect(isAccepted(chain, at: time), "until valid_until; \(context)")
            }
        } else {
            let late = Timestamp(secondsSinceEpoch: LabClock.now + 8_000 * LabClock.day)
            #expect(isAccepted(chain, at: late), "a client that minds no date; \(context)")
        }
        // What renewals keep and break, while the authorities that stay are valid.
        guard today.clients[0].reason.id == "pin-matched", let until = outlook.pinsMatchUntil else { return }
        // What ends before the leaf makes the renewal end there as well.
        guard values([inter, roots[0]]).allSatisfy({ $0.notAfter >= until }) else { return }
        let time = moment(before: until, using: &generator)
        let isReported = client.contains("no-enforce")
        let sameKey = try renewed(leaf, by: inter, at: time)
        let newKey = try renewed(nil, by: inter, at: time)
        let another = try roots[0].issue(CertificateTemplate.authority("Inter 2").around(time))
        let underAnother = try renewed(nil, by: another, at: time)
        let elsewhere = try renewed(nil, by: roots[1], at: time)
        func isHeld(by what: String) -> Bool { outlook.findings.contains { $0.message.contains("\(what) is pinned") } }
        let isWhole = isHeld(by: "leaf certificate")
        let isEach = client == "afnetworking-2.5"
        #expect(isReported || isAccepted([sameKey, inter], at: time) == !isWhole, "same key; \(context)")
        let isLeafs = isWhole || isHeld(by: "leaf's key")
        #expect(isReported || isAccepted([newKey, inter], at: time) == !isLeafs, "new key; \(context)")
        let isRoots = isHeld(by: "the root")
        #expect(
            isReported || isAccepted([underAnother, another], at: time) == isRoots, "another intermediate; \(context)")
        #expect(isReported || !isAccepted([elsewhere], at: time), "another root; \(context)")
        for pin in outlook.backups {
            guard let spare = spares.first(where: { $0.pin == pins.pins[pin].spkiSHA256.description }) else { continue }
            // A certificate that is over by then saves nobody.
            if let certificate = pins.pins[pin].certificate, certificate.notAfter < time { continue }
            if client.contains("key=ca") {
                let authority = try roots[0].issue(CertificateTemplate.authority("Spare").around(time), key: spare.key)
                let below = try renewed(nil, by: authority, at: time)
                #expect(isAccepted([below, authority], at: time), "backup \(pin); \(context)")
                continue
            }
            let deployed = pins.pins[pin].certificate == nil ? try renewed(spare, by: inter, at: time) : spare
            if !isEach { #expect(isAccepted([deployed, inter], at: time), "backup \(pin); \(context)") }
        }
        // --min-pin-life fails where nothing is in reserve.
        if !outlook.hasBackup, !pins.pins.isEmpty { #expect(outlook.noPinAfter != nil, "\(context)") }
    }

    private func moment(before end: Timestamp, using generator: inout some RandomNumberGenerator) -> Timestamp {
        Timestamp(
            secondsSinceEpoch: Int64.random(in: start.secondsSinceEpoch...end.secondsSinceEpoch, using: &generator))
    }

    private func renewed(_ old: LabCertificate?, by issuer: LabCertificate, at time: Timestamp) throws -> LabCertificate
    { try issuer.issue(CertificateTemplate.leaf("api.example.com").around(time), key: old?.key) }
}

private func values(_ certificates: [LabCertificate]) -> [Certificate] {
    certificates.map { try! CertificateReader.certificate(der: $0.der) }
}

extension CertificateTemplate {
    fileprivate func around(_ time: Timestamp) -> CertificateTemplate {
        valid(from: time.secondsSinceEpoch - LabClock.day, to: time.secondsSinceEpoch + 90 * LabClock.day)
    }
}

extension RandomNumberGenerator {
    fileprivate mutating func chanceOfTwoThirds() -> Bool { Int.random(in: 0..<3, using: &self) > 0 }
}
