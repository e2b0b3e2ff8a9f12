/// The decision procedure of one client, which says whether it would go on with a server.
///
/// A procedure is a value with the settings its users know. It decides from what was observed, the pins and the paths a
/// ``PathVerifier`` finds, so that online and offline verdicts cannot differ.
public protocol ClientProcedure: Sendable {
    /// The name users choose the client by, as in `afnetworking`.
    var name: String { get }

    /// The platform whose rules the client's trust evaluations keep, `nil` for a client that has none of its own.
    var platform: Platform? { get }

    /// The same on a version of a device's system.
    func platform(on release: PlatformRelease) -> Platform?

    /// What the client compares with its pins for a server, and for how long: what is said of the time ahead rests on it.
    ///
    /// - Returns: the conditions that pins have to fulfil, whatever the server presents.
    func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison

    /// Whether it can take a server's key of this kind and compare it, whatever certificate has it.
    func takes(_ key: PublicKey) -> Bool

    /// Decides about the server that was observed.
    func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict
}

extension ClientProcedure {
    /// Most clients run on one platform.
    public func platform(on release: PlatformRelease) -> Platform? { platform?.running(on: release) }

    /// Most clients compare the hash of any key.
    public func takes(_ key: PublicKey) -> Bool { true }
}

/// What a client knows of a server when it decides.
public struct ServerView: Sendable, Hashable {
    /// The certificates the server sent.
    public let presented: PresentedChain
    /// The name the certificate must be valid for.
    public let referenceName: ReferenceName
    /// The moment of the decision.
    public let time: Timestamp
    /// Certificates at hand that stand for what a platform would fetch (RFC 5280, 4.2.2.1), besides the pinned ones.
    public let fetchable: [Certificate]
    /// The version of the device's system.
    public let release: PlatformRelease
    /// What came along with the leaf, `nil` where nobody looked: then no rule about it is applied.
    public let evidence: LeafEvidence?
    /// What the handshake settled, `nil` for a chain that came without one.
    public let connection: ConnectionFacts?

    /// An observation made at `time`.
    ///
    /// - Parameters:
    ///   - presented: the certificates the server sent.
    ///   - referenceName: the name the certificate must be valid for.
    ///   - time: the moment of the decision.
    ///   - fetchable: certificates that stand for what a platform would fetch.
    ///   - release: the version of the device's system.
    ///   - evidence: what came along with the leaf.
    ///   - connection: what the handshake settled.
    public init(
        presented: PresentedChain, referenceName: ReferenceName, time: Timestamp, fetchable: [Certificate] = [],
        release: PlatformRelease = .newest, evidence: LeafEvidence? = nil, connection: ConnectionFacts? = nil
    ) {
        self.presented = presented
        self.referenceName = referenceName
        self.time = time
        self.fetchable = fetchable
        self.release = release
        self.evidence = evidence
        self.connection = connection
    }

    /// The same on another version of a device's system.
    public func running(on release: PlatformRelease) -> ServerView {
        ServerView(
            presented: presented, referenceName: referenceName, time: time, fetchable: fetchable, release: release,
            evidence: evidence, connection: connection)
    }
}

extension ClientProcedure {
    /// Decides as the client does, which its platform's TLS may leave nothing to decide: whatever it is set to.
    public func decide(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        let platform = platform(on: observation.release)
        guard let failure = platform?.handshakeFailure(of: observation.presented.leaf, on: observation.connection)
        else { return evaluate(observation, pins: pins, verifier: verifier) }
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        run.fail("key-usage", failure.description)
        run.skip("trust", "not judged: the handshake has ended")
        run.skip("pins", "not compared: the client rejects before that")
        return run.verdict(.untrusted([failure]), on: run.leafAlone)
    }
}
