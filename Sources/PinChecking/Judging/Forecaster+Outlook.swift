import Base
import PinFormats
import Pinning

extension Forecaster {
    /// The outlook, and today's matches by position in the configuration.
    func outlook(inUse: Set<SHA256Digest>, isIdleTaken: Bool) -> (outlook: Outlook, matches: [PinMatch]) {
        let configured = policy.pins?.pins ?? []
        // A client's own pins have no duplicates: a result is for all equal pins of the configuration.
        let own = Dictionary(pins.indices.map { (pins[$0], $0) }) { first, _ in first }
        let positions = configured.map { own[$0] }
        func matchesInConfiguration(_ matches: [PinMatch]) -> [PinMatch] {
            let byPin = Dictionary(grouping: matches, by: \.pinIndex)
            return positions.enumerated().flatMap { position, index in
                (index.flatMap { byPin[$0] } ?? []).map { PinMatch(pinIndex: position, depth: $0.depth) }
            }.sorted { ($0.depth, $0.pinIndex) < ($1.depth, $1.pinIndex) }
        }
        let conditions = comparison.conditions
        let holding = holding
        let coming = comingRoots
        let changes = rootChanges(coming)
        let ahead = verdict.isByPins ? ahead(changes, learning: coming.map(\.end)) : nil
        let unused = ahead.map { unusedPins(from: max($0.until, time), inUse: inUse) }
        let compared = Set(conditions.flatMap(\.pins))
        let found = holding.flatMap(\.self)
        let byPin = Dictionary(grouping: found, by: \.pinIndex)
        let standings = positions.map { index in
            let matches = index.flatMap { byPin[$0] } ?? []
            let result = index.flatMap { unused?.pins[$0] }
            return Outlook.PinStanding(
                depth: matches.map(\.depth).min(),
                // A key on several certificates lasts as long as the last of them.
                until: matches.map { path[$0.depth].notAfter }.max() ?? result?.until,
                isCompared: index.map(compared.contains) ?? false,
                isBackup: result.map { $0.noBackup == nil } ?? false, noBackup: result?.noBackup)
        }
        let hasBackup = conditions.map { condition in
            condition.pins.contains { unused?.pins[$0].map { $0.noBackup == nil } ?? false }
        }
        let isRootComing = changes.contains { $0.isComing }
        // Without a backup the pins end with today's matches, even in the past; `unused` begins now at the earliest.
        let ends = ahead.map { ahead in
            conditions.indices.compactMap { hasBackup[$0] ? unused?.ends[$0] : endOfMatches(of: conditions[$0], ahead) }
        }
        let expiration = conditions.isEmpty ? nil : comparison.expiration
        let haveExpired = expiration.map { $0 < time } ?? false
        var outlook = Outlook(
            pins: standings, pinsMatchUntil: ahead?.until, end: ahead?.end,
            noPinAfter: ends.flatMap { ($0 + [expiration, isRootComing ? time : nil].compactMap(\.self)).min() },
            hasBackup: !hasBackup.isEmpty && hasBackup.allSatisfy(\.self), pinsExpire: expiration,
            validUntil: verdict.isAccepted && verdict.restsOn.isEmpty ? nil : datedPaths.joined().map(\.notAfter).min(),
            renewalPoint: path.first?.renewalPoint, findings: [],
            comparesPins: ahead != nil || !conditions.isEmpty && (!verdict.isAccepted || haveExpired))
        let dependsOnPin = conditions.indices.contains { index in
            !hasBackup[index]
                && (conditions[index].place == .everywhere || Set(holding[index].map(\.pinIndex)).count == 1)
        }
        outlook.findings =
            (expiringCertificates() + changedRoots(changes) + expiringPins(outlook) + shortPinLife(outlook, isIdleTaken)
            + (ahead.map { [endOfPins($0, outlook, dependsOnPin, isRootComing: isRootComing)] } ?? [])
            + unjudgedPins(outlook)).worstFirst
        let matches = verdict.isByPins ? found.distinct : []
        return (outlook, matchesInConfiguration(verdict.isAccepted ? matches : verdict.matches))
    }

