import LoopbackLab
import Pinning
import Testing
import X509

/// Compares the DANE client with OpenSSL's own on random worlds.
///
/// They may differ in one way only: OpenSSL builds one path and does not turn back. Then it must accept when it is given nothing but
/// the path and the record that were found here.
@Suite("The DANE client decides as OpenSSL's own does") struct DANEOracleTests {
    /// What a number of cases came to.
    private struct Tally {
        var accepted = 0
        var rejected = 0
        var retried = 0
    }

    /// In the last three an anchor has the name of an authority below it and another key, twice, and a certificate that a record holds
    /// whole leads to another root than those presented.
    @Test(arguments: [0, 1, 2, 3, 4, 5, 397_839_498, 397_839_514, 397_839_237] as [UInt64])
    func `OpenSSL accepts nothing more, and turning back is all there is to accepting more`(seed: UInt64) async throws {
        _ = try await tally(seed: seed)
    }

    /// The comparison is worth something only when both verdicts are common and mostly the same.
    @Test func `the cases have verdicts of both kinds`() async throws {
        let tally = try await tally(seed: 8)
        #expect(tally.accepted > 12)
        #expect(tally.rejected > 12)
        #expect(tally.retried < 12)
    }

    private func tally(seed: UInt64) async throws -> Tally {
        var generator = SeededGenerator(seed: seed)
        var tally = Tally()
        for number in 0..<60 {
            try compare(Case(using: &generator), &tally, "seed \(seed), case \(number)")
            // Tests with deadlines run on the same threads.
            await Task.yield()
        }
        return tally
    }

