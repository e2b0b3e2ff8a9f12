internal import Base
internal import Pinning

/// Says what in an outlook is worth telling.
struct OutlookFindings {
    private typealias Finding = Outlook.Finding

    private let question: OutlookQuestion
    private let outlook: Outlook

    init(_ question: OutlookQuestion, _ outlook: Outlook) {
        self.question = question
        self.outlook = outlook
    }

    /// All findings in the order of what they are about: certificates, pins, the server's habits.
    func all() -> [Outlook.Finding] { certificates() + expiringPins() + pinLife() + ends() + renewal() }

    // MARK: Validity

    /// Certificates of which less is left than the limits ask for: of all paths that the client needs.
    ///
    /// A client that does not mind dates is told of those of its path all the same: renewing them is due.
    private func certificates() -> [Finding] {
        let isMinded = !question.restsOn.isEmpty
        var seen: Set<SHA256Digest> = []
        let paths = isMinded ? question.restsOn : [question.path]
        return paths.flatMap { $0.enumerated() }.compactMap { depth, certificate in
            guard seen.insert(certificate.fingerprint).inserted, certificate.notAfter >= question.time,
                let (level, limit) = reached(from: certificate.notBefore, to: certificate.notAfter)
            else { return nil }
            return Finding(
                id: "expires-soon", level: level,
                message: "\(certificate) (depth \(depth)) expires \(when(certificate.notAfter)), "
                    + "less than \(limit) from now" + (isMinded ? "" : "; the client does not mind"),
                subject: .certificate(certificate.fingerprint, isMinded: isMinded))
        }
    }

    /// The gravest limit that is reached, with how it is written.
    private func reached(from start: Timestamp, to end: Timestamp) -> (Finding.Level, String)? {
        func isReached(_ limit: Threshold?) -> Bool {
            limit?.isReached(at: question.time, from: start, to: end) ?? false
        }
        if isReached(question.limits.failBefore), let limit = question.limits.failBefore {
            return (.fail, words(limit))
        }
        if isReached(question.limits.warnBefore), let limit = question.limits.warnBefore {
            return (.warn, words(limit))
        }
        return nil
    }

    private func words(_ limit: Threshold) -> String {
        if case .percent = limit { "\(limit) of its lifetime" } else { "\(limit)" }
    }

    // MARK: Pins

    private func expiringPins() -> [Finding] {
        var findings: [Finding] = []
        if let end = outlook.pinsExpire {
            let expired = end < question.time
            // Without a beginning there is no lifetime: a percentage says nothing here.
            let limit = expired ? nil : reachedBeforeEnd(of: end)
            findings.append(
                Finding(
                    id: expired ? "pins-expired" : "pins-expire", level: expired ? .warn : limit?.0 ?? .info,
                    message: expired
                        ? "the pins expired on \(end.date): the client takes any trusted chain"
                        : "the pins expire on \(end.date): from then on the client takes any trusted chain"
                            + (limit.map { ", less than \($0.1) from now" } ?? ""), subject: .pins))
        }
        var told: Set<Int> = []
        for use in question.comparison.demands.flatMap(\.uses) where outlook.pins[use.pinIndex].depth == nil {
            let index = use.pinIndex
            guard let certificate = question.pins[index].certificate, use.isWholeCertificate,
                certificate.notAfter < question.time, told.insert(index).inserted
            else { continue }
            findings.append(
                Finding(
                    id: "pin-expired", level: .warn,
                    message: "pin \(index + 1), \(certificate), expired on \(certificate.notAfter.date) "
                        + "and can match no more: remove it", subject: .pins))
        }
        return findings
    }

    private func reachedBeforeEnd(of end: Timestamp) -> (Finding.Level, String)? {
        let limits: [(Finding.Level, Threshold?)] = [
            (.fail, question.limits.failBefore), (.warn, question.limits.warnBefore),
        ]
        for (level, limit) in limits {
            guard case .seconds? = limit, let limit, limit.isReached(at: question.time, from: question.time, to: end)
            else { continue }
            return (level, "\(limit)")
        }
        return nil
    }