    /// The end of a condition's matches: one of several that the root fulfils lasts as long as the root.
    private func endOfMatches(of condition: PinComparison.Condition, _ ahead: Ahead) -> Timestamp {
        guard comparison.conditions.count > 1, let root = path.last else { return ahead.until }
        let key = leaf.publicKey.unknown
        let elsewhere = renewal(key, issuer: key, at: max(ahead.until, time)).reach
        return condition.matches(on: elsewhere).isEmpty ? ahead.until : max(root.notAfter, ahead.until)
    }

    private var rules: OutlookRules { policy.outlook }

    /// Warns even if the client ignores dates: the renewal is due.
    private func expiringCertificates() -> [Finding] {
        let ignoresDates = verdict.restsOn.isEmpty && verdict.isAccepted
        var seen: Set<SHA256Digest> = []
        return datedPaths.flatMap { path in
            let count = dated(path).count
            return path.enumerated().filter { $0.offset < count || $0.element.notAfter >= time }
        }.compactMap { depth, certificate in
            let (end, name) = (certificate.notAfter, "\(certificate) (depth \(depth))")
            guard seen.insert(certificate.fingerprint).inserted, verdict.isAccepted || end >= time,
                let (level, limit) = limit(from: certificate.notBefore, to: end)
            else { return nil }
            return Finding(
                end < time ? .ended : .expiresSoon, level,
                (end < time
                    ? "\(name) ended on \(end.date)" : "\(name) expires \(when(end)), less than \(limit) from now")
                    + (ignoresDates ? "; the client does not mind" : ""), of: certificate.fingerprint.hexadecimal,
                on: end)
        }
    }

    /// The limit that an end reaches, with its level; an end in the past reaches every limit.
    private func limit(
        from start: Timestamp, to end: Timestamp, isLifetime: Bool = true
    ) -> (level: Finding.Level, limit: String)? {
        // The default limit: two weeks, or a third of a lifetime of less than six weeks.
        let isShort = isLifetime && start.seconds(to: end) < 42 * 86_400
        let standard = isShort ? Threshold.percent(33) : .seconds(14 * 86_400)
        let limits: [(Finding.Level, Threshold?)] = [
            (.fail, rules.failBefore), (.warning, rules.warnBefore ?? standard),
        ]
        for case (let level, let limit?) in limits where end < time || limit.isReached(at: time, from: start, to: end) {
            guard case .percent = limit else { return (level, "\(limit)") }
            if isLifetime || end < time { return (level, "\(limit) of its lifetime") }
        }
        return nil
    }

    private func changedRoots(_ changes: [RootChange]) -> [Finding] {
        let oldest = changes.map(\.root).filter { $0.isOld(at: time) }.min { $0.date < $1.date }
        let old = oldest.map { root in
            let message = "what is known of \(root.name) was read on \(root.date)"
            return Finding(.oldDeviceData, .warning, message, of: "old-data", remedy: .giveNewerDeviceData)
        }
        return [old].compactMap(\.self)
            + changes.map { change in
                let root = change.root
                guard !change.isComing, let day = root.until else {
                    let numbers = listed(change.pins.map { "\($0 + 1)" })
                    let message =
                        (change.pins.count == 1 ? "pin \(numbers) sits" : "pins \(numbers) sit")
                        + " above \(root.name), which is about to become a root of its own: "
                        + "a device that has it stops there, and the client rejects. Ship \(root.key) as well"
                    return Finding(.pinAboveComingRoot, .warning, message, of: "root \(root.key)", on: time)
                }
                let level = limit(from: time, to: day, isLifetime: false)?.level ?? .note
                let message = "the CA leaves \(root.name) on \(day.date), and the path ends there"
                return Finding(.rootLeaves, level, message, of: "root \(root.key)", on: day)
            }
    }

    private func expiringPins(_ outlook: Outlook) -> [Finding] {
        var findings: [Finding] = []
        if let end = outlook.pinsExpire {
            // The start of the pins' lifetime is not known, so a percentage has no meaning.
            let (isPast, limit) = (end < time, limit(from: time, to: end, isLifetime: false))
            findings.append(
                Finding(
                    isPast ? .pinsExpired : .pinsExpire, limit?.level ?? .note,
                    isPast
                        ? "the pins expired on \(end.date): the client accepts any trusted chain"
                        : "the pins expire on \(end.date): from then on the client accepts any trusted chain"
                            + (limit.map { ", less than \($0.limit) from now" } ?? ""), of: "pins-expire", on: end))
        }
        let compared = Set(
            comparison.conditions.flatMap { condition in condition.pins.filter { condition.comparesWhole(pins[$0]) } }
        ).compactMap { pins[$0].certificate }
        for (index, pin) in (policy.pins?.pins ?? []).enumerated() where outlook.pins[index].depth == nil {
            guard let own = pin.certificate, own.notAfter < time, compared.contains(own) else { continue }
            let end = own.notAfter
            let message = "pin \(index + 1), \(own), expired on \(end.date) and can match no more: replace it"
            findings.append(Finding(.pinExpired, .warning, message, of: "pin \(index)", on: end))
        }
        return findings
    }

