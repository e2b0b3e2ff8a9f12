import PinFormats
import Pinning
import Text

/// The question whether the clients of one server will accept what is about to be deployed.
struct NextQuestion {
    /// The name the certificate will have to be valid for.
    private let name: ReferenceName
    /// The pins and the clients.
    private let evaluation: Evaluation
    /// The position of the job that asks the server of today, `nil` without one.
    let job: Int?

    /// A question about one server.
    ///
    /// - Throws: ``CommandError`` when no client has a pin.
    init(name: ReferenceName, evaluation: Evaluation, job: Int?) throws(CommandError) {
        guard evaluation.setup.clients.contains(where: { $0.pins != nil }) else {
            throw .usage("--next asks whether pins accept what is about to be deployed, and none are given: add --pins")
        }
        self.name = name
        self.evaluation = evaluation
        self.job = job
    }

    /// The questions about the servers of `jobs`.
    static func questions(about jobs: [CheckJob]) throws(CommandError) -> [NextQuestion] {
        var questions: [NextQuestion] = []
        for (position, job) in jobs.enumerated() {
            guard let evaluation = job.evaluation else { continue }
            let name = job.endpoint.referenceName
            questions.append(try NextQuestion(name: name, evaluation: evaluation, job: position))
        }
        return questions
    }

    /// The reports on all items.
    ///
    /// - Parameters:
    ///   - items: what is about to be deployed.
    ///   - served: what the server sends today, whose authorities are assumed to issue again.
    ///   - now: the moment to judge by where no other is given.
    /// - Returns: a report for each item, in their order.
    func reports(on items: [NextItem], served: PresentedChain?, at now: Timestamp) -> [Report] {
        let time = evaluation.time ?? now
        let authorities = served.map { self.authorities(of: $0, at: time) } ?? []
        return items.compactMap { item in
            let subject = Report.Subject(
                target: item.file,
                endpoint: nil,
                tls: nil,
                referenceName: name,
                time: time
            )
            var report = report(on: item, subject, served: served, authorities: authorities)
            report?.addHints(for: item)
            report?.applyWarnings(evaluation.outlook)
            return report
        }
    }

    /// The authorities of the path that a server's chain makes today, nearest first; none when it is not trusted.
    private func authorities(of served: PresentedChain, at time: Timestamp) -> [Certificate] {
        let answer = evaluation.verifier.evaluate(
            PathQuestion(presented: served, anchors: .trustStore, policy: .sslServer(name: name), time: time)
        )
        return answer.isTrusted ? Array(answer.builtChain.certificates.dropFirst()) : []
    }

    private func report(
        on item: NextItem,
        _ subject: Report.Subject,
        served: PresentedChain?,
        authorities: [Certificate]
    ) -> Report? {
        // A certificate alone is deployed with the authorities of today, where they issued it.
        let presented = item.certificates + (item.kind == .certificate ? served?.certificates.dropFirst() ?? [] : [])
        if let chain = PresentedChain(presented), !isIncomplete(item, chain, subject) {
            var report = Report(subject, presented: chain, by: evaluation)
            report.next = Report.Next(item, assumed: false, issuers: [])
            return report
        }
        guard let leaf = item.certificates.first ?? item.standIn(at: subject.time), let chain = PresentedChain([leaf])
        else { return nil }
        let path = [leaf] + (item.kind == .certificate ? [] : authorities)
        let observation = Observation(presented: chain, referenceName: subject.referenceName, time: subject.time)
        let assumed = AssumedPath(path: path, verifier: evaluation.verifier)
        var report = Report(
            subject,
            observation,
            evaluation.decisions(on: observation, assuming: assumed),
            by: evaluation,
            isForecast: true
        )
        report.next = Report.Next(item, assumed: true, issuers: path.dropFirst().map(\.description))
        report.presented = []
        report.built = []
        report.builtIsValid = false
        return report
    }

    /// Whether a certificate came without the authorities it needs.
    private func isIncomplete(_ item: NextItem, _ chain: PresentedChain, _ subject: Report.Subject) -> Bool {
        guard item.kind == .certificate, !chain.leaf.isSelfIssued else { return false }
        let answer = evaluation.verifier.evaluate(
            PathQuestion(
                presented: chain,
                intermediates: evaluation.setup.pins?.certificates ?? [],
                anchors: .trustStore,
                policy: .sslServer(name: subject.referenceName),
                time: subject.time
            )
        )
        return answer.failures.contains { $0.reason == .unknownIssuer }
    }
}

extension Report.Next {
    /// Reports what is about to be deployed.
    fileprivate init(_ item: NextItem, assumed: Bool, issuers: [String]) {
        self.init(
            kind: item.kind.rawValue,
            pin: item.item.spkiSHA256.description,
            assumed: assumed,
            issuers: issuers
        )
    }
}

extension Report {
    /// Says in each client's notation which pin has to be shipped before the item is deployed.
    fileprivate mutating func addHints(for item: NextItem) {
        let isAssumed = next?.assumed == true
        for index in clients.indices where clients[index].verdict == .reject {
            guard isAssumed || clients[index].reason.id == "pin-mismatch" else { continue }
            clients[index].reason = Message(
                id: "pin-mismatch",
                message: "no configured pin matches \(item.title): before it is deployed, ship "
                    + item.item.notation(for: clients[index].name)
            )
        }
        if verdict == .reject, clients.count == 1 { reason = clients[0].reason }
        guard isAssumed, verdict == .accept else { return }
        let issuers = next?.issuers ?? []
        let isByAuthority = !pins.matched.isEmpty && !pins.matched.contains { $0.depth == 0 }
        warnings.append(
            Message(
                id: "next-assumed",
                message: isByAuthority
                    ? "this holds if the authorities of today issue it again: \(issuers.joined(separator: ", "))"
                    : "its certificate is assumed to be trusted and valid for the name: check the chain once it is issued"
            )
        )
    }
}

extension PinItem {
    /// The pin as the client called `name` takes it.
    fileprivate func notation(for name: String) -> String {
        switch name {
        case "curl": notations.curl
        case "hpkp": notations.hpkp
        case "dane": notations.tlsa
        case "trustkit", "trustkit-android", "android", "nspinneddomains": notations.base64
        default: notations.okhttp
        }
    }
}
