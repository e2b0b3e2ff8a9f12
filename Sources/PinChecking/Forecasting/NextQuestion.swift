import Base
import PinFormats
package import Pinning

/// The question whether the clients of one server will accept what is about to be deployed.
package struct NextQuestion {
    private let name: ReferenceName
    /// The host of the URL, `nil` where there is none.
    private let host: ServerName?
    private let evaluation: HostPolicy
    /// The position of the job that asks the server of today, `nil` without one.
    package let job: Int?

    package init(name: ReferenceName, host: ServerName? = nil, evaluation: HostPolicy, job: Int?) throws(CheckError) {
        let isAskable = evaluation.setup.clients.contains { client in
            if case .failure = client.procedure { true } else { client.pins != nil }
        }
        guard isAskable else { throw CheckError(.request, .noPinsForNext) }
        self.name = name
        self.host = host
        self.evaluation = evaluation
        self.job = job
    }

    /// The questions about the servers of `jobs`.
    package static func questions(about jobs: [Check]) throws(CheckError) -> [NextQuestion] {
        var questions: [NextQuestion] = []
        for (position, job) in jobs.enumerated() {
            guard let evaluation = job.evaluation else { continue }
            let endpoint = job.endpoint
            questions.append(
                try NextQuestion(
                    name: endpoint.referenceName, host: endpoint.urlHost, evaluation: evaluation, job: position))
        }
        return questions
    }

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

    private func reason(_ verdict: Verdict, _ client: ConfiguredClient) -> Reason {
        Reason(verdict, of: client, for: name, by: evaluation, serverName: .noServer, hasAnchors: true)
    }

    private func result(
        on item: NextItem, _ subject: CheckResult.Subject, served: PresentedChain?, authorities: [Certificate]
    ) -> CheckResult? {
        // A certificate alone is deployed with the authorities of today, where they issued it.
        let presented = item.certificates + (item.kind == .certificate ? served?.certificates.dropFirst() ?? [] : [])
        guard let chain = PresentedChain(presented), !isIncomplete(item, chain, at: subject.time) else {
            return item.item.publicKey.map { forecast($0, of: item, subject, authorities) }
        }
        let observation = ServerView(
            presented: chain, referenceName: name, time: subject.time, fetchable: evaluation.fetchable,
            evidence: evaluation.evidence(of: chain, at: subject.time))
        let judgement = ChainJudgement(evaluation.decisions(on: observation), on: observation, by: evaluation) {
            verdict, client in
            let reason = self.reason(verdict, client)
            return reason.id == "pin-mismatch" ? item.missingPin(of: client) : reason
        }
        return CheckResult(
            subject, judgement.standing, judgement: judgement, presented: judgement.shown == nil ? [] : presented,
            next: NextDeployment(item, isAssumed: false, issuers: []),
            warnings: evaluation.setup.notes + evaluation.setup.warnings + judgement.findings, notes: judgement.notes)
    }

    /// Whether all that can be said against a certificate is that those above it are not known.
    private func isIncomplete(_ item: NextItem, _ chain: PresentedChain, at time: Timestamp) -> Bool {
        guard item.kind == .certificate, !chain.leaf.isSelfIssued else { return false }
        let question = PathQuestion(
            presented: chain, intermediates: evaluation.setup.pins?.certificates ?? [], anchors: anchors,
            policy: .sslServer(name: name), time: time)
        return evaluation.devices.allSatisfy { device in
            let failures = device.verifier.evaluate(question).failures
            return failures.contains { $0.reason == .unknownIssuer } && failures.allSatisfy(\.isMissingAnchor)
        }
    }

    /// The result on a key that no certificate has yet, or on a certificate whose path is not known.
    private func forecast(
        _ key: PublicKey, of item: NextItem, _ subject: CheckResult.Subject, _ authorities: [Certificate]
    ) -> CheckResult {
        let forecast = KeyForecast(
            key: key, certificate: item.certificates.first, authorities: authorities, name: name, host: host,
            time: subject.time)
        let clients = evaluation.devices.flatMap { device in
            evaluation.setup.clients.filter { device.runs($0.entry) }.map { client -> ClientVerdict in
                let place = evaluation.lists == nil ? nil : device.name
                switch client.procedure {
                case .failure(let error):
                    return ClientVerdict(
                        client: client, device: place, verdict: .failure(error),
                        reason: Reason(id: ClientVerdict.notSetUp, message: error.message), outlook: nil)
                case .success(let procedure):
                    let (verdict, isIssuerPinned) = forecast.decision(of: client, procedure, on: device.release)
                    let isMissing = verdict.reason == .pinMismatch
                    return ClientVerdict(
                        client: client, device: place, verdict: .success(verdict),
                        reason: isMissing ? item.missingPin(of: client, isIssuerPinned) : reason(verdict, client),
                        outlook: nil)
                }
            }
        }
        let standing = Standing(of: clients)
        var warnings = evaluation.setup.notes + evaluation.setup.warnings
        for client in clients where client.isAccepted == nil {
            let message = "\(client.name) cannot be set up: \(client.reason.message)"
            warnings.append(.warning(id: "client-not-set-up", message: message))
        }
        if standing.isAccepted {
            let assumed =
                item.certificates.isEmpty
                ? "its certificate is assumed to be trusted and valid for the name, with dates that clients take"
                : "its issuer is assumed to be trusted"
            warnings.append(.warning(id: "next-assumed", message: "\(assumed): check the chain once it is issued"))
            if name == .unchecked {
                warnings.append(
                    .warning(
                        id: "name-not-checked",
                        message: "the name was not checked: give the host the certificate must be valid for"))
            }
            if let client = clients.first(where: { (try? $0.verdict.get())?.reason == .mismatchNotEnforced }) {
                warnings.append(
                    .warning(id: "not-enforced", message: "no pin matches, and \(client.name) only reports that"))
            }
        }
        let isMatched = clients.contains { (try? $0.verdict.get())?.matches.isEmpty == false }
        let configured = evaluation.setup.pins?.pins ?? []
        return CheckResult(
            subject, standing, clients: clients,
            matches: configured.indices.filter { isMatched && configured[$0].spkiSHA256 == key.spkiSHA256 }.map {
                PinMatch(pinIndex: $0, depth: 0)
            }, next: NextDeployment(item, isAssumed: true, issuers: authorities.map(\.description)), warnings: warnings)
    }
}