    private func shortPinLife(_ outlook: Outlook, _ isIdleTaken: Bool) -> [Finding] {
        guard let limit = rules.minPinLife, verdict.isAccepted, let leaf = path.first else { return [] }
        func short(_ message: String, on date: Timestamp?) -> [Finding] {
            [Finding(.pinLifeShort, .fail, message, of: "pin-life", on: date)]
        }
        guard verdict.isByPins else {
            let haveExpired = outlook.pinsExpire.map { $0 < time } == true
            guard haveExpired || !isIdleTaken else { return [] }
            let why: String
            switch verdict.reason {
            case .pinsNotApplied where haveExpired: why = "its pins expired on \(outlook.pinsExpire?.date ?? "")"
            case .pinsNotApplied(let words): why = words
            case .mismatchNotEnforced: why = "no pin is on the chain, and the client only reports that"
            default: why = "it has none"
            }
            return short("\(client.client.name) compares no pin for \(today.referenceName): \(why)", on: time)
        }
        guard let end = outlook.noPinAfter, limit.isReached(at: time, from: leaf.notBefore, to: end) else { return [] }
        return short("no configured pin is sure to match after \(end.date), less than \(limit) from now", on: end)
    }

    private func endOfPins(_ ahead: Ahead, _ outlook: Outlook, _ dependsOnPin: Bool, isRootComing: Bool) -> Finding {
        let until = ahead.until.date
        let why = ahead.holder.rawValue
        let works: String
        if ahead.end == .rootChange, ahead.until <= time {
            works =
                isRootComing
                ? "breaks when the device learns the root below the pinned one"
                : "breaks when the server moves to another root: the CA left this one on \(until)"
        } else if verdict.restsOn.isEmpty {
            // A client that ignores dates works for as long as the server does not change.
            works = "works until the change that is due by \(until): \(why)"
        } else {
            works = "works until \(until) at the latest: \(why)"
        }
        let report = comparison.isEnforced ? "" : "; a mismatch is only reported"
        let isRenewal = ahead.holder == .certificate || ahead.holder == .key
        return Finding(
            isRenewal ? .breaksAtRenewal : .pinsEnd, dependsOnPin ? .warning : .note,
            "\(works); \(backupWords(outlook))\(report)", of: "end", on: ahead.until)
    }

    private func backupWords(_ outlook: Outlook) -> String {
        let numbers = outlook.backups.map { String($0 + 1) }
        let part = outlook.hasBackup ? "" : ", but not for every list of pins"
        guard numbers.isEmpty else {
            return (numbers.count == 1 ? "backup: pin " : "backups: pins ") + listed(numbers, first: 8) + part
        }
        let reasons = outlook.pins.enumerated().compactMap { index, pin in
            pin.noBackup.map { why in
                "pin \(index + 1)" + (why.words.hasPrefix("it ") ? why.words.dropFirst(2) : ": " + why.words)
            }
        }
        return "no backup" + (reasons.isEmpty ? "" : " (\(listed(reasons, first: 2)))")
    }

    private func unjudgedPins(_ outlook: Outlook) -> [Finding] {
        let count = outlook.pins.count { $0.noBackup?.id == "not-judged" }
        let message = "\(count) pinned certificates were not judged as backups: 64 are judged for each client"
        return count == 0 ? [] : [Finding(.pinsNotJudged, .note, message, of: "pins-not-judged")]
    }

    private func when(_ end: Timestamp) -> String {
        let left = time.seconds(to: end)
        return left < 2 * 86_400 ? "in \(max(0, left) / 3_600) h, on \(end)" : "in \(left / 86_400) d, on \(end.date)"
    }
}
