/// The decision procedure of one client, which needs only a ``ServerView``, pins and a ``PathVerifier``: online and
/// offline verdicts cannot differ.
package protocol ClientProcedure: Sendable {
    /// The platform whose rules the client's trust evaluations keep; `nil` if the verifier's own rules count.
    var platform: Platform? { get }

    func platform(on release: PlatformRelease) -> Platform?
    func stack(on release: PlatformRelease) -> TLSStack?

    /// The comparison of pins before a server presents a chain, for forecasts and keys without a certificate.
    func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison

    func evaluate(_ run: inout ProcedureRun) -> Verdict
}

extension ClientProcedure {
    package func platform(on release: PlatformRelease) -> Platform? { platform?.running(on: release) }
    package func stack(on release: PlatformRelease) -> TLSStack? {
        platform(on: release).map { TLSStack(of: $0.family, on: release) }
    }

    /// Decides as the client does, after the platform's TLS and before App Transport Security, which may both refuse.
    package func decide(
        _ view: ServerView, pins: PinSet?, verifier: any PathVerifier, in app: AppleApp? = nil
    ) -> Verdict {
        var run = ProcedureRun(view, pins: pins, verifier: verifier, platform: platform(on: view.release))
        let stack = stack(on: view.release)
        guard let failure = view.handshakeFailure(of: stack, on: run.platform) else {
            run.tellHandshake(within: stack)
            var verdict = evaluate(&run)
            if !verdict.isAccepted, view.presented.leaf.publicKey.algorithm.isOfNewerOpenSSL, let pins,
                !(view.presented.certificates + verdict.builtChain.certificates).contains(where: pins.isPinned)
            {
                verdict.reason = .pinMismatch
            }
            return app.map { run.transportSecurity(of: $0, after: verdict) } ?? verdict
        }
        run.fail(failure.id, failure.description)
        run.skip("trust", "not judged: the handshake has ended")
        return run.reject([failure], on: run.leafAlone)
    }
}

package struct ServerView {
    package var presented: PresentedChain
    package let referenceName: ReferenceName
    package var time: Timestamp
    /// The certificates of ``PathQuestion/fetchable`` without the pinned ones.
    package let fetchable: [Certificate]
    package var release: PlatformRelease
    /// The evidence that came with the leaf; `nil` if it was not read, so that no rule for evidence applies.
    package var evidence: LeafEvidence?
    /// The handshake; `nil` if the chain came without one.
    package let connection: ConnectionFacts?
    /// The refusal of the client's offer; `nil` if the server accepted it or was not asked.
    package var refusal: HandshakeRefusal?
    /// `false` if only the verdict matters: findings on other systems are left out.
    package var tellsOfOthers = true

    package init(
        presented: PresentedChain, referenceName: ReferenceName, time: Timestamp, fetchable: [Certificate] = [],
        release: PlatformRelease = .newest, evidence: LeafEvidence? = nil, connection: ConnectionFacts? = nil
    ) {
        (self.presented, self.referenceName, self.time) = (presented, referenceName, time)
        (self.fetchable, self.release) = (fetchable, release)
        (self.evidence, self.connection) = (evidence, connection)
    }

    /// The failure of the client's TLS before any other judgement: a handshake outside its offer, then the key usage.
    func handshakeFailure(of stack: TLSStack?, on platform: Platform?) -> TrustFailure? {
        let leaf = presented.leaf
        if let stack, let lack = stack.lacks(connection, leaf.publicKey).first {
            return TrustFailure(.handshake(stack.words(for: lack, connection, refusal)), at: 0, of: leaf)
        }
        return platform?.keyUsageFailure(of: leaf, on: connection)
    }
}

/// The reason why a client cannot be set up: its app would fail at its start, so there cannot be a verdict.
public struct ClientConfigurationError: Error, Hashable, CustomStringConvertible {
    /// The client's name.
    public let client: String
    /// The mistake and its remedy, in one line.
    public let message: String

    package init(client: String, message: String) { (self.client, self.message) = (client, message) }

    /// The client and the message.
    public var description: String { "\(client): \(message)" }
}
