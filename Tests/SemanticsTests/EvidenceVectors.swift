import LoopbackLab
import Pinning
import Testing
import X509

/// What comes along with a leaf, as the clients judge it on paths that a verifier finds.
@Suite("What comes along with a leaf is judged on the path") struct EvidenceVectors {
    private static let host = StandardPKI.serverName

    private func verdict(
        _ client: some ClientProcedure, logs: Int = 0, staple: LeafEvidence.Staple = .none, isPublic: Bool = true,
        pins: PinSet? = nil
    ) throws -> Verdict {
        let time = Timestamp(secondsSinceEpoch: LabClock.now)
        let timestamps = (0..<logs).map { log in
            SignedCertificateTimestamp(
                logID: SHA256Digest(bytes: [UInt8](repeating: UInt8(log), count: 32))!, time: time)
        }
        let root = try Certificate(pki.rootA)
        let verifier = OpenSSLPathVerifier(
            trustStore: TrustStore(anchors: [AnchorBundle([root])]), isPublicRoot: { isPublic && $0 == root })
        let observation = ServerView(
            presented: PresentedChain(try [pki.leaf, pki.interA].map { try Certificate($0) })!,
            referenceName: ReferenceName(Self.host), time: time,
            evidence: LeafEvidence(timestamps: timestamps, staple: staple, at: time))
        // Twice, because the verifier remembers: other evidence is another question.
        let first = client.decide(observation, pins: pins, verifier: verifier)
        let bare = ServerView(presented: observation.presented, referenceName: observation.referenceName, time: time)
        #expect(client.decide(bare, pins: pins, verifier: verifier).isAccepted)
        #expect(client.decide(observation, pins: pins, verifier: verifier).reason.id == first.reason.id)
        return first
    }

    private var ordinary: AFNetworking {
        AFNetworking(policy: AFSecurityPolicy(mode: .none, allowInvalidCertificates: false))
    }

    @Test func `too few logs below a public root are a rejection with a step of its own`() throws {
        let verdict = try verdict(ordinary, logs: 1)
        #expect(!verdict.isAccepted && verdict.reason.id == "too-few-scts")
        let step = try #require(verdict.trace.first { $0.id == "transparency" })
        #expect(step.status == .fail && step.detail.contains("has SCTs of 1 log, 3 are needed"), "\(step)")
        #expect(step.detail.contains("Apple's platforms"))
    }

    @Test func `enough are told with what is not judged`() throws {
        let verdict = try verdict(ordinary, logs: 3)
        #expect(verdict.isAccepted)
        let step = try #require(verdict.trace.first { $0.id == "transparency" })
        #expect(step.status == .pass && step.detail == "3 SCTs from 3 logs; which logs is not judged")
    }

    @Test func `below anybody's own root none are needed`() throws {
        #expect(try verdict(ordinary, isPublic: false).isAccepted)
    }

    @Test func `a pinned public root is a public root`() throws {
        let pins = PinSet([Pin(.certificate(try Certificate(pki.rootA)), origin: "test")])
        let client = AFNetworking(policy: AFSecurityPolicy(mode: .certificate, allowInvalidCertificates: true))
        #expect(try verdict(client, logs: 2, pins: pins).reason.id == "too-few-scts")
        #expect(try verdict(client, logs: 3, pins: pins).isAccepted)
    }

    @Test func `a revoked leaf is rejected on every path, by those who look`() throws {
        let revoked = LeafEvidence.Staple.revoked(at: Timestamp(secondsSinceEpoch: LabClock.now - 60), reason: 4)
        for isPublic in [true, false] {
            let verdict = try verdict(ordinary, logs: 3, staple: revoked, isPublic: isPublic)
            #expect(verdict.reason.id == "revoked")
            #expect(verdict.trace.contains { $0.id == "revocation" && $0.status == .fail })
        }
    }
}
