import Base
package import PinFormats
package import Pinning

/// What the outlook of one client is made from.
package struct OutlookFacts: Sendable {
    /// The path the pins were compared on, leaf first.
    package var path: [Certificate]
    /// The valid paths without which the client would not accept; empty for one that does not mind dates.
    package var restsOn: [[Certificate]]
    package var pins: [Pin]
    /// Which of them match where on the path, wherever the client looks.
    package var matches: [PinMatch]
    /// What the client compares, its positions being those of ``pins``.
    package var comparison: PinComparison
    /// The keys and the fingerprints of certificates that the server presents or that are on a path, on whichever connection: a pin for
    /// one is no backup.
    package var inUse: Set<SHA256Digest>
    /// Whether the client accepts because of its pins, so that it does no longer when they match no more.
    package var isAcceptedForPins: Bool
    package var time: Timestamp
    package var rules: OutlookRules

    struct Standing {
        /// What fulfils it now, in words; `nil` when nothing does.
        var holding: (what: String, end: Outlook.End, until: Timestamp)?
        /// Whether every certificate of the path is needed.
        let isFlat: Bool
        let matched: Set<Int>
        /// The positions of pins that match nothing yet, still can, and are for a key that is not in use.
        var backups: [Int] = []
        /// After when no pin is sure to fulfil it; `nil` where a backup has no end, or none does now.
        var noPinAfter: Timestamp?
    }

    package func outlook() -> Outlook {
        // Looked up once: an app can hold tens of thousands of pins.
        let matchesByPin = Dictionary(grouping: matches.filter { path.indices.contains($0.depth) }, by: \.pinIndex)
        let standings = comparison.conditions.map { standing(of: $0, matchesByPin) }
        let holdings = standings.compactMap(\.holding)
        let areAllHeld = !standings.isEmpty && holdings.count == standings.count
        var places: [Int: [PinComparison.Place]] = [:]
        for condition in comparison.conditions {
            for pin in condition.pins { places[pin, default: []].append(condition.place) }
        }
        let pins = pins.indices.map { index in
            let depths = (matchesByPin[index] ?? []).map(\.depth).filter { depth in
                places[index]?.contains { $0.covers(depth) } ?? false
            }
            return Outlook.PinStanding(
                depth: depths.min(),
                // A key on several certificates lasts as long as the last of them.
                until: depths.map { path[$0].notAfter }.max(), isCompared: places[index] != nil)
        }
        var outlook = Outlook(
            pins: pins, pinsMatchUntil: areAllHeld ? holdings.map(\.until).min() : nil,
            end: areAllHeld ? Outlook.End.allCases.first { end in holdings.contains { $0.end == end } } : nil,
            noPinAfter: standings.compactMap(\.noPinAfter).min(), backups: Set(standings.flatMap(\.backups)).sorted(),
            hasBackup: !standings.isEmpty && standings.allSatisfy { !$0.backups.isEmpty },
            pinsExpire: standings.isEmpty ? nil : comparison.expiration,
            validUntil: restsOn.joined().map(\.notAfter).min(), renewalPoint: path.first?.renewalPoint, findings: [],
            comparesPins: !standings.isEmpty)
        outlook.findings = findings(outlook, standings)
        return outlook
    }

    private func standing(of condition: PinComparison.Condition, _ matchesByPin: [Int: [PinMatch]]) -> Standing {
        let holds = condition.pins.flatMap { matchesByPin[$0] ?? [] }.filter { condition.place.covers($0.depth) }
        var standing = Standing(isFlat: condition.place == .everywhere, matched: Set(holds.map(\.pinIndex)))
        guard !standing.isFlat else {
            let depths = Set(holds.map(\.depth))
            guard let until = path.map(\.notAfter).min(), depths.count == path.count else { return standing }
            let what = condition.compared == .keys ? "key" : "certificate"
            standing.holding = ("every \(what) of the chain", .leafRenewal, until)
            standing.noPinAfter = until
            return standing
        }
        let later = condition.pins.filter { !standing.matched.contains($0) && canStillMatch($0, condition) }
        // Another certificate for a key in use can be the next, where the certificate is compared.
        standing.backups = later.filter { index in
            let certificate = condition.comparesWhole(pins[index]) ? pins[index].certificate : nil
            return !inUse.contains(certificate?.fingerprint ?? pins[index].spkiSHA256)
        }
        // Of several places the highest, which the fewest changes reach.
        guard let depth = holds.map(\.depth).max() else { return standing }
        let isRoot = depth == path.count - 1 && path[depth].isSelfIssued
        let until = path[depth].notAfter
        let isKeyPinned = holds.contains { $0.depth == depth && !condition.comparesWhole(pins[$0.pinIndex]) }
        let leaf = isKeyPinned ? "leaf key" : "leaf certificate"
        let end: Outlook.End = depth == 0 ? .leafRenewal : isRoot ? .rootExpiry : .intermediateExpiry
        standing.holding = (depth == 0 ? leaf : isRoot ? "root" : "intermediate", end, until)
        // A key has no end; one in use that does not match where it is looked for is no help, another certificate for it is.
        let areWhole = Dictionary(grouping: later) { condition.comparesWhole(pins[$0]) }
        let isEndless = areWhole[false]?.contains(where: standing.backups.contains) == true
        standing.noPinAfter =
            isEndless ? nil : (areWhole[true] ?? []).compactMap { pins[$0].certificate?.notAfter }.reduce(until, max)
        return standing
    }

    /// Whether a pin that does not match may do so one day.
    private func canStillMatch(_ index: Int, _ condition: PinComparison.Condition) -> Bool {
        guard let certificate = pins[index].certificate else { return true }
        let isAuthority = certificate.basicConstraints?.isCertificateAuthority == true
        switch condition.place {
        // An authority's certificate is never the server's own, and the other way round.
        case .leaf where isAuthority: return false
        case .authorities where !isAuthority: return false
        default: return !condition.comparesWhole(pins[index]) || certificate.notAfter >= time
        }
    }
}