    @Test func `a record of usage 2 for the leaf itself names no authority`() throws {
        let pki = try StandardPKI.shared()
        let record = try #require(
            TLSARecord(usage: .trustAnchor, selector: .publicKey, matching: .sha256, data: pki.leaf.publicKeySHA256))
        let observation = try Observation([pki.leaf, pki.interA, pki.leaf], name: StandardPKI.serverName)
        let verdict = try DANE(records: [record]).evaluate(observation, pins: nil, verifier: Self.verifier)
        #expect(verdict.reason == .pinMismatch)
    }

    @Test func `a bare key is looked for on every path, and a certificate of that key counts with its dates`() throws {
        let hidden = try LabCertificate.selfSigned(.authority("Hidden"))
        let other = try LabCertificate.selfSigned(.authority("Other"))
        let below = try hidden.issue(.authority("CA"))
        // The same authority, on a longer path to elsewhere.
        let cross = try LabCertificate.selfSigned(.authority("Elsewhere")).issue(.authority("Other"), key: other.key)
        let crossed = try other.issue(.authority("CA"), key: below.key)
        let leaf = try below.issue(.leaf(RandomPKI.serverName))
        let key = hidden.key.publicKeyInfo
        let record = try #require(TLSARecord(usage: .trustAnchor, selector: .publicKey, matching: .full, data: key))
        let client = try DANE(records: [record])
        for presented in [[leaf, below], [leaf, crossed, cross, other, below], [leaf, below, cross, crossed]] {
            let verdict = client.evaluate(try Observation(presented), pins: nil, verifier: Self.verifier)
            #expect(verdict.reason == .pinMatched(PinMatch(pinIndex: 0, depth: 1)))
            #expect(verdict.builtChain.certificates == [try leaf.value(), try below.value()])
        }
        let none = client.evaluate(try Observation([leaf, crossed, cross]), pins: nil, verifier: Self.verifier)
        #expect(none.reason == .pinMismatch)
        let expired = try LabCertificate.selfSigned(.authority("Hidden").expired(), key: hidden.key)
        let late = client.evaluate(try Observation([leaf, below, expired]), pins: nil, verifier: Self.verifier)
        guard case .untrusted(let failures) = late.reason else {
            Issue.record("\(late.reason)")
            return
        }
        #expect(failures.map(\.id) == ["expired"])
    }

    @Test func `of two hashes only the stronger counts`() throws {
        let pki = try StandardPKI.shared()
        let observation = try Observation([pki.leaf], name: StandardPKI.serverName)
        let short = try #require(
            TLSARecord(usage: .leaf, selector: .publicKey, matching: .sha256, data: pki.leaf.publicKeySHA256))
        let long = try #require(
            TLSARecord(
                usage: .leaf, selector: .publicKey, matching: .sha512,
                data: Self.verifier.sha512(of: pki.leaf2.key.publicKeyInfo)))
        let alone = try DANE(records: [short]).evaluate(observation, pins: nil, verifier: Self.verifier)
        #expect(alone.isAccepted)
        let both = try DANE(records: [short, long]).evaluate(observation, pins: nil, verifier: Self.verifier)
        #expect(!both.isAccepted)
    }

    private static let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: []))

    /// A server, a device and records.
    private struct Case {
        let presented: [LabCertificate]
        let anchors: [LabCertificate]
        let records: [TLSARecord]

        init(using generator: inout some RandomNumberGenerator) throws {
            let pki = try RandomPKI(using: &generator)
            presented = try pki.presented(using: &generator)
            anchors = pki.anchors(using: &generator)
            let targets = [pki.leaf] + pki.authorities + pki.roots
            var records: [TLSARecord] = []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let usage = TLSARecord.Usage.allCases.randomElement(using: &generator)!
                let isForLeaf = (usage == .leaf || usage == .leafConstraint) && generator.chance(80)
                let target = isForLeaf ? pki.leaf : targets.randomElement(using: &generator)!
                records.append(try Self.record(usage, target, using: &generator))
            }
            self.records = records
        }

        private static func record(
            _ usage: TLSARecord.Usage, _ target: LabCertificate, using generator: inout some RandomNumberGenerator
        ) throws -> TLSARecord {
            let selector = TLSARecord.Selector.allCases.randomElement(using: &generator)!
            let matching = TLSARecord.Matching.allCases.randomElement(using: &generator)!
            let selected = selector == .certificate ? target.der : target.key.publicKeyInfo
            var data =
                switch matching {
                case .full: selected
                case .sha256: selector == .certificate ? target.sha256 : target.publicKeySHA256
                case .sha512: DANEOracleTests.verifier.sha512(of: selected)
                }
            if matching != .full, generator.chance(15) { data[0] ^= 1 }
            return try #require(TLSARecord(usage: usage, selector: selector, matching: matching, data: data))
        }
    }

    private func compare(_ item: Case, _ tally: inout Tally, _ place: Comment) throws {
        let verifier = OpenSSLPathVerifier(trustStore: try TrustStore(item.anchors))
        let observation = try Observation(item.presented)
        let ours = try DANE(records: item.records).evaluate(observation, pins: nil, verifier: verifier)
        let theirs = try opinion(
            on: observation.presented.certificates, item.anchors.map { try $0.value() }, item.records)
        if ours.isAccepted { tally.accepted += 1 } else { tally.rejected += 1 }
        switch (ours.isAccepted, theirs.isAccepted) {
        case (true, true), (false, false): break
        case (true, false):
            tally.retried += 1
            let path = ours.builtChain.certificates
            guard case .pinMatched(let match) = ours.reason else {
                Issue.record("\(place): accepted without a record: \(ours.reason)")
                return
            }
            let record = item.records[match.pinIndex]
            // Usages 2 and 3 need no root, and OpenSSL holds no record of usage 2 against a root it took from the store.
            let needsRoot = record.usage == .authorityConstraint || record.usage == .leafConstraint
            let again = try opinion(on: path, needsRoot ? path.suffix(1) : [], [record])
            #expect(again.isAccepted, "\(place): accepted, which OpenSSL never does: \(again.error)")
        case (false, true): Issue.record("\(place): rejected as \(ours.reason), which OpenSSL accepts")
        }
    }

    private func opinion(on presented: [Certificate], _ anchors: some Collection<Certificate>, _ records: [TLSARecord])
        throws -> DANEOracle.Opinion
    {
        try DANEOracle.opinion(
            on: presented, anchors: Array(anchors), records: records, name: RandomPKI.serverName, at: RandomPKI.now)
    }
}
