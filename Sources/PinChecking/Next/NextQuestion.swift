import Base
import PinFormats
package import Pinning

/// The question whether the clients of one server will accept what is about to be deployed.
package struct NextQuestion {
    let name: ReferenceName
    let host: ServerName?
    private let policy: HostPolicy
    /// The position of the job that asks the server of today, `nil` without one.
    package let job: Int?

    package init(name: ReferenceName, host: ServerName? = nil, policy: HostPolicy, job: Int?) throws(Problem) {
        let isAskable = policy.clients.contains { client in
            if case .failure = client.procedure { true } else { client.pins != nil }
        }
        guard isAskable else {
            throw .usage("what is about to be deployed is compared with pins, and none are given", .givePins)
        }
        (self.name, self.host, self.policy, self.job) = (name, host, policy, job)
    }

    package static func questions(about jobs: [Check]) throws(Problem) -> [NextQuestion] {
        var questions: [NextQuestion] = []
        for (position, job) in jobs.enumerated() {
            guard let policy = job.policy else { continue }
            let endpoint = job.endpoint
            questions.append(
                try NextQuestion(name: endpoint.referenceName, host: endpoint.urlHost, policy: policy, job: position))
        }
        return questions
    }

    package func results(on items: [NextItem], served: PresentedChain?, at now: Timestamp) -> [CheckResult] {
        let time = policy.time ?? now
        let authorities = served.map { self.authorities(of: $0, at: time) } ?? []
        return items.compactMap { item in result(on: item, served: served, authorities: authorities, at: time) }
    }

    /// The authorities of the path that a server's chain makes today, nearest first; none when it is not trusted.
    private func authorities(of served: PresentedChain, at time: Timestamp) -> [Certificate] {
        let question = PathQuestion(presented: served, anchors: anchors, policy: .sslServer(name: name), time: time)
        let answers = policy.devices.lazy.map { $0.verifier.evaluate(question) }
        return answers.first(where: \.isTrusted).map { Array($0.builtChain.certificates.dropFirst()) } ?? []
    }

    /// Where the path of a server may end: at what the device has, and at what some app's configuration names.
    private var anchors: Anchors {
        let own = policy.configuredAnchors
        return own.isEmpty ? .trustStore : .trustStoreAnd(own)
    }

    private func reason(_ verdict: Verdict, _ client: ConfiguredClient) -> Reason {
        Reason(verdict, of: client, for: name, by: policy, serverName: .noServer, hasAnchors: true)
    }

    private func result(
        on item: NextItem, served: PresentedChain?, authorities: [Certificate], at time: Timestamp
    ) -> CheckResult? {
        // A certificate alone is deployed with the authorities of today, where they issued it.
        let presented = item.certificates + (item.kind == .certificate ? served?.certificates.dropFirst() ?? [] : [])
        guard let chain = PresentedChain(presented), !isIncomplete(item, chain, at: time) else {
            return item.item.publicKey.map { forecast($0, of: item, authorities, at: time) }
        }
        let judged = policy.judge(chain, for: name, at: time) { verdict, client in
            let reason = self.reason(verdict, client)
            return reason.id == "pin-mismatch" ? item.missingPin(of: client) : reason
        }
        return CheckResult(judged, named: item.file, next: NextDeployment(item: item, assumedIssuers: nil))
    }

    /// Whether all that can be said against a certificate is that those above it are not known.
    private func isIncomplete(_ item: NextItem, _ chain: PresentedChain, at time: Timestamp) -> Bool {
        guard item.kind == .certificate, !chain.leaf.isSelfIssued else { return false }
        let question = PathQuestion(
            presented: chain, intermediates: policy.pins?.certificates ?? [], anchors: anchors,
            policy: .sslServer(name: name), time: time)
        return policy.devices.allSatisfy { device in
            let failures = device.verifier.evaluate(question).failures
            return failures.contains { $0.reason == .unknownIssuer } && failures.allSatisfy(\.isMissingAnchor)
        }
    }

    /// The result on a key that no certificate has yet, or on a certificate whose path is not known.
    private func forecast(
        _ key: PublicKey, of item: NextItem, _ authorities: [Certificate], at time: Timestamp
    ) -> CheckResult {
        let clients = policy.verdicts { client, procedure, place in
            let (verdict, isIssuerPinned) = decision(
                of: client, procedure, on: policy.devices[place].release, key, item.certificates.first, authorities,
                time)
            let isMissing = verdict.reason == .pinMismatch
            return (verdict, isMissing ? item.missingPin(of: client, isIssuerPinned) : reason(verdict, client), nil)
        }
        let verdict = clients.ending(in: policy)
        let isMatched = clients.contains { $0.decided?.matches.isEmpty == false }
        let configured = policy.pins?.pins ?? []
        return CheckResult(
            target: item.file, referenceName: name, time: time, policy: policy, verdict: verdict, clients: clients,
            matches: configured.indices.filter { isMatched && configured[$0].spkiSHA256 == key.spkiSHA256 }.map {
                PinMatch(pinIndex: $0, depth: 0)
            }, next: NextDeployment(item: item, assumedIssuers: authorities.map(\.description)),
            findings: policy.warnings + policy.missingClients(clients)
                + (verdict.outcome == .accepted ? assumptions(item, clients) : [])
        ).concluded()
    }

    private func assumptions(_ item: NextItem, _ clients: [ClientVerdict]) -> [Finding] {
        let assumed =
            item.certificates.isEmpty
            ? "its certificate is assumed to be trusted and valid for the name, with dates that clients take"
            : "its issuer is assumed to be trusted"
        var findings = [Finding.warning(.nextAssumed, "\(assumed): check the chain once it is issued")]
        if name == .unchecked {
            let message = "the name was not checked: give the host the certificate must be valid for"
            findings.append(.warning(.nameNotChecked, message))
        }
        if let client = clients.first(where: { $0.decided?.reason == .mismatchNotEnforced }) {
            findings.append(.warning(.notEnforced, "no pin matches, and \(client.name) only reports that"))
        }
        return findings
    }
}

