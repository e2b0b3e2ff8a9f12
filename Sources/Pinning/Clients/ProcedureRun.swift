internal import Base

/// One decision in progress: the question, the paths found so far, and the trace.
///
/// What all clients have in common lives here; what makes each of them different is in its own file.
struct ProcedureRun<Verifier: PathVerifier> {
    let observation: ServerView
    let pins: PinSet?
    let verifier: Verifier
    /// The rules that trust evaluations keep, `nil` for the verifier's own.
    let platform: Platform?
    private(set) var trace = Trace()
    /// The evaluations that the client needed to end well and that did.
    private(set) var trusted: [TrustResult] = []

    init(_ observation: ServerView, pins: PinSet?, verifier: Verifier, platform: Platform?) {
        self.observation = observation
        self.pins = pins
        self.verifier = verifier
        self.platform = platform?.running(on: observation.release)
    }

    // MARK: Questions

    var serverPolicy: TrustPolicy { .sslServer(name: observation.referenceName) }

    var isNameGiven: Bool { observation.referenceName != .unchecked }

    /// The chain before anything was evaluated: the leaf alone.
    var leafAlone: BuiltChain { .unverified(UnverifiedPath(certificates: [observation.presented.leaf])) }

    /// Asks for the paths of the presented chain, by the rules of the platform.
    ///
    /// No client tells its platform of the pins but by making them anchors. Where the platform fetches missing issuers, a pinned
    /// certificate or another one at hand stands in for what it would fetch, because nothing is fetched here.
    func evaluate(_ policy: TrustPolicy, anchors: Anchors = .trustStore) -> TrustResult {
        let result = verifier.evaluate(question(policy, anchors))
        guard !result.isTrusted, let fetched = fetching(policy, anchors), fetched.isTrusted else { return result }
        return fetched
    }

    /// The same by the rules of another platform.
    func evaluate(_ policy: TrustPolicy, by platform: Platform) -> TrustResult {
        verifier.evaluate(question(policy, .trustStore, fetchable: platform.fetchesIssuers ? fetchable : [], platform))
    }

    /// The chain a client walks that was told to ignore validity: with what its platform would fetch, where it fetches.
    func extendingBestEffort(
        of result: TrustResult, under policy: TrustPolicy, anchors: Anchors = .trustStore
    ) -> TrustResult {
        guard !result.isTrusted, let fetched = fetching(policy, anchors), !fetched.isTrusted,
            fetched.builtChain.certificates.count > result.builtChain.certificates.count
        else { return result }
        return fetched
    }

    /// The chain that goes on from one pinned anchor to the next, up to the last: a search ends with the first path that it finds.
    func reach(of result: TrustResult, under policy: TrustPolicy, anchoredAt pinned: [Certificate]) -> BuiltChain {
        guard case .trusted(var path, _) = result else { return result.builtChain }
        while path.certificates.last?.isSelfIssued == false {
            let rest = pinned.filter { !path.certificates.contains($0) }
            guard !rest.isEmpty, case .trusted(let longer, _) = evaluate(policy, anchors: .only(rest)),
                longer.certificates.count > path.certificates.count, longer.certificates.starts(with: path.certificates)
            else { break }
            path = longer
        }
        return .verified(path)
    }

    private func question(
        _ policy: TrustPolicy, _ anchors: Anchors, fetchable: [Certificate] = [], _ other: Platform? = nil
    ) -> PathQuestion {
        PathQuestion(
            presented: observation.presented, fetchable: fetchable, anchors: anchors, policy: policy,
            time: observation.time, platform: other ?? platform, evidence: observation.evidence)
    }

    /// Certificates at hand that stand for what a platform would fetch.
    private var fetchable: [Certificate] { observation.fetchable + (pins?.certificates ?? []) }

    /// The evaluation after fetching, `nil` where nothing is fetched or nothing is at hand.
    private func fetching(_ policy: TrustPolicy, _ anchors: Anchors) -> TrustResult? {
        guard let platform, platform.fetchesIssuers, policy != .basicX509 else { return nil }
        let fetchable = fetchable
        guard !fetchable.isEmpty else { return nil }
        return verifier.evaluate(question(policy, anchors, fetchable: fetchable))
    }

