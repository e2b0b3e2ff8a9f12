import Pinning

extension Report {
    /// What a report is about, apart from the chain.
    struct Subject: Sendable {
        /// The target or chain file.
        var target: String
        /// What was connected to.
        var endpoint: Endpoint?
        /// The TLS connection.
        var tls: TLS?
        /// The name the certificate must be valid for.
        var referenceName: ReferenceName
        /// The moment of the evaluation.
        var time: Timestamp
        /// Whether the server name was left out to see what clients get that send none.
        var omitsServerName = false
    }

    /// Judges a chain and reports what the clients decide.
    init(_ subject: Subject, presented: PresentedChain, by evaluation: Evaluation) {
        let observation = Observation(
            presented: presented,
            referenceName: subject.referenceName,
            time: subject.time
        )
        self.init(subject, observation, evaluation.decisions(on: observation), by: evaluation)
    }

    /// Reports what the clients decided.
    ///
    /// - Parameters:
    ///   - subject: what the report is about.
    ///   - observation: what they decided on.
    ///   - decisions: the decisions, in the order of the clients.
    ///   - evaluation: what they were made by.
    ///   - isForecast: whether they rest on a path that is only assumed, of which there is nothing else to say.
    init(
        _ subject: Subject,
        _ observation: Observation,
        _ decisions: [Evaluation.Decision],
        by evaluation: Evaluation,
        isForecast: Bool = false
    ) {
        let presented = observation.presented
        let clients = decisions.map { Client($0, subject: subject) }
        // The chain that is shown is the one the verdict rests on: the first client's, or the first that rejects.
        let verdicts = decisions.compactMap { decision in
            (try? decision.verdict.get()).map { ClientVerdict(client: decision.client, verdict: $0) }
        }
        guard var shown = verdicts.first(where: { !$0.verdict.isAccepted }) ?? verdicts.first else {
            let reason = Message(id: "not-configured", message: "no client can be set up with these pins")
            self.init(subject, evaluation: evaluation, verdict: .none, reason: reason, status: .data)
            self.clients = clients
            warnings += Self.clientsNotSetUp(clients)
            return
        }
        let deciding = shown.verdict
        if !isForecast { shown = evaluation.reachingFarther(shown, on: observation) }
        self.init(
            subject,
            evaluation: evaluation,
            verdict: deciding.isAccepted ? .accept : .reject,
            reason: Self.summary(of: clients),
            status: deciding.isAccepted ? .pass : .fail
        )
        self.clients = clients
        show(presented, built: shown, subject: subject, evaluation: evaluation)
        for decision in decisions {
            guard let verdict = try? decision.verdict.get() else { continue }
            checks += verdict.trace.map { step in
                Check(
                    client: decision.client.entry.name,
                    id: step.id,
                    status: step.status.rawValue,
                    detail: step.detail
                )
            }
            let prefix = clients.count > 1 ? decision.client.entry.name + ": " : ""
            warnings += verdict.warnings.map { Message(id: $0.id, message: prefix + $0.message) }
        }
        warnings += Self.clientsNotSetUp(clients)
        guard !isForecast else { return }
        if let warning = evaluation.strictWarning(on: deciding, observation: observation) { warnings.append(warning) }
        if let warning = evaluation.missingRootsWarning(on: deciding) { warnings.append(warning) }
        if let warning = evaluation.bareKeyWarning(on: deciding, presented: presented) { warnings.append(warning) }
        lookAhead(from: shown, and: verdicts, by: evaluation, at: subject.time)
    }

    /// One reason for all: the only client's own, or how many accept.
    private static func summary(of clients: [Client]) -> Message {
        guard clients.count > 1 else {
            return clients.first?.reason ?? Message(id: "not-configured", message: "no client was chosen")
        }
        let deciding = clients.filter { $0.verdict != .none }
        let absent = clients.filter { $0.verdict == .none }.map(\.name)
        let others =
            absent.isEmpty ? "" : "; \(absent.count) cannot be set up: \(absent.joined(separator: ", "))"
        let rejecting = deciding.filter { $0.verdict == .reject }
        guard !rejecting.isEmpty else {
            guard absent.isEmpty else {
                let verb = deciding.count == 1 ? "accepts" : "accept"
                return Message(
                    id: "clients-accept",
                    message: "\(deciding.count) of \(clients.count) clients \(verb)" + others
                )
            }
            let all = deciding.count == 2 ? "both" : "all \(deciding.count)"
            return Message(id: "all-accept", message: "\(all) clients accept")
        }
        let names = rejecting.map(\.name).joined(separator: ", ")
        let verb = rejecting.count == 1 ? "rejects" : "reject"
        return Message(
            id: "clients-reject",
            message: "\(rejecting.count) of \(clients.count) clients \(verb): \(names)" + others
        )
    }

    /// That clients of `all` are left out of the verdict, since they do not start with these pins.
    private static func clientsNotSetUp(_ clients: [Client]) -> [Message] {
        clients.filter { $0.verdict == .none }.map { client in
            Message(id: "client-not-set-up", message: "\(client.name) cannot be set up: \(client.reason.message)")
        }
    }

