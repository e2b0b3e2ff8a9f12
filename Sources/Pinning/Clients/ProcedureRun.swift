internal import Text

/// One decision in progress: the question, the paths found so far, and the trace.
///
/// What all clients have in common lives here; what makes each of them different is in its own file.
struct ProcedureRun<Verifier: PathVerifier> {
    let observation: Observation
    let pins: PinSet?
    let verifier: Verifier
    /// The rules that trust evaluations keep, `nil` for the verifier's own.
    let platform: Platform?
    private(set) var trace = Trace()
    /// The evaluations that the client needed to end well and that did.
    private var trusted: [TrustResult] = []

    /// - Parameters:
    ///   - observation: the server, the name and the time.
    ///   - pins: the pins, `nil` for none.
    ///   - verifier: finds the paths.
    ///   - platform: the client's platform, in the version of the observation's device.
    init(_ observation: Observation, pins: PinSet?, verifier: Verifier, platform: Platform?) {
        self.observation = observation
        self.pins = pins
        self.verifier = verifier
        self.platform = platform?.running(on: observation.release)
    }

    // MARK: Questions

    /// The rules for TLS servers, with the reference name.
    var serverPolicy: TrustPolicy { .sslServer(name: observation.referenceName) }

    /// Whether there is a name to check the certificate for.
    var isNameGiven: Bool { observation.referenceName != .unchecked }

    /// The chain before anything was evaluated: the leaf alone.
    var leafAlone: BuiltChain {
        .unverified(UnverifiedPath(certificates: [observation.presented.leaf]))
    }

    /// Asks for the paths of the presented chain, by the rules of the platform.
    ///
    /// No client tells its platform of the pins but by making them anchors. Where the platform fetches missing issuers, a pinned
    /// certificate or another one at hand stands in for what it would fetch, because nothing is fetched here.
    ///
    /// - Parameters:
    ///   - policy: the rules to keep; the basic ones never fetch.
    ///   - anchors: where a path may end.
    ///   - anchorKeys: bare keys that may have signed its end.
    ///   - others: certificates the client has from elsewhere, to it as good as presented.
    /// - Returns: the paths, or what is wrong.
    func evaluate(
        _ policy: TrustPolicy,
        anchors: Anchors = .trustStore,
        anchorKeys: [[UInt8]] = [],
        alsoPresented others: [Certificate] = []
    ) -> TrustResult {
        var question = question(policy, anchors)
        question.anchorKeys = anchorKeys
        question.presented.add(others)
        let result = verifier.evaluate(question)
        guard !result.isTrusted, let fetched = fetching(policy, anchors), fetched.isTrusted else {
            return result
        }
        return fetched
    }

    /// The chain a client walks that was told to ignore validity: with what its platform would fetch, where it fetches.
    ///
    /// - Parameters:
    ///   - result: the evaluation as the server's chain is, which stands when it found a valid path.
    ///   - policy: the rules of that evaluation; the basic ones never fetch.
    ///   - anchors: where its paths may end.
    /// - Returns: the evaluation with the longest best effort.
    func extendingBestEffort(
        of result: TrustResult,
        under policy: TrustPolicy,
        anchors: Anchors = .trustStore
    ) -> TrustResult {
        guard !result.isTrusted, let fetched = fetching(policy, anchors), !fetched.isTrusted,
            fetched.builtChain.certificates.count > result.builtChain.certificates.count
        else { return result }
        return fetched
    }

