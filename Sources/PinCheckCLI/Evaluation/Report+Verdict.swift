import Pinning
import Rotation

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
        var clients = decisions.map { Client($0, subject: subject) }
        let judgements = evaluation.judgements(decisions, on: observation, isForecast: isForecast)
        // The chain that is shown is one the verdict rests on: that of the first client of the registry, or the first that rejects.
        guard let shown = judgements.first(where: { !$0.decided.isAccepted }) ?? judgements.first else {
            let reason = Message(id: "not-configured", message: "no client can be set up with these pins")
            self.init(subject, evaluation: evaluation, verdict: .none, reason: reason, status: .data)
            self.clients = clients
            warnings += Self.clientsNotSetUp(clients)
            return
        }
        let deciding = shown.decided
        if !isForecast {
            for (index, decision) in decisions.enumerated() {
                // A client that is named twice has the same settings, or is told apart by them.
                let own = judgements.first { $0.client.isSame(as: decision.client) }
                clients[index].outlook = own.map { Outlook($0.outlook) }
            }
        }
        self.init(
            subject,
            evaluation: evaluation,
            verdict: deciding.isAccepted ? .accept : .reject,
            reason: Self.summary(of: clients),
            status: deciding.isAccepted ? .pass : .fail
        )
        self.clients = clients
        show(presented, built: shown, subject: subject, evaluation: evaluation)
        if !isForecast { showOtherPaths(of: judgements, presented, subject: subject, evaluation: evaluation) }
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
        }
        for judgement in judgements {
            let prefix = clients.count > 1 ? judgement.name + ": " : ""
            warnings += judgement.decided.warnings.map { Message(id: $0.id, message: prefix + $0.message) }
        }
        warnings += Self.clientsNotSetUp(clients)
        guard !isForecast else { return }
        if let warning = evaluation.strictWarning(on: deciding, observation: observation) { warnings.append(warning) }
        if let warning = evaluation.missingRootsWarning(on: deciding) { warnings.append(warning) }
        if let warning = evaluation.bareKeyWarning(on: deciding, presented: presented) { warnings.append(warning) }
        lookAhead(judgements)
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
        built shown: Judgement,
        subject: Subject,
        evaluation: Evaluation
    ) {
        self.presented = presented.certificates.enumerated().map { index, certificate in
            Certificate(certificate, at: index, of: presented.certificates.count, time: subject.time)
        }
        let path = shown.shown.builtChain
        built = Self.links(of: path.certificates, shown.matches, presented, subject: subject, evaluation: evaluation)
        builtIsValid = path.isVerified
        pins.matched = shown.matches.map { Match(pin: $0.pinIndex, depth: $0.depth) }
    }

    /// Fills in the other paths that clients need, as AFNetworking's in certificate mode, which asks the system first.
    private mutating func showOtherPaths(
        of judgements: [Judgement],
        _ presented: PresentedChain,
        subject: Subject,
        evaluation: Evaluation
    ) {
        var paths: [(certificates: [Pinning.Certificate], clients: [String])] = []
        for judgement in judgements {
            for path in judgement.decided.restsOn.map(\.certificates) {
                let hashes = path.map(\.fingerprint.hexadecimal)
                guard !built.map(\.certificate.certSha256).starts(with: hashes) else { continue }
                if let index = paths.firstIndex(where: { $0.certificates == path }) {
                    if !paths[index].clients.contains(judgement.name) { paths[index].clients.append(judgement.name) }
                } else {
                    paths.append((path, [judgement.name]))
                }
            }
        }
        otherPaths = paths.map { path in
            Path(
                clients: path.clients,
                chain: Self.links(of: path.certificates, [], presented, subject: subject, evaluation: evaluation)
            )
        }
    }

    /// A path as it is reported, with the limits that monitoring systems are told.
    private static func links(
        of path: [Pinning.Certificate],
        _ matches: [PinMatch],
        _ presented: PresentedChain,
        subject: Subject,
        evaluation: Evaluation
    ) -> [ChainLink] {
        let limits = evaluation.outlook.limits
        let configured = evaluation.setup.pins?.pins ?? []
        return path.enumerated().map { depth, certificate in
            ChainLink(
                certificate: Certificate(certificate, at: depth, of: path.count, time: subject.time),
                source: source(of: certificate, presented: presented, evaluation: evaluation, pins: configured),
                pins: matches.filter { $0.depth == depth }.map(\.pinIndex),
                warnDays: limits.warnBefore?.days(from: certificate.notBefore, to: certificate.notAfter),
                failDays: limits.failBefore?.days(from: certificate.notBefore, to: certificate.notAfter)
            )
        }
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
                configured: (setup?.pins?.pins.map { Pin($0) } ?? []) + (setup?.records.map { Pin($0) } ?? []),
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

extension Report.Pin {
    /// Reports a configured record that no pin expresses.
    init(_ item: ConfiguredRecord) {
        self.init(pin: item.record.description, kind: "tlsa-record", origin: item.origin)
    }
}

extension ClientChoice.Chosen {
    /// Whether both are the same client with the same settings.
    fileprivate func isSame(as other: Self) -> Bool {
        entry.name == other.entry.name && words == other.words
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
