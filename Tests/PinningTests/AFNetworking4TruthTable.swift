import Base
import Pinning
import Testing

/// The truth table of the semantics, A1.1, exhaustively: every combination of settings and facts against the formula there.
@Suite struct AFNetworking4TruthTable {
    struct Facts: Sendable, CustomTestStringConvertible {
        let mode: AFSecurityPolicy.PinningMode
        let allowInvalid: Bool
        let validatesName: Bool
        let isNameGiven: Bool
        let hasPins: Bool
        /// T: valid with the system's roots. A: valid with the pins as anchors. K: a key of the chain is pinned.
        let systemValid: Bool
        let pinnedValid: Bool
        let keyPinned: Bool

        var testDescription: String {
            "\(mode) inv=\(allowInvalid) dom=\(validatesName) d=\(isNameGiven) n=\(hasPins) T=\(systemValid) A=\(pinnedValid) "
                + "K=\(keyPinned)"
        }

        var isAccepted: Bool {
            let isGuarded = allowInvalid && validatesName && isNameGiven && (mode == .none || !hasPins)
            guard !isGuarded else { return false }
            return switch mode {
            case .none: allowInvalid || systemValid
            case .publicKey: hasPins && (allowInvalid || systemValid) && keyPinned
            case .certificate: hasPins && (allowInvalid || systemValid) && pinnedValid
            }
        }
    }

    static let all: [Facts] = AFSecurityPolicy.PinningMode.allCases.flatMap { mode in
        (0..<128).map { bits in
            Facts(
                mode: mode, allowInvalid: bits & 1 != 0, validatesName: bits & 2 != 0, isNameGiven: bits & 4 != 0,
                hasPins: bits & 8 != 0, systemValid: bits & 16 != 0, pinnedValid: bits & 32 != 0,
                keyPinned: bits & 64 != 0)
        }
    }

    @Test(arguments: all) func eachRowComesOutAsTheTableSays(_ facts: Facts) throws {
        let leaf = Certificate.fake(1)
        let root = Certificate.fake(2)
        // A pinned certificate whose key is on the chain, or a stranger with a key of its own.
        let pinned = facts.keyPinned ? Certificate.fake(3, key: 2) : Certificate.fake(3)
        let verifier = FakeVerifier(
            systemPaths: facts.systemValid ? [[leaf, root]] : [],
            pinnedPaths: facts.pinnedValid ? [[leaf, pinned]] : [], bestEffort: [leaf, root])
        let client = AFNetworking(
            policy: AFSecurityPolicy(
                mode: facts.mode, allowInvalidCertificates: facts.allowInvalid, validatesDomainName: facts.validatesName
            ))
        let observation = ServerView(
            presented: try #require(PresentedChain([leaf])),
            referenceName: facts.isNameGiven ? ReferenceName("api.example.com") : .unchecked,
            time: Timestamp(secondsSinceEpoch: 10))
        let pins = facts.hasPins ? PinSet([Pin(.certificate(pinned), at: .named("test"))]) : nil
        let verdict = client.decide(observation, pins: pins, verifier: verifier)
        #expect(verdict.isAccepted == facts.isAccepted, "\(verdict.reason.id)")
        // Whatever was skipped is named, and nothing that was skipped counts as passed.
        if !facts.validatesName, verdict.isAccepted {
            #expect(verdict.trace.contains { $0.id == "name" && $0.status == .skip })
            #expect(verdict.warnings.contains { $0.id == "name-not-checked" })
        }
        #expect(verdict.trace.map(\.number) == Array(1...verdict.trace.count))
        if verdict.isAccepted { #expect(!verdict.trace.contains { $0.status == .fail }) }
        if !verdict.isAccepted { #expect(verdict.trace.contains { $0.status == .fail }) }
    }

    /// Of AFNetworking 4, `AppleVectors` say so with vector 136.
    @Test(arguments: [2, 3] as [UInt8]) func afNetworking25CallsPinsThatHoldOnOnePathOnlyPathDependent(authority: UInt8)
        throws
    {
        let leaf = Certificate.fake(1)
        let verifier = FakeVerifier(systemPaths: [[leaf, .fake(2)], [leaf, .fake(3)]])
        let client = AFNetworking(
            policy: AFSecurityPolicy(mode: .publicKey, validatesDomainName: false), validatesCertificateChain: true)
        let observation = ServerView(
            presented: try #require(PresentedChain([leaf])), referenceName: .unchecked,
            time: Timestamp(secondsSinceEpoch: 10))
        func verdict(_ pinned: [Certificate]) -> Verdict {
            let pins = PinSet(pinned.map { Pin(.certificate($0), at: .named("test")) })
            return client.decide(observation, pins: pins, verifier: verifier)
        }
        let one = verdict([leaf, .fake(authority)])
        #expect(one.isAccepted == (authority == 2))
        #expect(one.warnings.map(\.id).contains("path-dependent"), "\(one.trace)")
        let both = verdict([leaf, .fake(2), .fake(3)])
        #expect(both.isAccepted && !both.warnings.map(\.id).contains("path-dependent"), "\(both.trace)")
    }
}