/// What is asked for the time ahead.
package struct OutlookRules: Sendable, Hashable {
    package var warnBefore: Threshold?
    package var failBefore: Threshold?
    /// How long a configured pin has to be able to match, in seconds or a part of the leaf's lifetime.
    package var minPinLife: Threshold?
    package var failsOnWarning = false
    package var ignored: Set<FindingID> = []

    package init(warnBefore: Threshold? = nil, failBefore: Threshold? = nil, minPinLife: Threshold? = nil) {
        (self.warnBefore, self.failBefore, self.minPinLife) = (warnBefore, failBefore, minPinLife)
    }

    func check() throws(Problem) {
        if let warning = warnBefore, let failure = failBefore, warning.isAlwaysBelow(failure) {
            throw .usage(
                "the warning before \(warning) never comes, since less than \(failure) fails earlier: warn before the larger of the two"
            )
        }
    }

    func merged(over other: OutlookRules) -> OutlookRules {
        var merged = OutlookRules(
            warnBefore: warnBefore ?? other.warnBefore, failBefore: failBefore ?? other.failBefore,
            minPinLife: minPinLife ?? other.minPinLife)
        merged.failsOnWarning = failsOnWarning || other.failsOnWarning
        merged.ignored = ignored.union(other.ignored)
        return merged
    }
}

extension Certificate {
    /// When a certificate of this lifetime is usually renewed: after two thirds of it, after half where it is ten days or less.
    fileprivate var renewalPoint: Timestamp {
        let lifetime = notBefore.seconds(to: notAfter)
        return notBefore.advanced(bySeconds: lifetime <= 10 * 86_400 ? lifetime / 2 : lifetime / 3 * 2)
    }
}

/// What in the outlook of one client is worth telling.
extension OutlookFacts {
    func findings(_ outlook: Outlook, _ standings: [Standing]) -> [Finding] {
        (certificates() + expiringPins(outlook) + pinLife(outlook) + ends(outlook, standings)).worstFirst
    }

