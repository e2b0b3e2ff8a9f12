/// AFNetworking 3 and 4: `-[AFSecurityPolicy evaluateServerTrust:forDomain:]`.
///
/// Certificate mode makes the pinned certificates the only anchors, so a pinned root accepts every certificate it ever issues for
/// the host. Public-key mode with `allowInvalidCertificates` looks at the key and at nothing else.
public struct AFNetworking4: ClientProcedure {
    /// The versions, which decide alike but for the answer to the challenge.
    public enum Version: String, Sendable, Hashable, CaseIterable {
        /// 4.0.0 – 4.0.1: a rejected challenge is cancelled.
        case v4 = "afnetworking"
        /// 3.0.0 – 3.2.1: a rejected challenge's protection space is rejected.
        case v3 = "afnetworking-3"
    }

    /// The settings of the app.
    public let policy: AFSecurityPolicy
    /// The version of AFNetworking.
    public let version: Version

    /// The name users choose this client by.
    public var name: String { version.rawValue }

    /// AFNetworking with the settings of an app.
    public init(policy: AFSecurityPolicy, version: Version = .v4) {
        self.policy = policy
        self.version = version
    }

    /// Apple's.
    public var platform: Platform? { .apple() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        switch policy.mode {
        case .none: .nothing
        case .publicKey: .keys(of: pins, at: .anywhere)
        case .certificate: .certificates(of: pins)
        }
    }

    /// Keys that Apple's system hands out as `SecKey`.
    public func takes(_ key: PublicKey) -> Bool { key.algorithm.hasSecKey }

    /// Decides as AFNetworking does, step by step in its order.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = AFNetworkingRun(
            policy, observation, pins: pins, verifier: verifier, platform: platform,
            rejection: version == .v3 ? .rejectProtectionSpace : .cancelAuthenticationChallenge)
        if let refusal = refusal(&run) { return refusal }
        run.describePolicy()
        let system = run.evaluate()
        guard policy.mode != .none else { return run.withoutPinning(system) }
        if let rejection = run.requireSystemTrust(system) { return rejection }
        return policy.mode == .certificate ? comparingCertificates(&run, system) : comparingPublicKeys(&run, system)
    }

    /// The guard against a domain that nothing could be validated against.
    private func refusal(_ run: inout AFNetworkingRun<some PathVerifier>) -> Verdict? {
        guard run.run.isNameGiven, policy.allowInvalidCertificates, policy.validatesDomainName,
            policy.mode == .none || run.pinCount == 0
        else {
            run.run.pass("settings", "mode \(policy.mode.rawValue), \(run.pinWords)")
            return nil
        }
        run.run.fail(
            "settings",
            "allowInvalidCertificates with validatesDomainName needs a pinning mode and pins: every server is refused")
        return run.verdict(
            .refusedSettings("In order to validate a domain name for self signed certificates, you MUST use pinning."),
            on: run.run.leafAlone)
    }

    /// The pinned certificates are the only anchors, and one of them must be on the chain.
    private func comparingCertificates(
        _ run: inout AFNetworkingRun<some PathVerifier>, _ system: TrustResult
    ) -> Verdict {
        switch run.requirePinnedTrust(system) {
        case .ended(let verdict): return verdict
        case .trusted(let pinned):
            let verdict = run.run.compare(on: pinned, what: "certificate") { $0.certificateMatches(on: $1) }
            return run.verdict(verdict.reason, on: verdict.builtChain, reaching: run.reach(of: pinned))
        }
    }

    /// Any key of the chain, which with allowInvalidCertificates need not be a valid one.
    private func comparingPublicKeys(_ run: inout AFNetworkingRun<some PathVerifier>, _ system: TrustResult) -> Verdict
    {
        guard run.run.pins != nil else { return run.withoutPins(system) }
        run.warnOfUncheckedValidity()
        let chain = run.chainOfKeys(system)
        if let crash = run.crash(onKeysOf: chain.builtChain) { return crash }
        let verdict = run.run.compare(on: chain, what: "public key")
        return run.verdict(verdict.reason, on: verdict.builtChain)
    }
}
