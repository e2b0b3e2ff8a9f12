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
    func all() -> [Outlook.Finding] {
        certificates() + expiringPins() + pinLife() + ends() + renewal()
    }

    // MARK: Validity

    /// Certificates of the path of which less is left than the limits ask for.
    private func certificates() -> [Finding] {
        question.path.enumerated().compactMap { depth, certificate in
            guard certificate.notAfter >= question.time,
                let (level, limit) = reached(from: certificate.notBefore, to: certificate.notAfter)
            else { return nil }
            return Finding(
                id: "expires-soon",
                level: level,
                message: "\(certificate) (depth \(depth)) expires \(when(certificate.notAfter)), "
                    + "less than \(limit) from now"
            )
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
        if let end = question.pinsExpire, !question.pins.isEmpty {
            let expired = end < question.time
            // Without a beginning there is no lifetime: a percentage says nothing here.
            let limit = expired ? nil : reachedBeforeEnd(of: end)
            findings.append(
                Finding(
                    id: expired ? "pins-expired" : "pins-expire",
                    level: expired ? .warn : limit?.0 ?? .info,
                    message: expired
                        ? "the pins expired on \(end.date): the client takes any trusted chain"
                        : "the pins expire on \(end.date): from then on the client takes any trusted chain"
                            + (limit.map { ", less than \($0.1) from now" } ?? "")
                )
            )
        }
        for index in question.pins.indices where outlook.pins[index].depth == nil && outlook.pins[index].isCompared {
            guard let certificate = question.pins[index].certificate, question.isCertificate(index),
                certificate.notAfter < question.time
            else { continue }
            findings.append(
                Finding(
                    id: "pin-expired",
                    level: .warn,
                    message: "pin \(index + 1), \(certificate), expired on \(certificate.notAfter.date) "
                        + "and can match no more: remove it"
                )
            )
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
        guard let limit = question.limits.minPinLife, let until = outlook.noPinAfter,
            let leaf = question.path.first,
            limit.isReached(at: question.time, from: leaf.notBefore, to: until)
        else { return [] }
        return [
            Finding(
                id: "pin-life-short",
                level: .fail,
                message: "no configured pin is sure to match after \(until.date), less than \(limit) from now"
            )
        ]
    }

    /// What ends the pins, and whether anything comes after them.
    private func ends() -> [Finding] {
        guard let end = outlook.end, let until = outlook.pinsMatchUntil else { return [] }
        let what =
            switch end {
            case .leafRenewal where outlook.endsWithCertificate:
                "leaf certificate pinned: breaks at the next renewal"
            case .leafRenewal: "leaf key pinned: breaks at the next renewal with a new key"
            case .intermediateExpiry: "intermediate pinned: breaks when the server gets another"
            case .rootExpiry: "root pinned: breaks when the server gets another"
            }
        let numbers = outlook.backups.map { String($0 + 1) }.joined(separator: ", ")
        let backup =
            switch outlook.backups.count {
            case 0: "no backup"
            case 1: "backup: pin \(numbers)"
            default: "backups: pins \(numbers)"
            }
        let isLastPin = outlook.backups.isEmpty && outlook.pins.count(where: { $0.depth != nil }) == 1
        return [
            Finding(
                id: end == .leafRenewal ? "breaks-at-renewal" : "pins-end",
                level: isLastPin ? .warn : .info,
                message: "\(what), on or before \(until.date); \(backup)"
            )
        ]
    }

    // MARK: Renewal

    private func renewal() -> [Finding] {
        guard let point = outlook.renewalPoint, let leaf = question.path.first, point < question.time,
            leaf.notAfter >= question.time
        else { return [] }
        return [
            Finding(
                id: "renewal-due",
                level: .warn,
                message: "the server is past its usual renewal point (\(point.date)): its certificate "
                    + "expires \(when(leaf.notAfter))"
            )
        ]
    }

    /// A moment to come: the hours for the last two days, the date otherwise.
    private func when(_ time: Timestamp) -> String {
        let left = Threshold.seconds(from: question.time, to: time)
        return left < 2 * 86_400 ? "in \(max(0, left) / 3_600) h, on \(time)" : "in \(left / 86_400) d, on \(time.date)"
    }
}