    /// Fills in the chain and the pins on it.
    private mutating func show(
        _ presented: PresentedChain,
        built shown: ClientVerdict,
        subject: Subject,
        evaluation: Evaluation
    ) {
        self.presented = presented.certificates.enumerated().map { index, certificate in
            Certificate(certificate, at: index, of: presented.certificates.count, time: subject.time)
        }
        let verdict = shown.verdict
        let path = verdict.builtChain.certificates
        let configured = evaluation.setup.pins?.pins ?? []
        // The client's own pins are counted apart from those that are reported.
        let own = shown.client.pins.map { verdict.matches(of: $0, among: configured) } ?? []
        let matches = own.map { Match(pin: $0.pinIndex, depth: $0.depth) }
        built = path.enumerated().map { depth, certificate in
            ChainLink(
                certificate: Certificate(certificate, at: depth, of: path.count, time: subject.time),
                source: Self.source(of: certificate, presented: presented, evaluation: evaluation, pins: configured),
                pins: matches.filter { $0.depth == depth }.map(\.pin)
            )
        }
        builtIsValid = verdict.builtChain.isVerified
        pins.matched = matches
    }

    /// Reports that there is no verdict.
    init(_ subject: Subject, evaluation: Evaluation?, unreachable reason: Message, checks: [Check]) {
        self.init(subject, evaluation: evaluation, verdict: .none, reason: reason, status: .unreachable)
        self.checks = checks
    }

    /// Reports a chain as it is, whether or not anybody would trust it.
    init(unjudged subject: Subject, presented: [Pinning.Certificate]) {
        let reason = Message(id: "not-judged", message: "not judged: give --pins, --anchors or --client")
        self.init(subject, evaluation: nil, verdict: .none, reason: reason, status: .pass)
        self.presented = presented.enumerated().map { index, certificate in
            Certificate(certificate, at: index, of: presented.count, time: subject.time)
        }
        notes = []
    }

    private init(
        _ subject: Subject,
        evaluation: Evaluation?,
        verdict: VerdictWord,
        reason: Message,
        status: ExitStatus
    ) {
        let name = subject.referenceName == .unchecked ? nil : subject.referenceName.description
        let setup = evaluation?.setup
        self.init(
            target: subject.target,
            endpoint: subject.endpoint,
            tls: subject.tls,
            verifyName: name,
            evaluatedAt: subject.time.description,
            presented: [],
            built: [],
            builtIsValid: false,
            pins: Pins(
                mode: (setup?.mode ?? .none).rawValue,
                configured: setup?.pins?.pins.map(Pin.init) ?? [],
                matched: [],
                entries: setup?.entries ?? []
            ),
            checks: [],
            clients: [],
            warnings: setup.map { $0.notes + $0.warnings } ?? [],
            verdict: verdict,
            reason: reason,
            exit: Exit(status)
        )
    }

    /// Where a certificate of the chain came from.
    private static func source(
        of certificate: Pinning.Certificate,
        presented: PresentedChain,
        evaluation: Evaluation,
        pins: [Pinning.Pin]
    ) -> String {
        if presented.certificates.contains(certificate) { return "presented" }
        if pins.contains(where: { $0.certificate == certificate }) { return "pin" }
        return evaluation.trust.rawValue
    }
}

extension Report.Certificate {
    /// Reports a certificate at a place of a chain with `count` certificates, as of `time`.
    init(_ certificate: Certificate, at index: Int, of count: Int, time: Timestamp) {
        self.index = index
        role = index == 0 ? "leaf" : certificate.isSelfIssued && index == count - 1 ? "root" : "intermediate"
        subject = certificate.subject
        issuer = certificate.issuer
        serial = certificate.serialNumber
        notBefore = certificate.notBefore.description
        notAfter = certificate.notAfter.description
        daysLeft = Self.wholeDays(from: time, to: certificate.notAfter)
        daysUntilValid = max(0, -Self.wholeDays(from: certificate.notBefore, to: time))
        key = certificate.publicKey.algorithm.description
        spkiSha256 = certificate.publicKey.spkiSHA256.description
        certSha256 = certificate.fingerprint.hexadecimal
        names = certificate.names.map(\.description)
    }

    /// Days from one moment to another, rounded down, so that the last hours before an end count as 0 and those after as -1.
    static func wholeDays(from start: Timestamp, to end: Timestamp) -> Int {
        let (seconds, overflow) = end.secondsSinceEpoch.subtractingReportingOverflow(start.secondsSinceEpoch)
        guard !overflow else { return end < start ? .min : .max }
        return Int(seconds >= 0 ? seconds / 86_400 : (seconds - 86_399) / 86_400)
    }
}

extension Report.Pin {
    /// Reports a configured pin.
    init(_ pin: Pin) {
        self.init(
            pin: pin.spkiSHA256.description,
            kind: pin.certificate == nil ? "public-key" : "certificate",
            origin: pin.origin,
            subject: pin.certificate?.description
        )
    }
}

extension Report.ConfigurationEntry {
    /// Reports an entry of a configuration.
    init(_ kind: PinConfiguration.Kind, _ entry: HostEntry) {
        self.init(
            kind: kind.rawValue,
            hosts: entry.hosts?.description,
            origin: entry.origin,
            enforcesPinning: entry.enforcesPinning,
            expires: entry.expiration?.date
        )
    }
}
