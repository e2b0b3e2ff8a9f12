import Base
import PinFormats
package import Pinning

/// The question whether the clients of one server will accept what is about to be deployed.
package struct NextQuestion {
    /// The name the certificate will have to be valid for.
    private let name: ReferenceName
    /// The pins and the clients.
    private let evaluation: Evaluation
    /// The position of the job that asks the server of today, `nil` without one.
    package let job: Int?

    /// A question about one server.
    ///
    /// - Throws: ``CheckError`` when no client has a pin.
    package init(name: ReferenceName, evaluation: Evaluation, job: Int?) throws(CheckError) {
        guard evaluation.setup.clients.contains(where: { $0.pins != nil }) else {
            throw CheckError(.request, .noPinsForNext)
        }
        self.name = name
        self.evaluation = evaluation
        self.job = job
    }

    /// The questions about the servers of `jobs`.
    package static func questions(about jobs: [CheckJob]) throws(CheckError) -> [NextQuestion] {
        var questions: [NextQuestion] = []
        for (position, job) in jobs.enumerated() {
            guard let evaluation = job.evaluation else { continue }
            let name = job.endpoint.referenceName
            questions.append(try NextQuestion(name: name, evaluation: evaluation, job: position))
        }
        return questions
    }

    /// The results on all items.
    ///
    /// - Parameters:
    ///   - items: what is about to be deployed.
    ///   - served: what the server sends today, whose authorities are assumed to issue again.
    ///   - now: the moment to judge by where no other is given.
    /// - Returns: a result for each item, in their order.
    package func results(on items: [NextItem], served: PresentedChain?, at now: Timestamp) -> [CheckResult] {
        let time = evaluation.time ?? now
        let authorities = served.map { self.authorities(of: $0, at: time) } ?? []
        return items.compactMap { item in
            let subject = CheckResult.Subject(
                target: item.file, referenceName: name, time: time, evaluation: evaluation)
            return result(on: item, subject, served: served, authorities: authorities)
        }
    }

    /// The authorities of the path that a server's chain makes today, nearest first; none when it is not trusted.
    private func authorities(of served: PresentedChain, at time: Timestamp) -> [Certificate] {
        let question = PathQuestion(presented: served, anchors: anchors, policy: .sslServer(name: name), time: time)
        for device in evaluation.devices {
            let answer = device.verifier.evaluate(question)
            if answer.isTrusted { return Array(answer.builtChain.certificates.dropFirst()) }
        }
        return []
    }

    /// Where the path of a server may end: at what the device has, and at what some app's configuration names.
    private var anchors: Anchors {
        let sources = evaluation.setup.clients.flatMap { $0.androidTrust?.sources ?? [] }
        let own = sources.flatMap { source -> [Certificate] in
            if case .resource(_, let certificates) = source.origin { certificates } else { [] }
        }
        return own.isEmpty ? .trustStore : .trustStoreAnd(own)
    }

    private func reason(_ verdict: Verdict, _ client: ChosenClient) -> Reason {
        Reason(verdict, of: client, by: evaluation, serverName: .noServer, hasAnchors: true)
    }

    private func result(
        on item: NextItem, _ subject: CheckResult.Subject, served: PresentedChain?, authorities: [Certificate]
    ) -> CheckResult? {
        // A certificate alone is deployed with the authorities of today, where they issued it.
        let presented = item.certificates + (item.kind == .certificate ? served?.certificates.dropFirst() ?? [] : [])
        if let chain = PresentedChain(presented), !isIncomplete(item, chain, subject) {
            let observation = Observation(
                presented: chain, referenceName: name, time: subject.time, fetchable: evaluation.fetchable,
                evidence: evaluation.evidence(of: chain, at: subject.time))
            return result(
                subject, NextDeployment(item, isAssumed: false, issuers: []),
                ChainJudgement(
                    evaluation.decisions(on: observation), on: observation, by: evaluation, isForecast: false
                ) { verdict, client in
                    let reason = self.reason(verdict, client)
                    return reason.id == "pin-mismatch" ? item.missingPin(of: client) : reason
                }, presented: presented)
        }
        guard let leaf = item.certificates.first ?? item.standIn(at: subject.time), let chain = PresentedChain([leaf])
        else { return nil }
        let path = [leaf] + (item.kind == .certificate ? [] : authorities)
        let observation = Observation(
            presented: chain, referenceName: name, time: subject.time, fetchable: evaluation.fetchable)
        let assumed = AssumedPath(path: path, isIssued: !item.certificates.isEmpty, verifier: evaluation.verifier)
        return result(
            subject, NextDeployment(item, isAssumed: true, issuers: path.dropFirst().map(\.description)),
            ChainJudgement(
                evaluation.decisions(on: observation, assuming: assumed), on: observation, by: evaluation,
                isForecast: true
            ) { verdict, client in
                verdict.isAccepted || verdict.isRefusedByPlatform
                    ? reason(verdict, client) : item.missingPin(of: client)
            }, presented: [])
    }

    private func result(
        _ subject: CheckResult.Subject, _ next: NextDeployment, _ judgement: ChainJudgement, presented: [Certificate]
    ) -> CheckResult {
        var warnings = evaluation.setup.notes + evaluation.setup.warnings + judgement.findings
        let isOnApple = evaluation.setup.clients.contains { $0.entry.platform == .apple }
        if judgement.standing.isAccepted, isOnApple, next.kind == .request || next.kind == .publicKey {
            warnings.append(
                .warning(
                    id: "next-lifetime",
                    message:
                        "how long its certificate will be valid, and for what, is not known: Apple's platforms take at most "
                        + "398 days below a public root and 825 below others, with serverAuth"))
        }
        if next.isAssumed, judgement.standing.isAccepted {
            let matches = judgement.shownMatches
            let isByAuthority = !matches.isEmpty && !matches.contains { $0.depth == 0 }
            warnings.append(
                .warning(
                    id: "next-assumed",
                    message: isByAuthority
                        ? "this holds if the authorities of today issue it again: \(next.issuers.joined(separator: ", "))"
                        : "its certificate is assumed to be trusted and valid for the name: check the chain once it is issued"
                ))
        }
        return CheckResult(
            subject, judgement.standing, judgement: judgement, presented: judgement.shown == nil ? [] : presented,
            next: next, warnings: warnings, notes: judgement.notes)
    }

    /// Whether a certificate came without the authorities it needs.
    private func isIncomplete(_ item: NextItem, _ chain: PresentedChain, _ subject: CheckResult.Subject) -> Bool {
        guard item.kind == .certificate, !chain.leaf.isSelfIssued else { return false }
        let question = PathQuestion(
            presented: chain, intermediates: evaluation.setup.pins?.certificates ?? [], anchors: anchors,
            policy: .sslServer(name: subject.referenceName), time: subject.time)
        return evaluation.devices.allSatisfy { device in
            device.verifier.evaluate(question).failures.contains { $0.reason == .unknownIssuer }
        }
    }
}

extension NextDeployment {
    /// What is about to be deployed.
    fileprivate init(_ item: NextItem, isAssumed: Bool, issuers: [String]) {
        self.init(kind: item.kind, pin: item.item.spkiSHA256, isAssumed: isAssumed, issuers: issuers)
    }
}

extension NextItem {
    /// Which pin has to be shipped to a client before the item is deployed, in the client's own notation.
    fileprivate func missingPin(of client: ChosenClient) -> Reason {
        Reason(
            id: "pin-mismatch",
            message: "no configured pin matches \(title): before it is deployed, ship "
                + item.notations[client.entry.notation])
    }
}

extension Verdict {
    /// Whether the client's platform refuses the certificate itself, which no pin would mend.
    fileprivate var isRefusedByPlatform: Bool {
        if case .refusedByTransportSecurity = reason { return true }
        guard case .untrusted(let failures) = reason else { return false }
        return failures.contains { !$0.isMissingAnchor }
    }
}