extension NextDeployment {
    fileprivate init(_ item: NextItem, isAssumed: Bool, issuers: [String]) {
        self.init(kind: item.kind, pin: item.item.spkiSHA256, isAssumed: isAssumed, issuers: issuers)
    }
}

extension NextItem {
    /// Which pin has to be shipped to a client before the item is deployed, in the client's own notation.
    fileprivate func missingPin(of client: ConfiguredClient, _ isIssuerPinned: Bool = false) -> Reason {
        if certificates.isEmpty,
            client.pins?.certificates.contains(where: { $0.publicKey.spkiSHA256 == item.spkiSHA256 }) == true
        {
            return Reason(
                id: "pin-mismatch",
                message:
                    "\(title) is that of a pinned certificate, which is compared as a whole: ask with the certificate")
        }
        let doubt = isIssuerPinned ? ", and a pinned CA need not be the one that issues its certificate" : ""
        return Reason(
            id: "pin-mismatch",
            message: "no configured pin matches \(title)\(doubt): before it is deployed, ship "
                + item.notations[client.entry.notation])
    }
}

extension Standing {
    /// What the clients make of a key: one that cannot be set up decides, then the first that rejects.
    fileprivate init(of clients: [ClientVerdict]) {
        func reason(_ client: ClientVerdict?) -> Reason {
            guard let client else { return Reason(id: ClientVerdict.notSetUp, message: "no client was chosen") }
            guard clients.count > 1 else { return client.reason }
            let name = client.device.map { "\(client.name) on \($0)" } ?? client.name
            return Reason(
                id: client.reason.id, message: "\(name): \(client.reason.message)", remedy: client.reason.remedy)
        }
        let absent = clients.first { $0.isAccepted == nil }
        if absent != nil || clients.isEmpty {
            self = .notSetUp(reason(absent))
        } else if let rejecting = clients.first(where: { $0.isAccepted == false }) {
            self = .rejected(reason(rejecting))
        } else {
            self = .accepted(reason(clients.first { $0.isAccepted == true }))
        }
    }
}
