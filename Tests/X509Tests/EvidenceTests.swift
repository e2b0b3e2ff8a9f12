import LoopbackLab
import Pinning
import Testing
import X509

extension LeafEvidence.Staple {
    fileprivate var problem: String? { if case .unusable(let why) = self { why } else { nil } }
}

@Suite("A staple is read when the issuer answers for it, and for nothing but its certificate") struct StapleTests {
    private static let now = LabClock.now
    private let leaf = try! pki.interA.issue(
        CertificateTemplate.leaf("a.example").with { $0.serialNumber = [0x12, 0x34] })

    private func read(_ bytes: [UInt8], leaf: LabCertificate? = nil, issuer: LabCertificate? = nil) throws
        -> LeafEvidence.Staple
    {
        StapleReader.read(
            bytes, leaf: try x509(leaf ?? self.leaf), issuer: try x509(issuer ?? pki.interA),
            time: Timestamp(secondsSinceEpoch: Self.now))
    }

    private func read(_ response: StatusResponse) throws -> LeafEvidence.Staple {
        try read(response.der(about: leaf, from: pki.interA))
    }

    private func responder(_ change: (inout CertificateTemplate) -> Void = { _ in }) throws -> LabCertificate {
        try pki.interA.issue(
            CertificateTemplate.leaf(subject: "Responder", names: []).with {
                $0.extendedKeyUsage = [OID(1, 3, 6, 1, 5, 5, 7, 3, 9)]
                change(&$0)
            })
    }

    @Test func oneWhoseResponderHasAKeyThatCostsTooMuchToReadIsNotRead() throws {
        let key = try LabKey.shared(.p256Described, label: "staple")
        let responder = try pki.interA.issue(.leaf(subject: "Responder", names: []), key: key)
        let response = StatusResponse().with { $0.responder = responder }
        #expect(try read(response).problem?.contains("keys of odder forms") == true)
    }

    @Test func oneAnswerThatIsCurrentSaysThatTheCertificateIsGood() throws {
        #expect(try read(StatusResponse()) == .good)
        // Clocks differ by a quarter of an hour, and one without an end is of its own moment.
        let cases: [(from: Int64, to: Int64?, problem: String?)] = [
            (890, LabClock.day, nil), (910, LabClock.day, "is not valid before"), (-LabClock.day, -890, nil),
            (-LabClock.day, -910, "expired at"), (-890, nil, nil), (-910, nil, "has no end of validity"),
        ]
        for (from, to, wanted) in cases {
            let response = StatusResponse().with {
                $0.thisUpdate = Self.now + from
                $0.nextUpdate = to.map { Self.now + $0 }
            }
            let found = try read(response).problem
            #expect(wanted.map { found?.contains($0) ?? false } ?? (found == nil), "\(from): \(found ?? "good")")
        }
        #expect(try read(StatusResponse().with { $0.digest = .sha256 }).problem?.contains("by SHA-1") == true)
        #expect(try read(StatusResponse().with { $0.status = .unknown }).problem?.contains("does not know") == true)
    }

    @Test func aRevocationHasItsMomentAndItsReason() throws {
        let at = Self.now - LabClock.day
        let moment = Timestamp(secondsSinceEpoch: at)
        for reason in [1, nil] as [UInt8?] {
            let revoked = StatusResponse().with { $0.status = .revoked(at: at, reason: reason) }
            #expect(try read(revoked) == .revoked(at: moment, reason: reason.map(Int.init)))
        }
    }

    @Test func aResponderThatTheIssuerMadeForItMaySign() throws {
        let responder = try responder()
        #expect(try read(StatusResponse().with { $0.responder = responder }) == .good)
    }

    @Test func nobodyElseMaySign() throws {
        let foreign = try StandardPKI()
        let others: [LabCertificate] = [
            try pki.interA.issue(.leaf("b.example")), try responder { $0 = $0.expired() }, pki.rogueI, pki.junk,
            foreign.interA,
        ]
        for other in others {
            let response = StatusResponse().with { $0.responder = other }
            #expect(try read(response).problem?.contains("is not signed by") == true, "\(other.subject)")
        }
        var altered = try StatusResponse().der(about: leaf, from: pki.interA)
        altered[altered.count - 5] ^= 1
        #expect(try read(altered).problem?.contains("is not signed by") == true)
    }

    @Test func ofSeveralAnswersARevocationCountsAndNothingElse() throws {
        let good = StatusResponse()
        let revoked = StatusResponse().with { $0.status = .revoked(at: Self.now - 100, reason: 1) }
        let unknown = StatusResponse().with { $0.status = .unknown }
        let old = StatusResponse().with {
            $0.thisUpdate = Self.now - 20 * LabClock.day
            $0.nextUpdate = Self.now - 10 * LabClock.day
        }
        let oldRevoked = old.with { $0.status = revoked.status }
        let endless = oldRevoked.with { $0.nextUpdate = nil }
        // One whose date is in the year 10000, which has no encoding.
        let damaged = good.with { $0.thisUpdate = 253_402_300_800 }
        let several = "the staple has 2 answers, but only one is expected"
        let cases: [([StatusResponse], problem: String?)] = [
            ([good, revoked], nil), ([revoked, good], nil), ([good, revoked.with { $0.digest = .sha256 }], nil),
            ([unknown, revoked], nil), ([old, revoked], nil), ([good, endless], nil), ([damaged, revoked], nil),
            ([revoked, damaged], nil), (Array(repeating: good, count: 299) + [revoked], nil), ([oldRevoked], nil),
            ([oldRevoked, good], nil), ([old, good], several), ([good, unknown], several), ([good, good], several),
            ([good, damaged], "the staple has a malformed date"),
        ]
        let status = LeafEvidence.Staple.revoked(at: Timestamp(secondsSinceEpoch: Self.now - 100), reason: 1)
        for (answers, problem) in cases {
            let response = answers[0].with { $0.others = Array(answers.dropFirst()) }
            #expect(try read(response) == problem.map { .unusable($0) } ?? status)
        }
    }