extension NextItem {
    /// Which pin has to be shipped to a client before the item is deployed, in the client's own notation.
    fileprivate func missingPin(of client: ConfiguredClient, _ isIssuerPinned: Bool = false) -> Reason {
        if client.pins?.certificates.contains(where: { $0.publicKey.spkiSHA256 == item.spkiSHA256 }) == true {
            let remedy = certificates.isEmpty ? "ask with the certificate" : "ship the new .cer, or pin the key"
            return Reason(
                "pin-mismatch", "\(title) is that of a pinned certificate, which is compared as a whole: \(remedy)")
        }
        let doubt = isIssuerPinned ? ", and a pinned CA need not be the one that issues its certificate" : ""
        let pin = item[client.client.pinForm.notation]
        return Reason(
            "pin-mismatch", "no configured pin matches \(title)\(doubt): before it is deployed, ship \(pin)")
    }
}

extension NextQuestion {
    /// What a client will make of a key that no certificate has yet, or of a certificate without those above it, and whether its pins match
    /// authorities of today and not the key.
    ///
    /// A client accepts a key that it can compare, that its platform takes at the leaf and that is among the pins compared there, where
    /// what it asks of the other places holds on today's path, whose `authorities` are none where it is not known. What it asks of the
    /// authorities one by one counts for those that are known.
    func decision(
        of client: ConfiguredClient, _ procedure: any ClientProcedure, on release: PlatformRelease, _ key: PublicKey,
        _ certificate: Certificate?, _ authorities: [Certificate], _ time: Timestamp
    ) -> (verdict: Verdict, isIssuerPinned: Bool) {
        let comparison = procedure.comparison(with: client.pins, for: name)
        let pins = client.pins?.pins ?? []
        func matched(_ condition: PinComparison.Condition, _ depth: Int) -> Int? {
            guard condition.place.covers(depth) else { return nil }
            let whole = depth == 0 ? certificate : authorities[depth - 1]
            let hash = whole?.publicKey.spkiSHA256 ?? key.spkiSHA256
            return condition.pins.first { index in
                let pin = pins[index]
                return condition.comparesWhole(pin) ? whole != nil && pin.certificate == whole : pin.spkiSHA256 == hash
            }
        }
        let conditions = comparison.conditions
        let depths = 0...authorities.count
        let match = conditions.lazy.compactMap { matched($0, 0) }.first.map { PinMatch(pinIndex: $0, depth: 0) }
        func verdict(_ reason: Verdict.Reason, _ status: TraceStep.Status, _ detail: String) -> Verdict {
            let disposition: ChallengeDisposition =
                if case .pinsNotApplied = reason { .performDefaultHandling } else {
                    reason.isAcceptance ? .useCredential : procedure.rejection
                }
            return Verdict(
                reason: reason, disposition: disposition,
                trace: [
                    TraceStep(number: 1, id: "trust", status: .skip, detail: "its certificate is not issued yet"),
                    TraceStep(number: 2, id: "pins", status: status, detail: detail),
                ], builtChain: .unverified([]), restsOn: [], matches: match.map { [$0] } ?? [])
        }
        func refusing(_ why: String) -> Verdict { verdict(.pinsFallShort(why), .fail, why) }
        func unpinned(_ why: String) -> Verdict { verdict(.pinsNotApplied(why), .skip, why) }
        let holds = conditions.allSatisfy { condition in
            condition.place == .everywhere
                ? depths.allSatisfy { matched(condition, $0) != nil }
                : depths.contains { matched(condition, $0) != nil }
        }
        // No path is the leaf alone; of a certificate it is assumed, with a warning, that each of its CAs is pinned as well.
        let lacksPath =
            authorities.isEmpty
            && conditions.contains { $0.place == .everywhere ? certificate == nil : matched($0, 0) == nil }
        let own: Verdict
        let platform = procedure.platform(on: release)
        if let platform, !platform.strength.isStrong(key.algorithm) {
            own = refusing("\(platform.family.title) refuses a leaf with an \(key.algorithm) key")
        } else if let failures = certificate.flatMap({
            platform?.objections(toLeaf: $0, endingAt: policy.givenRoots == nil ? .system : .installedByHand)
        }), !failures.isEmpty {
            own = verdict(.untrusted(failures), .fail, "the certificate breaks a rule of the platform")
        } else if !procedure.takes(key) {
            own = refusing("\(client.client.name) cannot compare an \(key.algorithm) key")
        } else if let end = comparison.expiration, end < time {
            own = unpinned("the pins expired at \(end)")
        } else if conditions.isEmpty {
            // Those that load pins from an app's files want some, or are told to look at none.
            own = client.client.loader == nil ? unpinned("no pin is for \(name)") : refusing("no pin is compared")
        } else if match != nil, lacksPath {
            own = refusing(
                "the key is pinned, and the CAs above it must be pinned as well, which are not known: "
                    + "ask with the chain, or name a target")
        } else if let match, holds {
            own = verdict(.pinMatched(match), .pass, "public key pin matched at depth 0")
        } else {
            own = verdict(comparison.isEnforced ? .pinMismatch : .mismatchNotEnforced, .fail, "no pin matches the key")
        }
        if own.isAccepted, isUnderTransportSecurity(client) {
            guard let signature = certificate?.signatureAlgorithm else {
                let unknown = "what App Transport Security asks of the certificate is not known of a key"
                return (refusing("\(unknown): ask with the certificate"), false)
            }
            if Platform.apple().strength.isRefused(signature) {
                return (refusing("App Transport Security refuses a leaf signed with \(signature)"), false)
            }
        }
        return (own, depths.dropFirst().contains { depth in conditions.contains { matched($0, depth) != nil } })
    }

    /// Whether App Transport Security of the client's app judges the certificate, whose signature no key tells.
    private func isUnderTransportSecurity(_ client: ConfiguredClient) -> Bool {
        guard let settings = client.app?.settings, let host = host ?? name.serverName else { return false }
        if case .on = settings.ruling(for: host) { return true }
        return false
    }
}