    // MARK: The trace

    mutating func pass(_ id: String, _ detail: String) { trace.pass(id, detail) }
    mutating func fail(_ id: String, _ detail: String) { trace.fail(id, detail) }
    mutating func skip(_ id: String, _ detail: String) { trace.skip(id, detail) }
    mutating func warn(_ id: String, _ message: String, _ platform: PlatformFamily? = nil) {
        trace.warn(id, message, platform)
    }
    mutating func note(_ id: String, _ message: String) { trace.note(id, message) }

    /// Records a trust evaluation under the rules for servers, with the name as a step of its own.
    mutating func recordServerTrust(_ result: TrustResult, id: String = "trust", leadsTo end: String = "a trusted root")
    {
        if let failure = result.failures.first(where: \.isAboutName) {
            trace.fail("name", failure.description)
        } else if !trace.steps.contains(where: { $0.id == "name" }) {
            if isNameGiven {
                trace.pass("name", "the certificate is valid for \(observation.referenceName)")
            } else {
                skipMissingName()
            }
        }
        recordTrust(result, id: id, leadsTo: end)
    }

    /// Records a trust evaluation without its name check.
    mutating func recordTrust(_ result: TrustResult, id: String = "trust", leadsTo end: String = "a trusted root") {
        let failures = result.failures.filter { !$0.isAboutName }
        for failure in failures {
            if let step = failure.ownStep, failures.first(where: { $0.ownStep == step }) == failure {
                trace.fail(step, failure.description)
            }
        }
        if let failure = failures.first(where: { $0.ownStep == nil }) {
            trace.fail(id, failure.description)
            noteWhatWouldBeFetched(failures)
        } else if failures.isEmpty {
            trace.pass(id, "a valid path leads to \(end)")
            noteEvidence()
            if result.isTrusted { trusted.append(result) }
            warnOfMissingIntermediates(result.builtChain)
        }
    }

    /// Says what came along that the platform looks at; which logs timestamps are from is nobody's to judge here.
    private mutating func noteEvidence() {
        if platform?.family != .openssl, observation.evidence?.staple == .good,
            !trace.steps.contains(where: { $0.id == "revocation" })
        {
            trace.pass("revocation", "the server's OCSP staple says that the certificate is good")
        }
        guard platform?.transparency != nil, let evidence = observation.evidence, evidence.logs > 0,
            !trace.steps.contains(where: { $0.id == "transparency" })
        else { return }
        let timestamps = evidence.timestamps.count == 1 ? "1 SCT" : "\(evidence.timestamps.count) SCTs"
        let logs = evidence.logs == 1 ? "1 log" : "\(evidence.logs) logs"
        trace.pass("transparency", "\(timestamps) from \(logs); which logs is not judged")
    }

    /// Says where the platform would fetch the issuer that is missing.
    private mutating func noteWhatWouldBeFetched(_ failures: [TrustFailure]) {
        guard let platform, platform.fetchesIssuers else { return }
        for failure in failures where failure.reason == .unknownIssuer {
            guard observation.time <= failure.certificate.notAfter,
                let place = IssuerFetching.triedPlaces(of: verifier.issuerPlaces(of: failure.certificate)).first
            else { continue }
            trace.warn(
                Warning.issuerWouldBeFetched,
                "\(platform.family.rawValue): the issuer of \(failure.certificate) would be fetched from \(TerminalText.escaped(place))"
            )
        }
    }

    /// Says that no name could be checked because none was given.
    mutating func skipMissingName() {
        trace.skip("name", "no name was given to check the certificate for")
        trace.warn("name-not-checked", "the name was not checked: give the host the certificate must be valid for")
    }
}

extension TrustFailure {
    /// The step of the trace that such a failure is apart from the others, `nil` for none.
    fileprivate var ownStep: String? {
        switch reason {
        case .lifetimeTooLong: "lifetime"
        case .noServerAuth: "purpose"
        case .tooFewTimestamps: "transparency"
        case .revoked, .unusableStaple: "revocation"
        default: nil
        }
    }
}
