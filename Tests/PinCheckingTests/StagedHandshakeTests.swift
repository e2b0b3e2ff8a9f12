import LoopbackLab
import Pinning
import Testing
import X509

@testable import PinChecking
@testable import TLSProbe

/// Handshakes that the OpenSSL at hand may not be able to make, given to the judge as values.
@Suite struct StagedHandshakeTests {
    static func handshake(_ group: ConnectionFacts.Choice = (0x001D, "X25519")) throws -> Handshake {
        Handshake(
            facts: ConnectionFacts(
                .tls13, (0x1301, "TLS_AES_128_GCM_SHA256"), group: group, signature: (0x0403, "ecdsa_secp256r1_sha256")),
            presented: try #require(
                PresentedChain(try [pki.leaf, pki.interA].map { try CertificateReader.certificate(der: $0.der) })),
            timings: ProbeTimings(resolve: nil, connect: .zero, proxy: nil, handshake: .zero))
    }

    private func judge(_ client: String, on device: String, _ first: Handshake, _ answer: Asking? = nil) throws
        -> JudgedChain
    {
        let files = try TemporaryDirectory()
        var settings = CheckRequest.Judging()
        settings.trust.anchors = [try files.write(pki.rootA.pem, to: "root.pem")]
        settings.clients = .named([try Client(client)])
        settings.devices = [device]
        var policies = Policies(environment: [:])
        let policy = try policies.policy(settings, for: ReferenceName("api.example.com"))
        let stack = try #require(policy.stacks(for: nil).first ?? nil)
        return policy.judge(
            first.presented, for: ReferenceName("api.example.com"), at: Timestamp(secondsSinceEpoch: LabClock.now),
            on: first, answer.map { [stack.offer: $0] } ?? [:])
    }

    private static let hybrid: ConnectionFacts.Choice = (TLSStack.hybrid, "X25519MLKEM768")

    /// Rows 21 and 23: the hybrid group alone, which refuses every other offer, or beside X25519.
    @Test(
        arguments: [
            ("trustkit", "ios-26", nil, "trusted-without-pins"), ("trustkit", "ios-18", "alert 40", "handshake"),
            ("okhttp", "android-9", "alert 40", "handshake"), ("okhttp", "android-14", nil, "handshake-uncertain"),
            ("okhttp", "android-14", "X25519", "trusted-without-pins"),
            ("trustkit", "ios-18", "X25519", "trusted-without-pins"),
        ] as [(String, String, String?, String)]) func theHybridGroupIsJudgedByRelease(
            client: String, device: String, answer: String?, end: String
        ) throws
    {
        let client = client == "trustkit" ? "nspinneddomains" : client
        let asking: Asking? =
            switch answer {
            case nil: nil
            case "X25519": .judgedOn(try Self.handshake())
            case let how?: .refused(.byServer(how))
            }
        let judged = try judge(client, on: device, try Self.handshake(Self.hybrid), asking)
        let isUncertain = judged.findings.contains { $0.kind == .handshakeUncertain }
        #expect(isUncertain == (end == "handshake-uncertain"))
        #expect(judged.clients[0].isAccepted == (end != "handshake"))
        if end == "handshake" {
            #expect(judged.clients[0].reason.id == end && judged.clients[0].handshake == nil)
            #expect(judged.clients[0].reason.message.contains("X25519MLKEM768") == (device == "ios-18"))
        }
    }

    /// A wrong answer saves nobody: what is outside the offer rejects, whoever says that it was asked for.
    @Test func theJudgeItselfHoldsEveryHandshakeAgainstTheOffer() throws {
        let other = try Self.handshake(Self.hybrid)
        for answer in [nil, .judgedOn(other), .refused(.byServer("alert 40"))] as [Asking?] {
            let judged = try judge("android", on: "android-9", other, answer)
            #expect(judged.clients[0].isAccepted == false && judged.clients[0].reason.id == "handshake")
        }
        let error = ProbeError(.handshake, .deadlineExceeded(timeout: .seconds(1)), target: "a.example:443")
        let unanswered = try judge("android", on: "android-9", other, .unanswered(error))
        #expect(unanswered.clients[0].isAccepted == nil && unanswered.clients[0].reason.id == "timeout")
        #expect(unanswered.clients.ending(in: unanswered.policy, at: unanswered.view.time).outcome == .unreachable)
    }

    @Test(arguments: [
        (ProbeError.Reason.alert(TLSAlert(number: 40)), true), (.closedEarly(received: 0), true), (.reset, true),
        (.deadlineExceeded(timeout: .seconds(1)), false), (.keyNotProven, false),
        (.tlsFailure("internal error"), false), (.tooMuchData(limit: 1), false),
    ]) func onlyAnAnswerToTheOfferIsARefusal(reason: ProbeError.Reason, isRefusal: Bool) {
        #expect((ProbeError(.handshake, reason, target: "a").refusal != nil) == isRefusal)
        #expect(ProbeError(.connect, reason, target: "a").refusal == nil)
    }
}
