import LoopbackLab
import Pinning
import Testing
import X509

@Suite("A staple is read when the issuer answers for it, and for nothing but its certificate") struct StapleTests {
    private static let now = LabClock.now
    private let pki: StandardPKI
    private let leaf: LabCertificate

    init() throws {
        pki = try .shared()
        leaf = try pki.interA.issue(CertificateTemplate.leaf("a.example").with { $0.serialNumber = [0x12, 0x34] })
    }

    private func read(_ bytes: [UInt8], leaf: LabCertificate? = nil, issuer: LabCertificate? = nil) throws -> Staple {
        try StapleReader.read(
            bytes, leaf: CertificateReader.certificate(der: (leaf ?? self.leaf).der),
            issuer: CertificateReader.certificate(der: (issuer ?? pki.interA).der),
            time: Timestamp(secondsSinceEpoch: Self.now))
    }

    private func problem(_ bytes: [UInt8], leaf: LabCertificate? = nil, issuer: LabCertificate? = nil) -> StapleError
        .Problem?
    {
        do {
            _ = try read(bytes, leaf: leaf, issuer: issuer)
            return nil
        } catch let error as StapleError {
            #expect(!error.description.contains("\n"))
            return error.problem
        } catch {
            Issue.record(error)
            return nil
        }
    }

    private func responder(_ change: (inout CertificateTemplate) -> Void = { _ in }) throws -> LabCertificate {
        try pki.interA.issue(
            CertificateTemplate.leaf(subject: "Responder", names: []).with {
                $0.extendedKeyUsage = [OID(1, 3, 6, 1, 5, 5, 7, 3, 9)]
                change(&$0)
            })
    }

    @Test func `one whose responder has a key that costs too much to read is not read`() throws {
        let key = try LabKey.shared(.p256Described(isCompressed: true), label: "staple")
        let responder = try pki.interA.issue(.leaf(subject: "Responder", names: []), key: key)
        let response = StatusResponse().with { $0.responder = responder }
        #expect(try problem(response.der(about: leaf, from: pki.interA)) == .costly)
    }

    @Test(arguments: StatusResponse.NameDigest.allCases) func `a good one says from when to when`(
        digest: StatusResponse.NameDigest
    ) throws {
        let response = StatusResponse().with {
            $0.digest = digest
            $0.thisUpdate = Self.now - 100
            $0.nextUpdate = Self.now + 100
        }
        let staple = try read(response.der(about: leaf, from: pki.interA))
        #expect(staple.status == .good)
        #expect(staple.thisUpdate.secondsSinceEpoch == Self.now - 100)
        #expect(staple.nextUpdate?.secondsSinceEpoch == Self.now + 100)
        #expect(staple.timestamps == nil)
        for (seconds, isCurrent) in [(-101, false), (-100, true), (100, true), (101, false)] as [(Int64, Bool)] {
            #expect(staple.isCurrent(at: Timestamp(secondsSinceEpoch: Self.now + seconds)) == isCurrent)
        }
    }

    @Test func `one without an end is current from its beginning on`() throws {
        let staple = try read(StatusResponse().with { $0.nextUpdate = nil }.der(about: leaf, from: pki.interA))
        #expect(staple.nextUpdate == nil)
        #expect(staple.isCurrent(at: Timestamp(secondsSinceEpoch: Self.now + 10 * LabClock.year)))
    }

    @Test func `one that is overtaken is read all the same`() throws {
        let old = StatusResponse().with {
            $0.thisUpdate = Self.now - 9 * LabClock.day
            $0.nextUpdate = Self.now - LabClock.day
        }
        let staple = try read(old.der(about: leaf, from: pki.interA))
        #expect(!staple.isCurrent(at: Timestamp(secondsSinceEpoch: Self.now)))
    }

    @Test func `a revocation has its moment and its reason`() throws {
        let at = Self.now - LabClock.day
        let revoked = StatusResponse().with { $0.status = .revoked(at: at, reason: 1) }
        let moment = Timestamp(secondsSinceEpoch: at)
        #expect(try read(revoked.der(about: leaf, from: pki.interA)).status == .revoked(at: moment, reason: 1))
        let bare = StatusResponse().with { $0.status = .revoked(at: at, reason: nil) }
        #expect(try read(bare.der(about: leaf, from: pki.interA)).status == .revoked(at: moment, reason: nil))
        let unknown = StatusResponse().with { $0.status = .unknown }
        #expect(try read(unknown.der(about: leaf, from: pki.interA)).status == .unknown)
    }