    private func question(
        _ policy: TrustPolicy,
        _ anchors: Anchors,
        fetchable: [Certificate] = []
    ) -> PathQuestion {
        PathQuestion(
            presented: observation.presented,
            fetchable: fetchable,
            anchors: anchors,
            policy: policy,
            time: observation.time,
            platform: platform,
            evidence: observation.evidence
        )
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
    mutating func warn(_ id: String, _ message: String) { trace.warn(id, message) }

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
        if platform?.family != .openssl, observation.evidence?.isVouchedFor == true,
            !trace.steps.contains(where: { $0.id == "revocation" })
        {
            trace.pass("revocation", "the server's OCSP staple says that the certificate is good")
        }
        guard platform?.transparency != nil, let count = observation.evidence?.timestamps, count.timestamps > 0,
            !trace.steps.contains(where: { $0.id == "transparency" })
        else { return }
        let timestamps = count.timestamps == 1 ? "1 SCT" : "\(count.timestamps) SCTs"
        let logs = count.logs == 1 ? "1 log" : "\(count.logs) logs"
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

    // MARK: Warnings every client needs

    /// Warns of pins among the presented certificates that are not on the built chain.
    ///
    /// Presenting a certificate proves nothing (CVE-2016-2402).
    mutating func warnOfPresentedPins(_ built: BuiltChain) {
        guard let pins else { return }
        let unused = observation.presented.certificates.filter { !built.certificates.contains($0) }
        guard let certificate = unused.first(where: { pins.isPinned($0) }) else { return }
        trace.warn(
            "pin-only-presented",
            "a pinned key is presented in \(certificate) but is not on the built chain: presenting a certificate proves nothing"
        )
    }

    /// Warns when the pins hold on one valid path and not on another, or end otherwise there.
    mutating func warnOfPathDependence(_ result: TrustResult, holds: (BuiltChain) -> some Equatable) {
        let paths = result.validPaths
        guard paths.count > 1, let first = paths.first else { return }
        let isFirst = holds(.verified(first))
        guard paths.dropFirst().contains(where: { holds(.verified($0)) != isFirst }) else { return }
        trace.warn(
            "path-dependent",
            "the pins hold on one valid path and not on another: the verdict depends on the path a device builds"
        )
    }

    /// Warns when a path exists only because a pinned certificate completes it.
    mutating func warnOfMissingIntermediates(_ built: BuiltChain) {
        let pinned = pins?.certificates ?? []
        // A verified path ends at an anchor, which no server need send; what says nothing of where its issuer is had none fetched.
        let links = zip(built.certificates, built.certificates.dropFirst().dropLast(built.isVerified ? 1 : 0))
        let missing = links.first { subject, issuer in
            (pinned.contains(issuer) || observation.fetchable.contains(issuer))
                && !observation.presented.certificates.contains(issuer)
                && !IssuerFetching.triedPlaces(of: verifier.issuerPlaces(of: subject)).isEmpty
        }?.1
        guard let missing else { return }
        let source = pinned.contains(missing) ? "taken from the pins" : "given beside it"
        trace.warn(
            "intermediate-not-presented",
            "the chain lacks \(missing), which was \(source): clients that do not fetch it reject the chain"
        )
    }

    /// Warns when a date that begins at midnight on the device has begun in some time zones and not in others.
    mutating func warnOfTimeZone(of expiration: Timestamp?) {
        guard let expiration else { return }
        let distance = observation.time.secondsSinceEpoch - expiration.secondsSinceEpoch
        // The day begins fourteen hours before UTC's at the earliest, and twelve after at the latest.
        guard (-14 * 3_600...12 * 3_600).contains(distance) else { return }
        trace.warn(
            "expiration-time-zone",
            "the pins expire at midnight in the device's time zone; judged as of UTC (\(expiration)), some devices "
                + (distance > 0 ? "still enforce them" : "no longer enforce them")
        )
    }

    /// Warns when an authority is pinned: whatever it issues for the name will do, also where the leaf is pinned too.
    ///
    /// `matches` are the pins that matched, the nearest to the leaf first. A path that ends at a pinned leaf leaves out the
    /// authority whose certificate is pinned beside it, which is as good as the leaf the next time.
    mutating func warnOfAuthorityPin(_ matches: [PinMatch]) {
        let consequence = "any certificate it issues \(isNameGiven ? "for the name " : "")will do"
        if let match = matches.first(where: { $0.depth > 0 }) {
            let isAlone = matches.first?.depth == match.depth
            trace.warn(
                "authority-pin",
                "\(isAlone ? "matched only by" : "beside the leaf's there is") an authority's pin at depth \(match.depth): "
                    + consequence
            )
        } else if let authority = pins?.certificates.first(where: {
            $0.basicConstraints?.isCertificateAuthority == true
        }) {
            trace.warn(
                "authority-pin",
                "beside the leaf's there is the pin of an authority, \(authority): \(consequence)"
            )
        }
    }

    // MARK: The end

    /// Asks for the system's verdict on the chain and its name first, and goes on only when it trusts them.
    ///
    /// - Parameters:
    ///   - anchors: where a path may end.
    ///   - onRejection: says what else there is to say of a chain that is not trusted.
    ///   - goOn: the rest of the procedure.
    /// - Returns: the verdict.
    mutating func afterServerTrust(
        anchors: Anchors = .trustStore,
        onRejection: (inout Self, TrustResult) -> Void = { _, _ in },
        _ goOn: (inout Self, TrustResult) -> Verdict
    ) -> Verdict {
        let system = evaluate(serverPolicy, anchors: anchors)
        recordServerTrust(system)
        guard system.isTrusted else {
            onRejection(&self, system)
            skip("pins", "not compared: the client rejects before that")
            return verdict(.untrusted(system.failures), on: system.builtChain)
        }
        return goOn(&self, system)
    }

    /// Compares pins on the chain a client looks at, and ends with a match or a mismatch.
    mutating func compare(
        on result: TrustResult,
        what: String,
        matches: (PinSet, BuiltChain) -> [PinMatch] = { $0.publicKeyMatches(on: $1) }
    ) -> Verdict {
        guard let pins else { return withoutPins(on: result.builtChain) }
        warnOfPathDependence(result) { !matches(pins, $0).isEmpty }
        warnOfMissingIntermediates(result.builtChain)
        let matched = matches(pins, result.builtChain)
        guard let match = matched.first else {
            trace.fail("pins", "no \(what) of the built chain is pinned")
            warnOfPresentedPins(result.builtChain)
            return verdict(.pinMismatch, on: result.builtChain, matches: [])
        }
        trace.pass("pins", "\(what) pin matched at depth \(match.depth)")
        warnOfAuthorityPin(matched)
        return verdict(.pinMatched(match), on: result.builtChain, matches: matched)
    }

    /// Ends a procedure that needs pins and has none.
    mutating func withoutPins(on chain: BuiltChain) -> Verdict {
        trace.fail("pins", "there is no pin to compare, so every server is rejected")
        return verdict(.noPins, on: chain)
    }

    /// Ends with the system's verdict, for a client whose pins do not apply.
    mutating func unpinned(_ why: String, _ result: TrustResult) -> Verdict {
        trace.skip("pins", why)
        return result.isTrusted
            ? verdict(.pinsNotApplied(why), on: result.builtChain)
            : verdict(.untrusted(result.failures), on: result.builtChain)
    }

    /// Puts the verdict together.
    ///
    /// - Parameters:
    ///   - reason: why the client accepts or rejects.
    ///   - chain: the chain the decision rests on.
    ///   - matches: the pins on it, `nil` to compare public keys.
    ///   - disposition: the answer to the challenge, `nil` for the usual one.
    /// - Returns: the verdict with the trace so far.
    func verdict(
        _ reason: Verdict.Reason,
        on chain: BuiltChain,
        matches: [PinMatch]? = nil,
        disposition: ChallengeDisposition? = nil
    ) -> Verdict {
        Verdict(
            reason: reason,
            disposition: disposition ?? (reason.isAcceptance ? .useCredential : .cancelAuthenticationChallenge),
            trace: trace.steps,
            builtChain: chain,
            restsOn: paths(of: chain, for: reason),
            matches: matches ?? pins?.publicKeyMatches(on: chain) ?? [],
            warnings: trace.warnings
        )
    }
}

extension ProcedureRun {
    /// The path of each evaluation that was needed: `chain` where the client chose another than the preferred one.
    ///
    /// What only goes on from the preferred path is needed for a pin that matches there.
    private func paths(of chain: BuiltChain, for reason: Verdict.Reason) -> [VerifiedPath] {
        var paths: [VerifiedPath] = []
        for result in trusted {
            guard let preferred = result.validPaths.first else { continue }
            var chosen = result.validPaths.first { .verified($0) == chain } ?? preferred
            if case .pinMatched(let match) = reason, match.depth < preferred.certificates.count,
                chosen.certificates.starts(with: preferred.certificates)
            {
                chosen = preferred
            }
            if !paths.contains(chosen) { paths.append(chosen) }
        }
        return paths
    }
}

extension PinSet {
    /// Whether the key of `certificate` is pinned.
    func isPinned(_ certificate: Certificate) -> Bool {
        pins.contains { $0.spkiSHA256 == certificate.publicKey.spkiSHA256 }
    }
}

extension TrustFailure {
    /// The step of the trace that such a failure is apart from the others, `nil` for none.
    fileprivate var ownStep: String? {
        switch reason {
        case .lifetimeTooLong: "lifetime"
        case .noServerAuth: "purpose"
        case .tooFewTimestamps: "transparency"
        case .revoked: "revocation"
        default: nil
        }
    }
}