    private func pinLife() -> [Finding] {
        guard let limit = question.limits.minPinLife, let until = outlook.noPinAfter, let leaf = question.path.first,
            limit.isReached(at: question.time, from: leaf.notBefore, to: until)
        else { return [] }
        return [
            Finding(
                id: "pin-life-short", level: .fail,
                message: "no configured pin is sure to match after \(until.date), less than \(limit) from now",
                subject: .pinLife(until: until))
        ]
    }

    /// What ends the pins, and whether anything comes after them; nothing where the client accepts for another reason.
    private func ends() -> [Finding] {
        guard question.isAcceptedForPins, let end = outlook.end, let until = outlook.pinsMatchUntil else { return [] }
        // A client that does not mind dates goes on for as long as the server does.
        let due = question.restsOn.isEmpty ? "due by" : "on or before"
        let report = question.comparison.isEnforced ? "" : "; a mismatch is only reported"
        return [
            Finding(
                id: end == .leafRenewal ? "breaks-at-renewal" : "pins-end", level: isLastPin ? .warn : .info,
                message: "\(whatEnds()), \(due) \(until.date); \(backups())\(report)", subject: .end(end, until: until))
        ]
    }

    /// Whether something that the client demands hangs on one pin without another in reserve.
    private var isLastPin: Bool {
        outlook.demands.contains { $0.backups.isEmpty && ($0.isForEveryCertificate || $0.matched.count == 1) }
    }

    private func whatEnds() -> String {
        let holdings = outlook.demands.compactMap(\.holding)
        if outlook.demands.contains(where: \.isForEveryCertificate) {
            let what = holdings.allSatisfy(\.isWholeCertificate) ? "certificate" : "key"
            return "every \(what) of the chain pinned: breaks when one of them is replaced"
        }
        guard let holding = holdings.first, holdings.count == 1 else {
            let places = holdings.map { Self.noun($0) }.joined(separator: " and ")
            return "\(places) pinned, each needed: breaks when one of them is replaced"
        }
        let place = Self.noun(holding)
        switch holding.role {
        case .leafRenewal where holding.isWholeCertificate: return "\(place) pinned: breaks at the next renewal"
        case .leafRenewal: return "\(place) pinned: breaks at the next renewal with a new key"
        case .intermediateExpiry, .rootExpiry: return "\(place) pinned: breaks when the server gets another"
        }
    }

    private static func noun(_ holding: DemandStanding.Holding) -> String {
        switch holding.role {
        case .leafRenewal: holding.isWholeCertificate ? "leaf certificate" : "leaf key"
        case .intermediateExpiry: "intermediate"
        case .rootExpiry: "root"
        }
    }

    private func backups() -> String {
        let missing = outlook.demands.filter(\.backups.isEmpty).compactMap(\.holding).map(Self.noun)
        let none = missing.isEmpty ? "" : ", but none for the \(missing.separated(by: " and "))"
        switch outlook.backups.count {
        case 0: return "no backup"
        case 1: return "backup: pin \(outlook.backups[0] + 1)\(none)"
        default: return "backups: pins \(outlook.backups.map { String($0 + 1) }.separated(by: ", "))\(none)"
        }
    }

    // MARK: Renewal

    private func renewal() -> [Finding] {
        guard let point = outlook.renewalPoint, let leaf = question.path.first, point < question.time,
            leaf.notAfter >= question.time
        else { return [] }
        return [
            Finding(
                id: "renewal-due", level: .warn,
                message: "the usual renewal point is past (\(point.date)): the server's certificate "
                    + "expires \(when(leaf.notAfter))", subject: .server)
        ]
    }

    /// A moment to come: the hours for the last two days, the date otherwise.
    private func when(_ time: Timestamp) -> String {
        let left = Threshold.seconds(from: question.time, to: time)
        return left < 2 * 86_400 ? "in \(max(0, left) / 3_600) h, on \(time)" : "in \(left / 86_400) d, on \(time.date)"
    }
}
