/// Alamofire 5: `ServerTrustManager` with its evaluators.
///
/// Evaluation stops at the first error, in the order default validation, host validation, pins.
public struct Alamofire: ClientProcedure {
    /// One of Alamofire's evaluators with its parameters.
    public enum Evaluator: Sendable, Hashable {
        /// `DefaultTrustEvaluator`: the system's verdict.
        case systemDefault(validateHost: Bool = true)
        /// `PinnedCertificatesTrustEvaluator`: with `acceptSelfSigned` the pins are the only anchors.
        case pinnedCertificates(
            acceptSelfSigned: Bool = false, performDefaultValidation: Bool = true, validateHost: Bool = true)
        /// `PublicKeysTrustEvaluator`.
        case publicKeys(performDefaultValidation: Bool = true, validateHost: Bool = true)
        /// `CompositeTrustEvaluator`: all must pass.
        case composite([Evaluator])
        /// `DisabledTrustEvaluator`: everything passes.
        case disabled
    }

    /// The evaluator of the host.
    public let evaluator: Evaluator
    /// The hosts that have an evaluator, compared exactly; `nil` when every host has.
    public let evaluatedHosts: Set<String>?
    /// Whether a host without an evaluator is an error.
    public let allHostsMustBeEvaluated: Bool
    /// The host as the URL has it, `nil` for the reference name.
    public let host: String?

    /// The name users choose this client by.
    public var name: String { "alamofire" }

    /// A server trust manager with one evaluator.
    public init(
        _ evaluator: Evaluator, evaluatedHosts: Set<String>? = nil, allHostsMustBeEvaluated: Bool = true,
        host: String? = nil
    ) {
        self.host = host
        self.evaluator = evaluator
        self.evaluatedHosts = evaluatedHosts
        self.allHostsMustBeEvaluated = allHostsMustBeEvaluated
    }

    /// Apple's.
    public var platform: Platform? { .apple() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        if let evaluatedHosts, !evaluatedHosts.contains(name.description) { return .nothing }
        return PinComparison(conditions(of: evaluator, with: pins))
    }

    /// What the pins have to fulfil for `evaluator`, none for one that compares none.
    private func conditions(of evaluator: Evaluator, with pins: PinSet?) -> [PinComparison.Condition] {
        switch evaluator {
        case .systemDefault, .disabled: []
        case .pinnedCertificates: [.certificates(of: pins)]
        case .publicKeys: [.keys(of: pins, at: .anywhere)]
        case .composite(let evaluators): evaluators.flatMap { conditions(of: $0, with: pins) }
        }
    }

    /// Keys that Apple's system hands out as `SecKey`.
    public func takes(_ key: PublicKey) -> Bool { key.algorithm.hasSecKey }

