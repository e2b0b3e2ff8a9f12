import Pinning
import Rotation

/// What the user wants to be told of the time ahead.
struct OutlookRules: Sendable {
    /// How much must be left.
    var limits = OutlookLimits()
    /// Whether a warning changes the exit status.
    var failsOnWarning = false
}

extension OutlookRules {
    /// Reads what the flags say.
    init(_ settings: OutlookSettings) throws(CommandError) {
        limits = try settings.limits()
        failsOnWarning = try settings.failsOnWarning()
    }
}

extension Report {
    /// Adds how long a verdict will last, and ends otherwise where less is left than was asked for.
    ///
    /// Of several clients the first counts that has no backup: each must go on accepting.
    ///
    /// - Parameters:
    ///   - deciding: the verdict that is shown and the client that reached it.
    ///   - others: those of the other clients.
    ///   - evaluation: what the chain was judged by.
    ///   - time: the moment of the verdict.
    mutating func lookAhead(
        from deciding: ClientVerdict,
        and others: [ClientVerdict],
        by evaluation: Evaluation,
        at time: Timestamp
    ) {
        let verdict = deciding.verdict
        let pins = evaluation.setup.pins?.pins ?? []
        var outlook = Self.question(deciding, pins, evaluation, time).outlook()
        if verdict.isAccepted, !outlook.backups.isEmpty,
            let other = others.lazy
                .filter({ $0.verdict.builtChain == verdict.builtChain && !$0.verdict.matches.isEmpty })
                .map({ (name: $0.client.entry.name, outlook: Self.question($0, pins, evaluation, time).outlook()) })
                .first(where: { $0.outlook.backups.isEmpty && $0.outlook.end != nil })
        {
            outlook = other.outlook.naming(other.name)
        }
        self.outlook = Outlook(outlook)
        let limits = evaluation.outlook.limits
        for (depth, certificate) in verdict.builtChain.certificates.enumerated() where built.indices.contains(depth) {
            let (start, end) = (certificate.notBefore, certificate.notAfter)
            built[depth].warnDays = limits.warnBefore?.days(from: start, to: end)
            built[depth].failDays = limits.failBefore?.days(from: start, to: end)
        }
        guard status == .pass else { return }
        if let finding = outlook.findings.first, finding.level == .fail {
            demote(to: .fail, Message(id: finding.id, message: finding.message))
        }
    }

    /// Ends with a warning where one was given and the user wants to know by the exit status.
    mutating func applyWarnings(_ rules: OutlookRules) {
        guard rules.failsOnWarning, status == .pass else { return }
        if let finding = outlook?.findings.first(where: { $0.level == Rotation.Outlook.Finding.Level.warn.rawValue }) {
            demote(to: .warn, Message(id: finding.id, message: finding.message))
        } else if let warning = warnings.first {
            demote(to: .warn, warning)
        }
    }

    /// Gives an accepted server another exit status, and says why.
    mutating func demote(to status: ExitStatus, _ why: Message) {
        exit = Exit(status)
        reason = Message(id: why.id, message: verdict == .accept ? "accepted, but " + why.message : why.message)
    }
}

/// A client and what it decided.
struct ClientVerdict {
    let client: ClientChoice.Chosen
    let verdict: Verdict
}

extension Report {
    /// What the time ahead is asked of one client.
    private static func question(
        _ decision: ClientVerdict,
        _ pins: [Pinning.Pin],
        _ evaluation: Evaluation,
        _ time: Timestamp
    ) -> OutlookQuestion {
        let client = decision.client
        var question = OutlookQuestion(
            path: decision.verdict.builtChain.certificates,
            pins: pins,
            matches: client.pins.map { decision.verdict.matches(of: $0, among: pins) } ?? [],
            comparesCertificates: client.comparesCertificates,
            // Where several clients are asked, the first to drop its pins is the first to let everybody in.
            pinsExpire: evaluation.setup.clients.compactMap(\.pinsExpire).min(),
            time: time,
            limits: evaluation.outlook.limits
        )
        question.comparesLeafAlone = client.comparesLeafAlone
        question.needsEveryMatch = client.needsEveryMatch
        let own = Set(client.pins?.pins ?? [])
        question.ignored = Set(
            pins.indices.filter { index in
                client.comparesNothing || !own.contains(pins[index])
                    || client.comparesCertificates && pins[index].certificate == nil
            }
        )
        return question
    }
}

extension Verdict {
    /// Which of `pins` the chain satisfies, given the client's own.
    func matches(of own: PinSet, among pins: [Pin]) -> [PinMatch] {
        let byDepth = Dictionary(grouping: matches.filter { own.pins.indices.contains($0.pinIndex) }, by: \.depth)
        return byDepth.keys.sorted().flatMap { depth in
            let matched = Set((byDepth[depth] ?? []).map { own.pins[$0.pinIndex] })
            return pins.indices.filter { matched.contains(pins[$0]) }.map { PinMatch(pinIndex: $0, depth: depth) }
        }
    }
}

extension ClientChoice.Chosen {
    private var configured: (any ClientProcedure)? { try? procedure.get() }

    /// Whether the client compares whole certificates, so that a new one for the same key breaks a pin.
    var comparesCertificates: Bool {
        switch configured {
        case let client as AFNetworking4: client.policy.mode == .certificate
        case let client as AFNetworking25: client.policy.mode == .certificate
        case let client as Alamofire: client.evaluator.comparesCertificates
        default: false
        }
    }

    /// Whether only the server's own key counts.
    var comparesLeafAlone: Bool {
        switch configured {
        case is Curl: true
        case let client as AFNetworking25:
            client.policy.mode == .publicKey && !client.validatesCertificateChain
        case let client as NSPinnedDomains:
            if case .listed(leaf: .some, authorities: nil) = client.identities { true } else { false }
        case let client as DANE: client.records.allSatisfy { $0.usage == .leaf || $0.usage == .leafConstraint }
        default: false
        }
    }

    /// Whether all pins that match have to go on matching.
    var needsEveryMatch: Bool {
        switch configured {
        case let client as AFNetworking25: client.validatesCertificateChain
        case let client as NSPinnedDomains:
            if case .listed(leaf: .some, authorities: .some) = client.identities { true } else { false }
        default: false
        }
    }

    /// Whether the client is set to compare no pin.
    var comparesNothing: Bool {
        switch configured {
        case let client as AFNetworking4: client.policy.mode == .none
        case let client as AFNetworking25: client.policy.mode == .none
        case let client as Alamofire: !client.evaluator.comparesPins
        default: false
        }
    }

    /// The moment from which on the client ignores its pins.
    var pinsExpire: Timestamp? {
        switch configured {
        case let client as TrustKit: client.expiration
        case let client as TrustKitAndroid: client.expiration
        case let client as AndroidNetworkSecurityConfig: client.expiration
        default: nil
        }
    }
}

extension Alamofire.Evaluator {
    /// Whether certificates are compared.
    fileprivate var comparesCertificates: Bool {
        switch self {
        case .pinnedCertificates: true
        case .composite(let evaluators): evaluators.contains(where: \.comparesCertificates)
        default: false
        }
    }

    /// Whether any pin is compared.
    fileprivate var comparesPins: Bool {
        switch self {
        case .pinnedCertificates, .publicKeys: true
        case .composite(let evaluators): evaluators.contains(where: \.comparesPins)
        default: false
        }
    }
}
