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
    }

    /// Judges a chain and reports the verdict.
    init(_ subject: Subject, presented: PresentedChain, by evaluation: Evaluation) {
        let observation = Observation(
            presented: presented,
            referenceName: subject.referenceName,
            time: subject.time
        )
        self.init(subject, presented: presented, verdict: evaluation.verdict(on: observation), by: evaluation)
    }

    /// Reports a verdict.
    init(_ subject: Subject, presented: PresentedChain, verdict: Verdict, by evaluation: Evaluation) {
        let name = evaluation.client.name
        let reason = Message(
            id: verdict.reason.id,
            message: Self.sentence(for: verdict, subject: subject, evaluation: evaluation)
        )
        let word: VerdictWord = verdict.isAccepted ? .accept : .reject
        self.init(
            subject,
            evaluation: evaluation,
            verdict: word,
            reason: reason,
            status: verdict.isAccepted ? .pass : .fail
        )
        self.presented = presented.certificates.enumerated().map { index, certificate in
            Certificate(certificate, at: index, of: presented.certificates.count, time: subject.time)
        }
        let path = verdict.builtChain.certificates
        built = path.enumerated().map { depth, certificate in
            ChainLink(
                certificate: Certificate(certificate, at: depth, of: path.count, time: subject.time),
                source: Self.source(of: certificate, presented: presented, evaluation: evaluation),
                pins: verdict.matches.filter { $0.depth == depth }.map(\.pinIndex)
            )
        }
        builtIsValid = verdict.builtChain.isVerified
        pins.matched = verdict.matches.map { Match(pin: $0.pinIndex, depth: $0.depth) }
        checks += verdict.trace.map { step in
            Check(client: name, id: step.id, status: step.status.rawValue, detail: step.detail)
        }
        clients = [
            Client(
                name: name,
                verdict: word,
                reason: reason,
                disposition: verdict.disposition.rawValue,
                settings: Settings(
                    mode: evaluation.policy.mode.rawValue,
                    allowInvalidCertificates: evaluation.policy.allowInvalidCertificates,
                    validatesDomainName: evaluation.policy.validatesDomainName
                )
            )
        ]
        warnings += verdict.warnings.map { Message(id: $0.id, message: $0.message) }
    }

    /// Reports that there is no verdict.
    init(_ subject: Subject, evaluation: Evaluation, unreachable reason: Message, checks: [Check]) {
        self.init(subject, evaluation: evaluation, verdict: .none, reason: reason, status: .unreachable)
        self.checks = checks
    }

    private init(
        _ subject: Subject,
        evaluation: Evaluation,
        verdict: VerdictWord,
        reason: Message,
        status: ExitStatus
    ) {
        let name = subject.referenceName == .unchecked ? nil : subject.referenceName.description
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
                mode: evaluation.policy.mode.rawValue,
                configured: evaluation.pins?.pins.map(Pin.init) ?? [],
                matched: []
            ),
            checks: [],
            clients: [],
            warnings: evaluation.notes,
            verdict: verdict,
            reason: reason,
            exit: Exit(status)
        )
    }

    /// Where a certificate of the chain came from.
    private static func source(
        of certificate: Pinning.Certificate,
        presented: PresentedChain,
        evaluation: Evaluation
    ) -> String {
        if presented.certificates.contains(certificate) { return "presented" }
        if evaluation.pins?.certificates.contains(certificate) == true { return "pin" }
        return evaluation.trust.rawValue
    }

    /// The reason in one line, with what the user needs to act on it.
    private static func sentence(for verdict: Verdict, subject: Subject, evaluation: Evaluation) -> String {
        switch verdict.reason {
        case .pinMatched(let match):
            let pin = evaluation.pins?.pins[match.pinIndex].certificate
            let kind = evaluation.policy.mode == .certificate && pin != nil ? "certificate" : "public key"
            return "\(kind) pin matched at depth \(match.depth)"
        case .trustedWithoutPins: return "the chain is trusted; no pins are compared"
        case .everythingAccepted: return "these settings accept every certificate"
        case .untrusted(let failures):
            let texts = failures.prefix(3).map(\.description)
            let sentence = texts.isEmpty ? "the chain is not trusted" : texts.joined(separator: "; also, ")
            guard let first = failures.first, case .nameMismatch = first.reason else { return sentence }
            return sentence + namesSent(subject)
        case .pinMismatch: return "no configured pin is on the chain"
        case .noPins: return "pins are required in this mode and none are configured: give --pins"
        case .refusedSettings(let text): return text
        }
    }

    /// Which name the server was asked for: what explains most certificates that are for another name.
    private static func namesSent(_ subject: Subject) -> String {
        guard let endpoint = subject.endpoint else { return "" }
        guard let sni = endpoint.sni else {
            return "; no SNI was sent, so the server chose its default certificate: give --host or --sni"
        }
        return "; the SNI was \(sni)"
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
        names = certificate.names.map { name in
            switch name {
            case .dns(let name): name
            case .ip(let bytes): IPAddress(bytes: bytes)?.description ?? "(an address of \(bytes.count) bytes)"
            case .other(let kind, let value): "\(kind):\(value)"
            }
        }
    }

    /// Days from one moment to another, rounded down, so that the last hours before an end count as 0 and those after as -1.
    private static func wholeDays(from start: Timestamp, to end: Timestamp) -> Int {
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
