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
    /// - Parameters:
    ///   - verdict: the verdict that is shown.
    ///   - client: the client that reached it.
    ///   - evaluation: what the chain was judged by.
    ///   - time: the moment of the verdict.
    mutating func lookAhead(
        from verdict: Verdict,
        of client: ClientChoice.Chosen,
        by evaluation: Evaluation,
        at time: Timestamp
    ) {
        let matches = pins.matched.map { PinMatch(pinIndex: $0.pin, depth: $0.depth) }
        let outlook = OutlookQuestion(
            path: verdict.builtChain.certificates,
            pins: evaluation.setup.pins?.pins ?? [],
            matches: client.comparesLeafAlone ? matches.filter { $0.depth == 0 } : matches,
            comparesCertificates: client.comparesCertificates,
            // Where several clients are asked, the first to drop its pins is the first to let everybody in.
            pinsExpire: evaluation.setup.clients.compactMap(\.pinsExpire).min(),
            time: time,
            limits: evaluation.outlook.limits
        ).outlook()
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
        case let client as DANE: client.records.allSatisfy { $0.usage == .leaf || $0.usage == .leafConstraint }
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
}
