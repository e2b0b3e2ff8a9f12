internal import Base
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

    /// How long one condition will hold.
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
    package var ignored: Set<String> = []

    package init(warnBefore: Threshold? = nil, failBefore: Threshold? = nil, minPinLife: Threshold? = nil) {
        (self.warnBefore, self.failBefore, self.minPinLife) = (warnBefore, failBefore, minPinLife)
    }

    func check() throws(CheckError) {
        if let warnBefore, let failBefore, warnBefore.isAlwaysBelow(failBefore) {
            throw .request(
                "the warning before \(warnBefore) never comes, since less than \(failBefore) fails earlier: warn before the larger of the two"
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