    /// Certificates of which less is left than the limits ask for, also where the client does not mind dates: renewing them is due.
    private func certificates() -> [Finding] {
        let isMinded = !restsOn.isEmpty
        var seen: Set<SHA256Digest> = []
        return (isMinded ? restsOn : [path]).flatMap { $0.enumerated() }.compactMap { depth, certificate in
            guard seen.insert(certificate.fingerprint).inserted, certificate.notAfter >= time,
                let (level, limit) = reached(from: certificate.notBefore, to: certificate.notAfter)
            else { return nil }
            return Finding(
                .expiresSoon, level,
                "\(certificate) (depth \(depth)) expires \(when(certificate.notAfter)), "
                    + "less than \(limit) from now" + (isMinded ? "" : "; the client does not mind"),
                of: certificate.fingerprint.hexadecimal, on: certificate.notAfter)
        }
    }

    private func reached(from start: Timestamp, to end: Timestamp, isLifetime: Bool = true) -> (Finding.Level, String)?
    {
        // Without a limit of the user's: two weeks, or a third of a lifetime that is short.
        let isShort = isLifetime && start.seconds(to: end) < 42 * 86_400
        let standard = isShort ? Threshold.percent(33) : .seconds(14 * 86_400)
        let limits: [(Finding.Level, Threshold?)] = [
            (.fail, rules.failBefore), (.warning, rules.warnBefore ?? standard),
        ]
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
                    isPast ? .pinsExpired : .pinsExpire, isPast ? .warning : limit?.0 ?? .note,
                    isPast
                        ? "the pins expired on \(end.date): the client accepts any trusted chain"
                        : "the pins expire on \(end.date): from then on the client accepts any trusted chain"
                            + (limit.map { ", less than \($0.1) from now" } ?? ""), of: "pins-expire", on: end))
        }
        let compared = Set(
            comparison.conditions.flatMap { condition in condition.pins.filter { condition.comparesWhole(pins[$0]) } })
        for index in compared.sorted() where outlook.pins[index].depth == nil {
            guard let certificate = pins[index].certificate, certificate.notAfter < time else { continue }
            findings.append(
                Finding(
                    .pinExpired, .warning,
                    "pin \(index + 1), \(certificate), expired on \(certificate.notAfter.date) "
                        + "and can match no more: replace it", of: "pin \(index)", on: certificate.notAfter))
        }
        return findings
    }

    private func pinLife(_ outlook: Outlook) -> [Finding] {
        guard let limit = rules.minPinLife, let until = outlook.noPinAfter, let leaf = path.first,
            limit.isReached(at: time, from: leaf.notBefore, to: until)
        else { return [] }
        let message = "no configured pin is sure to match after \(until.date), less than \(limit) from now"
        return [Finding(.pinLifeShort, .fail, message, of: "pin-life", on: until)]
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
                end == .leafRenewal ? .breaksAtRenewal : .pinsEnd, hangs ? .warning : .note,
                "\(whatEnds(standings)), \(due) \(until.date); \(backups(outlook, standings))\(report)",
                of: "end", on: until)
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
        let missing = standings.filter { $0.backups.isEmpty }.compactMap { $0.holding?.what }
        let none = missing.isEmpty ? "" : ", but none for the \(missing.joined(separator: " and "))"
        switch outlook.backups.count {
        case 0: return "no backup"
        case 1: return "backup: pin \(outlook.backups[0] + 1)\(none)"
        default: return "backups: pins \(outlook.backups.map { String($0 + 1) }.joined(separator: ", "))\(none)"
        }
    }

    /// A moment to come: the hours for the last two days, the date otherwise.
    private func when(_ end: Timestamp) -> String {
        let left = time.seconds(to: end)
        return left < 2 * 86_400 ? "in \(max(0, left) / 3_600) h, on \(end)" : "in \(left / 86_400) d, on \(end.date)"
    }
}
