import Base

/// A decision in progress, with the steps that clients share; steps of only one client are in its own file.
package struct ProcedureRun {
    let view: ServerView
    let pins: PinSet?
    let verifier: any PathVerifier
    var platform: Platform?
    /// The evaluations that the client needed and that found a valid path.
    private var trusted: [TrustResult] = []
    private var steps: [TraceStep] = []
    private var findings: [Finding] = []

    init(_ view: ServerView, pins: PinSet?, verifier: any PathVerifier, platform: Platform?) {
        (self.view, self.pins, self.verifier, self.platform) = (view, pins, verifier, platform)
    }

    var name: ReferenceName { view.referenceName }
    package var serverPolicy: TrustPolicy { .sslServer(name: name) }
    var isNameGiven: Bool { name != .unchecked }
    var leafAlone: BuiltChain { .unverified([view.presented.leaf]) }

    /// Finds the paths of the presented chain by the platform's rules.
    ///
    /// Clients pass pins only as anchors. Nothing is fetched: pinned and given certificates replace fetched issuers.
    package func evaluate(_ policy: TrustPolicy, anchors: Anchors = .trustStore) -> TrustResult {
        let result = verifier.evaluate(question(policy, anchors))
        guard !result.isTrusted, let fetched = fetching(policy, anchors), fetched.isTrusted else { return result }
        return fetched
    }

    func evaluate(_ policy: TrustPolicy, by platform: Platform) -> TrustResult {
        verifier.evaluate(question(policy, .trustStore, fetchable: platform.fetchesIssuers ? fetchable : [], platform))
    }

    /// The result for a client that ignores validity, with the issuers that its platform would fetch.
    func extendingBestEffort(
        of result: TrustResult, under policy: TrustPolicy, anchors: Anchors = .trustStore
    ) -> TrustResult {
        guard !result.isTrusted, let fetched = fetching(policy, anchors), !fetched.isTrusted,
            fetched.builtChain.certificates.count > result.builtChain.certificates.count
        else { return result }
        return fetched
    }

    /// The chain from a pinned anchor on to the next, up to the last; a search alone ends at the first.
    func reach(of result: TrustResult, under policy: TrustPolicy, anchoredAt pinned: [Certificate]) -> BuiltChain {
        guard var path = result.validPaths.first else { return result.builtChain }
        while path.certificates.last?.isSelfIssued == false {
            let rest = pinned.filter { !path.certificates.contains($0) }
            guard !rest.isEmpty, let longer = evaluate(policy, anchors: .only(rest)).validPaths.first,
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
            presented: view.presented, fetchable: fetchable, anchors: anchors, policy: policy, time: view.time,
            platform: other ?? platform, evidence: view.evidence)
    }

    private var fetchable: [Certificate] { view.fetchable + (pins?.certificates ?? []) }

    private func fetching(_ policy: TrustPolicy, _ anchors: Anchors) -> TrustResult? {
        let fetchable = fetchable
        guard platform?.fetchesIssuers == true, policy != .basicX509, !fetchable.isEmpty else { return nil }
        return verifier.evaluate(question(policy, anchors, fetchable: fetchable))
    }

    mutating func pass(_ id: String, _ detail: String) { steps.add(.pass, id, detail) }
    mutating func fail(_ id: String, _ detail: String) { steps.add(.fail, id, detail) }
    mutating func skip(_ id: String, _ detail: String) { steps.add(.skip, id, detail) }

    private func hasStep(_ id: String) -> Bool { steps.contains { $0.id == id } }

    mutating func warn(_ kind: FindingID, _ message: String, remedy: Remedy? = nil) {
        let warning = Finding(kind, .warning, message, remedy: remedy)
        if !findings.contains(warning) { findings.append(warning) }
    }

    mutating func note(_ kind: FindingID, _ message: String) { findings.append(Finding(kind, .note, message)) }

    private static let ownSteps = [
        "lifetime-too-long": "lifetime", "no-server-auth": "purpose", "too-few-scts": "transparency",
        "revoked": "revocation", "unusable-staple": "revocation",
    ]

    mutating func record(_ result: TrustResult, id: String = "trust", leadsTo end: String = "a trusted root") {
        if let failure = result.failures.first(where: \.isAboutName) {
            fail("name", failure.description)
        } else if !hasStep("name") {
            if isNameGiven {
                pass("name", "the certificate is valid for \(name)")
            } else {
                skipMissingName()
            }
        }
        let failures = result.failures.filter { !$0.isAboutName }
        let steps = failures.grouped { Self.ownSteps[$0.id] }
        for case (let step?, let failures) in steps { fail(step, failures[0].description) }
        if let failure = steps.first(where: { $0.key == nil })?.elements[0] {
            fail(id, failure.description)
            warnOfFetching(failures)
        } else if failures.isEmpty {
            pass(id, "a valid path leads to \(end)")
            recordEvidence()
            if result.isTrusted { trusted.append(result) }
            warnOfMissingIntermediates(result.builtChain)
        }
    }

    private mutating func recordEvidence() {
        guard let evidence = view.evidence else { return }
        if platform?.family != .openssl, evidence.staple == .good, !hasStep("revocation") {
            pass("revocation", "the server's OCSP staple says that the certificate is good")
        }
        guard platform?.countsTimestamps == true, evidence.logs > 0, !hasStep("transparency") else { return }
        let timestamps = evidence.timestamps.count == 1 ? "1 SCT" : "\(evidence.timestamps.count) SCTs"
        let logs = evidence.logs == 1 ? "1 log" : "\(evidence.logs) logs"
        pass("transparency", "\(timestamps) from \(logs); which logs is not judged")
    }

    mutating func tellHandshake(within stack: TLSStack?) {
        guard let facts = view.connection else {
            if stack != nil { skip("handshake", "no connection: not judged") }
            return
        }
        pass("handshake", "\(facts)" + (stack.map { ", within what \($0.name) offers" } ?? ""))
        guard let stack, stack.isUncertain(facts), let group = facts.group else { return }
        warn(
            .handshakeUncertain,
            "Conscrypt offers \(group.name) since July 2026, by an update of the system; a phone without it cannot connect"
        )
    }

    mutating func skipMissingName() {
        skip("name", "no name was given to check the certificate for")
        warn(.nameNotChecked, "the name was not checked: give the host the certificate must be valid for")
    }

    /// Goes on only if the device trusts the chain and its name, by an Android app's anchors and required timestamps.
    mutating func afterServerTrust(
        by trust: AndroidTrust? = nil, _ goOn: (inout Self, TrustResult) -> Verdict
    ) -> Verdict {
        if let trust {
            let demand = trust.transparencyDemand(level: view.release.androidLevel, for: name.serverName)
            platform = platform?.asking(for: demand)
        }
        let system = evaluate(serverPolicy, anchors: trust?.anchors ?? .trustStore)
        record(system)
        if system.isTrusted { return goOn(&self, system) }
        if let trust, let place = trust.place, place.namesAnchors, system.failures.contains(where: \.lacksAnchor) {
            let hosts = place.hosts?.description ?? "hosts without an entry of their own"
            warn(
                .configuredAnchors,
                "the app's configuration trusts \(trust.words) for \(hosts), and no other root (\(place.origin))")
        }
        return reject(system.failures, on: system.builtChain)
    }

    /// Ends with a match or mismatch on the built chain; `isHashed` is `false` if the client cannot hash a key.
    mutating func compare(
        _ condition: PinComparison.Condition, on result: TrustResult, isHashed: (Certificate) -> Bool = { _ in true }
    ) -> Verdict {
        let chain = result.builtChain
        func matches(_ chain: BuiltChain) -> [PinMatch] {
            condition.matches(on: chain).filter { isHashed(chain.certificates[$0.depth]) }
        }
        warnOfPathDependence(result) { !matches($0).isEmpty }
        warnOfMissingIntermediates(chain)
        let matched = matches(chain)
        guard let match = matched.first else {
            fail("pins", "no \(condition.compared.rawValue) of the built chain is pinned")
            warnOfPresentedPins(chain)
            return verdict(.pinMismatch, on: chain, matches: [])
        }
        if match.depth > 0, let other = result.chains.first(where: { matches($0).isEmpty }) {
            let shortfall =
                "the pin at depth \(match.depth) is not on every rejected path, and which of them the device hands out is not known: "
                + "another ends at \(other.certificates[other.certificates.count - 1])"
            fail("pins", shortfall)
            return verdict(.pinsFallShort(shortfall), on: chain, matches: matched)
        }
        let what = condition.compared == .whatIsPinned ? "" : condition.compared.rawValue + " "
        pass("pins", "\(what)pin matched at depth \(match.depth)")
        warnOfAuthorityPin(matched)
        return verdict(.pinMatched(match), on: chain, matches: matched)
    }

    mutating func acceptUnpinned(
        _ why: String, _ result: TrustResult, disposition: ChallengeDisposition? = nil
    ) -> Verdict {
        skip("pins", why)
        return verdict(
            result.isTrusted ? .pinsNotApplied(why) : .untrusted(result.failures), on: result.builtChain,
            disposition: disposition)
    }

    mutating func reject(_ failures: [TrustFailure], on chain: BuiltChain) -> Verdict {
        skip("pins", "not compared: the client rejects before that")
        return verdict(.untrusted(failures), on: chain)
    }

    func verdict(
        _ reason: Verdict.Reason, on chain: BuiltChain, matches: [PinMatch]? = nil,
        disposition: ChallengeDisposition? = nil, reaching reach: BuiltChain? = nil
    ) -> Verdict {
        Verdict(
            reason: reason,
            disposition: disposition ?? (reason.isAcceptance ? .useCredential : .cancelAuthenticationChallenge),
            trace: steps, builtChain: chain, restsOn: paths(of: chain, for: reason), reach: reach,
            matches: matches ?? pins?.publicKeyMatches(on: reach ?? chain) ?? [], findings: findings)
    }

    /// The path of each evaluation: `chain` if valid there, unless it extends the preferred path past the matched pin.
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
