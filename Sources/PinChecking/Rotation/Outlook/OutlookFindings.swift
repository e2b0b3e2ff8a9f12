internal import Base
internal import PinFormats
internal import Pinning

/// What in the outlook of one client is worth telling.
extension OutlookFacts {
    private typealias Finding = Outlook.Finding

    func findings(_ outlook: Outlook, _ standings: [Standing]) -> [Outlook.Finding] {
        (certificates() + expiringPins(outlook) + pinLife(outlook) + ends(outlook, standings)).worstFirst
    }

    /// Certificates of which less is left than the limits ask for: of all paths that the client needs.
    ///
    /// A client that does not mind dates is told of those of its path all the same: renewing them is due.
    private func certificates() -> [Finding] {
        let isMinded = !restsOn.isEmpty
        var seen: Set<SHA256Digest> = []
        return (isMinded ? restsOn : [path]).flatMap { $0.enumerated() }.compactMap { depth, certificate in
            guard seen.insert(certificate.fingerprint).inserted, certificate.notAfter >= time,
                let (level, limit) = reached(from: certificate.notBefore, to: certificate.notAfter)
            else { return nil }
            return Finding(
                id: "expires-soon", level: level,
                message: "\(certificate) (depth \(depth)) expires \(when(certificate.notAfter)), "
                    + "less than \(limit) from now" + (isMinded ? "" : "; the client does not mind"),
                subject: certificate.fingerprint.hexadecimal, date: certificate.notAfter)
        }
    }

    private func reached(from start: Timestamp, to end: Timestamp, isLifetime: Bool = true) -> (Finding.Level, String)?
    {
        // Without a limit of the user's: two weeks, or a third of a lifetime that is short.
        let isShort = isLifetime && start.seconds(to: end) < 42 * 86_400
        let standard = isShort ? Threshold.percent(33) : .seconds(14 * 86_400)
        let limits: [(Finding.Level, Threshold?)] = [(.fail, rules.failBefore), (.warn, rules.warnBefore ?? standard)]
        for case (let level, let limit?) in limits where limit.isReached(at: time, from: start, to: end) {
            guard case .percent = limit else { return (level, "\(limit)") }
            if isLifetime { return (level, "\(limit) of its lifetime") }
        }
        return nil
    }

    private func expiringPins(_ outlook: Outlook) -> [Finding] {
        var findings: [Finding] = []
        if let end = outlook.pinsExpire {
            let isPast = end < time
            // Without a beginning there is no lifetime: a percentage says nothing here.
            let limit = isPast ? nil : reached(from: time, to: end, isLifetime: false)
            findings.append(
                Finding(
                    id: isPast ? "pins-expired" : "pins-expire", level: isPast ? .warn : limit?.0 ?? .info,
                    message: isPast
                        ? "the pins expired on \(end.date): the client takes any trusted chain"
                        : "the pins expire on \(end.date): from then on the client takes any trusted chain"
                            + (limit.map { ", less than \($0.1) from now" } ?? ""), subject: "pins-expire", date: end))
        }
        let compared = Set(
            comparison.conditions.flatMap { condition in condition.pins.filter { condition.comparesWhole(pins[$0]) } })
        for index in compared.sorted() where outlook.pins[index].depth == nil {
            guard let certificate = pins[index].certificate, certificate.notAfter < time else { continue }
            findings.append(
                Finding(
                    id: "pin-expired", level: .warn,
                    message: "pin \(index + 1), \(certificate), expired on \(certificate.notAfter.date) "
                        + "and can match no more: replace it", subject: "pin \(index)", date: certificate.notAfter))
        }
        return findings
    }

    private func pinLife(_ outlook: Outlook) -> [Finding] {
        guard let limit = rules.minPinLife, let until = outlook.noPinAfter, let leaf = path.first,
            limit.isReached(at: time, from: leaf.notBefore, to: until)
        else { return [] }
        let message = "no configured pin is sure to match after \(until.date), less than \(limit) from now"
        return [Finding(id: "pin-life-short", level: .fail, message: message, subject: "pin-life", date: until)]
    }

    /// What ends the pins, and whether anything comes after them; nothing where the client accepts for another reason.
    private func ends(_ outlook: Outlook, _ standings: [Standing]) -> [Finding] {
        guard isAcceptedForPins, let end = outlook.end, let until = outlook.pinsMatchUntil else { return [] }
        // Something that the client demands hangs on one pin without another in reserve.
        let hangs = standings.contains { $0.backups.isEmpty && ($0.isFlat || $0.matched.count == 1) }
        // A client that does not mind dates goes on for as long as the server does.
        let due = restsOn.isEmpty ? "due by" : "on or before"
        let report = comparison.isEnforced ? "" : "; a mismatch is only reported"
        return [
            Finding(
                id: end == .leafRenewal ? "breaks-at-renewal" : "pins-end", level: hangs ? .warn : .info,
                message: "\(whatEnds(standings)), \(due) \(until.date); \(backups(outlook, standings))\(report)",
                subject: "end", date: until)
        ]
    }

    private func whatEnds(_ standings: [Standing]) -> String {
        let holdings = standings.compactMap(\.holding)
        guard let holding = holdings.first, holdings.count == 1 else {
            let places = holdings.map(\.what).joined(separator: " and ")
            return "\(places) pinned, each needed: breaks when one of them is replaced"
        }
        let breaks =
            switch holding.end {
            case .leafRenewal where holding.what == "leaf key": "breaks at the next renewal with a new key"
            case .leafRenewal: "breaks at the next renewal"
            case .intermediateExpiry, .rootExpiry: "breaks when the server gets another"
            }
        return "\(holding.what) pinned: \(breaks)"
    }

    private func backups(_ outlook: Outlook, _ standings: [Standing]) -> String {
        let missing = standings.filter(\.backups.isEmpty).compactMap { $0.holding?.what }
        let none = missing.isEmpty ? "" : ", but none for the \(missing.separated(by: " and "))"
        switch outlook.backups.count {
        case 0: return "no backup"
        case 1: return "backup: pin \(outlook.backups[0] + 1)\(none)"
        default: return "backups: pins \(outlook.backups.map { String($0 + 1) }.separated(by: ", "))\(none)"
        }
    }

    /// A moment to come: the hours for the last two days, the date otherwise.
    private func when(_ end: Timestamp) -> String {
        let left = time.seconds(to: end)
        return left < 2 * 86_400 ? "in \(max(0, left) / 3_600) h, on \(end)" : "in \(left / 86_400) d, on \(end.date)"
    }
}