    /// Decides as Alamofire does.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        if let evaluatedHosts {
            let host = host ?? observation.referenceName.description
            guard evaluatedHosts.contains(host) else { return withoutEvaluator(for: host, &run) }
        }
        return evaluate(evaluator, &run)
    }

    private func withoutEvaluator(for host: String, _ run: inout ProcedureRun<some PathVerifier>) -> Verdict {
        if let near = evaluatedHosts?.first(where: { (try? ServerName($0)) == (try? ServerName(host)) }) {
            run.warn(
                "host-never-matches",
                "the evaluator for '\(near)' is not for '\(host)': Alamofire compares names as text")
        }
        guard allHostsMustBeEvaluated else {
            let system = run.evaluate(run.serverPolicy)
            run.recordServerTrust(system)
            run.warn(
                "host-not-evaluated",
                "no evaluator is set for \(host): it falls to default handling, and nothing is pinned")
            let verdict = run.unpinned("no evaluator is set for \(host)", system)
            return run.verdict(verdict.reason, on: verdict.builtChain, disposition: .performDefaultHandling)
        }
        run.fail("evaluator", "no evaluator is set for \(host), and allHostsMustBeEvaluated")
        return run.verdict(
            .clientError(name: "noRequiredEvaluator", message: "a ServerTrustEvaluating value is required for \(host)"),
            on: run.leafAlone)
    }

    private func evaluate(_ evaluator: Evaluator, _ run: inout ProcedureRun<some PathVerifier>) -> Verdict {
        switch evaluator {
        case .systemDefault(let validateHost):
            return validate(true, validateHost, .trustStore, &run).verdict
                ?? run.verdict(.trustedWithoutPins, on: validated(validateHost, .trustStore, run).builtChain)
        case .pinnedCertificates(let acceptSelfSigned, let performDefaultValidation, let validateHost):
            return pinnedCertificates(acceptSelfSigned, performDefaultValidation, validateHost, &run)
        case .publicKeys(let performDefaultValidation, let validateHost):
            return publicKeys(performDefaultValidation, validateHost, &run)
        case .composite(let evaluators): return composite(evaluators, &run)
        case .disabled:
            run.skip("trust", "the evaluator is disabled")
            run.skip("pins", "the evaluator is disabled")
            run.warn("everything-accepted", "a disabled evaluator accepts every server, an interceptor's too")
            return run.verdict(.everythingAccepted, on: run.evaluate(run.serverPolicy).builtChain)
        }
    }

    private func composite(_ evaluators: [Evaluator], _ run: inout ProcedureRun<some PathVerifier>) -> Verdict {
        var last: Verdict?
        for evaluator in evaluators {
            let verdict = evaluate(evaluator, &run)
            guard verdict.isAccepted else { return verdict }
            // A pin that matched says more than an evaluator that compared none.
            if case .pinMatched = last?.reason {} else { last = verdict }
        }
        guard let last else {
            run.warn("everything-accepted", "a composite without evaluators accepts every server")
            return run.verdict(.everythingAccepted, on: run.leafAlone)
        }
        return run.verdict(last.reason, on: last.builtChain, matches: last.matches, reaching: last.reach)
    }

    private func pinnedCertificates(
        _ acceptSelfSigned: Bool, _ performDefaultValidation: Bool, _ validateHost: Bool,
        _ run: inout ProcedureRun<some PathVerifier>
    ) -> Verdict {
        guard let certificates = run.pins?.certificates, !certificates.isEmpty else {
            return missing("noCertificatesFound", "no certificate is pinned", &run)
        }
        if let pins = run.pins, certificates.count < pins.pins.count {
            run.warn("hash-pins-ignored", "this evaluator compares certificates: the pins that are hashes are ignored")
        }
        let anchors: Anchors = acceptSelfSigned ? .only(certificates) : .trustStore
        let end = validate(performDefaultValidation, validateHost, anchors, &run)
        if let verdict = end.verdict { return verdict }
        let verdict = run.compare(on: end.result, what: "certificate") { $0.certificateMatches(on: $1) }
        guard acceptSelfSigned, verdict.isAccepted else { return verdict }
        let policy = validateHost ? run.serverPolicy : TrustPolicy.sslServer(name: .unchecked)
        let reach = run.reach(of: end.result, under: policy, anchoredAt: certificates)
        return run.verdict(
            verdict.reason, on: verdict.builtChain, matches: run.pins?.certificateMatches(on: reach), reaching: reach)
    }

    private func publicKeys(
        _ performDefaultValidation: Bool, _ validateHost: Bool, _ run: inout ProcedureRun<some PathVerifier>
    ) -> Verdict {
        guard let pins = run.pins else { return missing("noPublicKeysFound", "no public key is pinned", &run) }
        let held = pins.indicesOfSecKeys(besides: run.observation.presented.certificates)
        guard !held.isEmpty else {
            return missing("noPublicKeysFound", "no pinned key is RSA or EC, and Alamofire loads no others", &run)
        }
        let end = validate(performDefaultValidation, validateHost, .trustStore, &run)
        return end.verdict
            ?? run.compare(on: end.result, what: "public key") { pins, chain in
                pins.publicKeyMatches(on: chain).filter { held.contains($0.pinIndex) }
            }
    }

    private func missing(_ error: String, _ message: String, _ run: inout ProcedureRun<some PathVerifier>) -> Verdict {
        run.fail("pins", message)
        return run.verdict(.clientError(name: error, message: message), on: run.leafAlone)
    }

    // MARK: Validation

    /// How validation ended: a rejection, or the chain to go on with.
    private struct Validation {
        let result: TrustResult
        let verdict: Verdict?
        var chain: BuiltChain { result.builtChain }
    }

    /// The trust evaluation whose chain the pins are compared on.
    private func validated(
        _ validateHost: Bool, _ anchors: Anchors, _ run: ProcedureRun<some PathVerifier>
    ) -> TrustResult { run.evaluate(validateHost ? run.serverPolicy : .sslServer(name: .unchecked), anchors: anchors) }

    /// Default validation never checks the name; host validation checks everything.
    private func validate(
        _ performDefaultValidation: Bool, _ validateHost: Bool, _ anchors: Anchors,
        _ run: inout ProcedureRun<some PathVerifier>
    ) -> Validation {
        let end = anchors == .trustStore ? "a trusted root" : "a pinned certificate"
        let result = validated(validateHost, anchors, run)
        guard performDefaultValidation || validateHost else {
            run.skip("name", "validateHost is off")
            run.skip("trust", "performDefaultValidation and validateHost are both off: only the pins count")
            run.warn(
                "validity-not-checked", "with both validations off neither trust nor dates nor the name are checked")
            let policy = TrustPolicy.sslServer(name: .unchecked)
            return Validation(
                result: run.extendingBestEffort(of: result, under: policy, anchors: anchors), verdict: nil)
        }
        if validateHost {
            run.recordServerTrust(result, leadsTo: end)
        } else {
            run.skip("name", "validateHost is off, and default validation never checks the name")
            run.warn("name-not-checked", "validateHost is off: a certificate for any name is accepted")
            run.recordTrust(result, leadsTo: end)
        }
        guard !result.isTrusted else { return Validation(result: result, verdict: nil) }
        run.skip("pins", "not compared: the client rejects before that")
        return Validation(result: result, verdict: run.verdict(.untrusted(result.failures), on: result.builtChain))
    }
}