    @Test func `timestamps in it are read`() throws {
        let log = try LabLog()
        let list = LabLog.list([try log.timestamp(for: .certificate(leaf.der))])
        let staple = try read(StatusResponse().with { $0.timestamps = list }.der(about: leaf, from: pki.interA))
        #expect(staple.timestamps?.timestamps.map(\.source) == [.staple])
        #expect(staple.timestamps?.timestamps.map(\.logID.bytes) == [log.id])
        let broken = try read(StatusResponse().with { $0.timestamps = [1] }.der(about: leaf, from: pki.interA))
        #expect(broken.timestamps == TimestampList(timestamps: [], unreadable: 1))
    }

    @Test func `a responder that the issuer made for it may sign`() throws {
        let responder = try responder()
        let response = StatusResponse().with { $0.responder = responder }
        #expect(try read(response.der(about: leaf, from: pki.interA)).status == .good)
    }

    @Test func `nobody else may sign`() throws {
        let foreign = try StandardPKI()
        let others: [LabCertificate] = [
            // A server's certificate, one that has expired, and strangers.
            try pki.interA.issue(.leaf("b.example")), try responder { $0 = $0.expired() }, pki.rogueI, pki.junk,
            foreign.interA,
        ]
        for other in others {
            let response = StatusResponse().with { $0.responder = other }
            #expect(problem(try response.der(about: leaf, from: pki.interA)) == .notSigned, "\(other.subject)")
        }
        var altered = try StatusResponse().der(about: leaf, from: pki.interA)
        altered[altered.count - 5] ^= 1
        #expect(problem(altered) == .notSigned)
    }

    @Test func `of several answers a revocation counts that is current, and then what else is`() throws {
        let good = StatusResponse()
        let revoked = StatusResponse().with { $0.status = .revoked(at: Self.now - 100, reason: 1) }
        let unknown = StatusResponse().with { $0.status = .unknown }
        let old = StatusResponse().with {
            $0.thisUpdate = Self.now - 20 * LabClock.day
            $0.nextUpdate = Self.now - 10 * LabClock.day
        }
        let oldRevoked = old.with { $0.status = revoked.status }
        let otherwiseNamed = revoked.with { $0.digest = .sha256 }
        let status = Staple.Status.revoked(at: Timestamp(secondsSinceEpoch: Self.now - 100), reason: 1)
        let cases: [([StatusResponse], Staple.Status)] = [
            ([good, revoked], status), ([revoked, good], status), ([good, otherwiseNamed], status),
            ([unknown, revoked], status), ([old, revoked], status), ([oldRevoked, good], .good), ([old, good], .good),
            ([good, unknown], .good), ([unknown, good], .unknown),
            (Array(repeating: good, count: 299) + [revoked], status),
        ]
        for (answers, wanted) in cases {
            let response = answers[0].with { $0.others = Array(answers.dropFirst()) }
            #expect(try read(response.der(about: leaf, from: pki.interA)).status == wanted)
        }
        // One whose date is in the year 10000, which has no encoding.
        let damaged = good.with { $0.thisUpdate = 253_402_300_800 }
        let beside = try [damaged.with { $0.others = [revoked] }, revoked.with { $0.others = [damaged] }].map {
            try read($0.der(about: leaf, from: pki.interA)).status
        }
        #expect(beside == [status, status])
        let hidden = good.with { $0.others = [damaged] }
        #expect(try problem(hidden.der(about: leaf, from: pki.interA)) == .brokenDate)
    }

    @Test func `an answer about another certificate says nothing about this one`() throws {
        let bytes = try StatusResponse().der(about: leaf, from: pki.interA)
        #expect(problem(bytes, leaf: pki.leaf) == .aboutOthers)
        #expect(problem(bytes, issuer: pki.rootA) == .aboutOthers)
        // The same key and name: the answer holds for it too.
        #expect(problem(bytes, issuer: pki.interA2) == nil)
    }

    @Test func `what is no response is refused`() throws {
        let whole = try StatusResponse().der(about: leaf, from: pki.interA)
        for bytes in [[], [0x30], Array(whole.dropLast()), whole + [0], Array(whole.dropFirst()), leaf.der] {
            #expect(problem(bytes) == .damaged)
        }
        #expect(problem([UInt8](repeating: 0x30, count: StapleReader.sizeLimit + 1)) == .tooLarge)
        #expect(problem(StatusResponse.refusal(status: 3)) == .refused(status: 3))
    }

    @Test(arguments: Seeds.sample(2)) func `random damage never crashes the reader, and never makes a good one of it`(
        seed: UInt64
    ) throws {
        let revoked = StatusResponse().with { $0.status = .revoked(at: Self.now - 100, reason: 1) }
        let original = try revoked.der(about: leaf, from: pki.interA)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<700 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            if let staple = try? read(bytes) {
                #expect(staple.status == .revoked(at: Timestamp(secondsSinceEpoch: Self.now - 100), reason: 1))
            }
        }
    }
}