    @Test func anAnswerAboutAnotherCertificateSaysNothingAboutThisOne() throws {
        let bytes = try StatusResponse().der(about: leaf, from: pki.interA)
        for found in try [read(bytes, leaf: pki.leaf), read(bytes, issuer: pki.rootA)].map(\.problem) {
            #expect(found == "the staple is about another certificate")
        }
        #expect(try read(bytes, issuer: pki.interA2) == .good)
    }

    @Test func whatIsNoResponseIsRefused() throws {
        let whole = try StatusResponse().der(about: leaf, from: pki.interA)
        for bytes in [[], [0x30], Array(whole.dropLast()), whole + [0], Array(whole.dropFirst()), leaf.der] {
            #expect(try read(bytes).problem?.hasPrefix("the staple is not a whole OCSP response") == true)
        }
        let large = [UInt8](repeating: 0x30, count: StapleReader.sizeLimit + 1)
        #expect(try read(large).problem?.contains("larger than 64 KiB") == true)
        #expect(try read(StatusResponse.refusal(status: 3)).problem?.contains("'tryLater'") == true)
    }
}

@Suite("Timestamps in certificates are read as they are, and nothing else is") struct TransparencyTests {
    static let logs = [LabLog(), LabLog(), LabLog()]

    private func read(_ extensions: [CertificateTemplate.Extension]) throws -> [[UInt8]] {
        let template = CertificateTemplate.leaf("a.example").with { $0.additionalExtensions = extensions }
        let issued = try pki.interA.issue(template)
        return EmbeddedTimestamps.of(try x509(issued)).map(\.logID.bytes)
    }

    @Test func thoseInACertificateAreReadInTheirOrder() throws {
        let issued = try pki.interA.issue(.leaf("a.example"), loggedBy: Self.logs, milliseconds: 1_700_000_000_123)
        let timestamps = EmbeddedTimestamps.of(try x509(issued))
        #expect(timestamps.map(\.logID.bytes) == Self.logs.map(\.id))
        #expect(timestamps.allSatisfy { $0.time == Timestamp(secondsSinceEpoch: 1_700_000_000) })
        #expect(try read([]).isEmpty)
    }

    @Test func oneThatCannotBeReadTakesNoOtherAlongAndOfManyTwentyCount() throws {
        let good = Self.logs[0].timestamp()
        var newer = good
        newer[0] = 1
        let bad = [newer, good + [0], Array(good.dropLast()), [0]]
        #expect(EmbeddedTimestamps.timestamps(in: LabLog.list(bad + [good])).map(\.logID.bytes) == [Self.logs[0].id])
        let many = LabLog.list([[0]] + [[UInt8]](repeating: good, count: 500))
        #expect(EmbeddedTimestamps.timestamps(in: many).count == 19)
    }

    @Test func aListOrAnExtensionThatIsDamagedOrThereTwiceCountsAsNone() throws {
        let timestamp = Self.logs[0].timestamp()
        let whole = LabLog.list([timestamp])
        var long = whole
        long[3] += 1
        for bytes in [
            [], [0], [0, 0], LabLog.list([[]]), LabLog.list([timestamp, []]), Array(whole.dropLast()), whole + [0],
            long, Array(whole.dropFirst()),
        ] {
            #expect(EmbeddedTimestamps.timestamps(in: bytes).isEmpty, "\(bytes.count) bytes")
            #expect(try read([LabLog.certificateExtension(bytes)]).isEmpty)
        }
        let good = LabLog.certificateExtension(whole)
        #expect(try read([good]) == [Self.logs[0].id])
        let bare = CertificateTemplate.Extension(good.identifier, value: whole)
        let padded = CertificateTemplate.Extension(good.identifier, value: good.value + [0])
        for extensions in [[good, good], [bare], [padded]] { #expect(try read(extensions).isEmpty) }
    }
}

@Suite struct IssuerPlacesTests {
    private func places(_ value: [UInt8]) throws -> [String] {
        let template = CertificateTemplate.leaf("a.example").with {
            $0.additionalExtensions = [.init(OID(1, 3, 6, 1, 5, 5, 7, 1, 1), value: value)]
        }
        let issued = try pki.interA.issue(template)
        return IssuerPlaces.all(in: try x509(issued))
    }

    /// An AccessDescription: 1 for OCSP, 2 for caIssuers.
    private func description(_ method: UInt8, _ url: String) -> [UInt8] {
        element(0x30, [0x06, 0x08, 0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, method], element(0x86, Array(url.utf8)))
    }

    @Test func thoseOfCaIssuersInTheirOrder() throws {
        let all =
            description(1, "http://ocsp.example") + description(2, "http://a.example/1")
            + description(2, "ldap://b.example")
        #expect(try places(element(0x30, all)) == ["http://a.example/1", "ldap://b.example"])
    }

    @Test func noneWithoutTheExtensionOrWithADamagedOne() throws {
        #expect(IssuerPlaces.all(in: try x509(pki.leaf)).isEmpty)
        #expect(try places([0x30, 0x05, 0x01]).isEmpty)
        #expect(try places([]).isEmpty)
    }
}
