/// The steps that the versions of `AFSecurityPolicy` share.
struct AFNetworkingRun<Verifier: PathVerifier> {
    let policy: AFSecurityPolicy
    let rejection: ChallengeDisposition
    var run: ProcedureRun<Verifier>

    init(
        _ policy: AFSecurityPolicy, _ observation: ServerView, pins: PinSet?, verifier: Verifier, platform: Platform?,
        rejection: ChallengeDisposition = .cancelAuthenticationChallenge
    ) {
        self.policy = policy
        self.rejection = rejection
        run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
    }

    var pinCount: Int { run.pins?.pins.count ?? 0 }

    /// The number of pins in words, as in `1 pin`.
    var pinWords: String { pinCount == 1 ? "1 pin" : "\(pinCount) pins" }

    /// Evaluates under the policy the settings stand for.
    func evaluate(anchors: Anchors = .trustStore) -> TrustResult { run.evaluate(trustPolicy, anchors: anchors) }

    /// The chain whose keys are compared: the system's, or with allowInvalidCertificates the best effort.
    func chainOfKeys(_ system: TrustResult) -> TrustResult {
        policy.allowInvalidCertificates ? run.extendingBestEffort(of: system, under: trustPolicy) : system
    }

    /// The chain up to the last pinned certificate, all of which are anchors.
    func reach(of pinned: TrustResult) -> BuiltChain {
        run.reach(of: pinned, under: trustPolicy, anchoredAt: run.pins?.certificates ?? [])
    }

    private var trustPolicy: TrustPolicy { policy.validatesDomainName ? run.serverPolicy : .basicX509 }

    /// Says which rules the chain is held against.
    mutating func describePolicy() {
        if policy.validatesDomainName {
            let name = run.isNameGiven ? ", name \(run.observation.referenceName)" : ""
            run.pass("policy", "rules for TLS servers" + name)
            if !run.isNameGiven { run.skipMissingName() }
        } else {
            run.pass("policy", "basic X.509 rules (validatesDomainName is off)")
            run.skip("name", "validatesDomainName is off")
            run.warn(
                "name-not-checked",
                "validatesDomainName is off: the name, the extended key usage and the strength of keys go unchecked")
        }
    }

    /// Records a trust evaluation, with the name as a step of its own where the policy has one.
    mutating func record(_ result: TrustResult, id: String = "trust", leadsTo end: String = "a trusted root") {
        if policy.validatesDomainName {
            run.recordServerTrust(result, id: id, leadsTo: end)
        } else {
            run.recordTrust(result, id: id, leadsTo: end)
        }
    }

    /// Mode none: the system's verdict, or none at all.
    mutating func withoutPinning(_ system: TrustResult) -> Verdict {
        if policy.allowInvalidCertificates {
            run.skip("trust", "allowInvalidCertificates without pinning: any certificate is accepted")
            run.skip("pins", "mode none compares no pins")
            run.warn("everything-accepted", "these settings accept every server, an interceptor's too")
            return verdict(.everythingAccepted, on: system.builtChain)
        }
        record(system)
        run.skip("pins", "mode none compares no pins")
        return verdict(system.isTrusted ? .trustedWithoutPins : .untrusted(system.failures), on: system.builtChain)
    }

    /// The system's opinion, which counts unless allowInvalidCertificates is set.
    mutating func requireSystemTrust(_ system: TrustResult) -> Verdict? {
        if policy.allowInvalidCertificates {
            run.skip("trust", "allowInvalidCertificates: the system's opinion of the chain does not count")
            return nil
        }
        record(system)
        guard !system.isTrusted else { return nil }
        run.skip("pins", "not compared: the client rejects before that")
        hintAtPrivateAuthority(system)
        return verdict(.untrusted(system.failures), on: system.builtChain)
    }

    /// Makes the pinned certificates the only anchors.
    ///
    /// - Returns: the evaluation, or the verdict when the procedure ends here.
    mutating func requirePinnedTrust(_ system: TrustResult) -> PinnedTrust {
        guard let pins = run.pins, !pins.certificates.isEmpty else { return .ended(withoutPins(system)) }
        if pins.certificates.count < pins.pins.count {
            run.warn(
                "hash-pins-ignored", "certificate mode compares certificates: the pins that are hashes are ignored")
        }
        let pinned = evaluate(anchors: .only(pins.certificates))
        record(pinned, id: "pinned-trust", leadsTo: "a pinned certificate")
        guard !pinned.isTrusted else { return .trusted(pinned) }
        run.fail("pins", "no valid path ends at a pinned certificate")
        run.warnOfPresentedPins(system.builtChain)
        let isMismatch = pinned.failures.allSatisfy(\.isMissingAnchor)
        return .ended(verdict(isMismatch ? .pinMismatch : .untrusted(pinned.failures), on: system.builtChain))
    }

    /// What came of the pinned certificates as anchors.
    enum PinnedTrust {
        case trusted(TrustResult)
        case ended(Verdict)
    }

    /// Says what public-key mode leaves unchecked with allowInvalidCertificates.
    mutating func warnOfUncheckedValidity() {
        guard policy.allowInvalidCertificates else { return }
        if policy.validatesDomainName, run.isNameGiven {
            run.skip("name", "public-key mode with allowInvalidCertificates never looks at the name")
        }
        run.warn(
            "validity-not-checked",
            "public-key mode with allowInvalidCertificates checks neither trust nor dates nor the name, only the key")
    }

    /// Public-key mode gathers the keys of the whole chain before it compares one, and a kind of key that Apple's system does not
    /// hand out ends the app: `nil` is put into an array.
    mutating func crash(onKeysOf chain: BuiltChain) -> Verdict? {
        guard let odd = chain.certificates.first(where: { !$0.publicKey.algorithm.hasSecKey }) else { return nil }
        let key = "the \(odd.publicKey.algorithm) key of \(odd)"
        run.fail("pins", "Apple's system hands out no SecKey for \(key), and AFNetworking crashes on that")
        return verdict(
            .clientError(
                name: "NSInvalidArgumentException", message: "AFNetworking crashes on \(key): it takes RSA and EC keys"),
            on: chain)
    }

    mutating func withoutPins(_ system: TrustResult) -> Verdict {
        run.fail("pins", "mode \(policy.mode.rawValue) without a pin to compare rejects every server")
        return verdict(.noPins, on: system.builtChain)
    }

    /// A private authority can be pinned in certificate mode only with allowInvalidCertificates: say so when that is the cause.
    private mutating func hintAtPrivateAuthority(_ system: TrustResult) {
        guard policy.mode == .certificate, let certificates = run.pins?.certificates, !certificates.isEmpty,
            // A missing intermediate is the server's fault, and a self-signed leaf has a remedy of its own.
            let first = system.failures.first, first.depth > 0, evaluate(anchors: .only(certificates)).isTrusted
        else { return }
        run.warn(
            "needs-allow-invalid",
            "the chain ends at a pinned certificate, but AFNetworking asks the system first: "
                + "a private authority needs allowInvalidCertificates")
    }

    func verdict(_ reason: Verdict.Reason, on chain: BuiltChain, reaching reach: BuiltChain? = nil) -> Verdict {
        let (pins, reach) = (run.pins, reach ?? chain)
        let matches =
            policy.mode == .certificate ? pins?.certificateMatches(on: reach) : pins?.publicKeyMatches(on: reach)
        return run.verdict(
            reason, on: chain, matches: matches ?? [], disposition: reason.isAcceptance ? .useCredential : rejection,
            reaching: reach)
    }
}
