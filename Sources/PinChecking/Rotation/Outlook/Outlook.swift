package import Pinning

/// How long a verdict will last: until when the pins match, what is left when they do not, and what runs out.
///
/// A forecast, not a verdict: an authority can change its certificates on any day, and a server its key. It is of one client, or
/// the worst of several.
package struct Outlook: Sendable, Hashable {
    package struct PinStanding: Sendable, Hashable {
        /// The position on the path of the certificate it matches, nearest to the leaf; `nil` when it matches none.
        package var depth: Int?
        /// The last moment at which it is sure to match as things are, or the end of a backup's certificate; `nil` for others.
        package var until: Timestamp?
        package var isCompared: Bool
        /// Why a pin that matches nothing is no backup; `nil` for a backup and a pin in use.
        package var noBackup: NoBackup? = nil
    }

    /// Why a pin is no backup: an id, and words behind the pin's number.
    package struct NoBackup: Sendable, Hashable {
        package let id: String
        package let words: String
    }

    /// Why the pins that match now stop to, from what happens soonest to what happens last.
    package enum End: String, Sendable, Hashable, CaseIterable {
        /// The server's certificate is renewed: with a new key, or at all where the certificate is pinned.
        case leafRenewal = "leaf-renewal"
        case intermediateExpiry = "intermediate-expiry"
        case rootExpiry = "root-expiry"
        /// Devices learn a root below the pinned one, or lose the pinned one.
        case rootChange = "root-change"
    }

    package let pins: [PinStanding]
    /// The last moment at which pins that match now are sure to; `nil` when they do not fulfil what the client demands.
    package let pinsMatchUntil: Timestamp?
    package let end: End?
    /// After when no configured pin is sure to match, `nil` when a backup has no end, or nothing is pinned.
    package let noPinAfter: Timestamp?
    /// The positions of pins that match nothing yet and by which the client accepts a world that may come.
    package let backups: [Int]
    /// Whether there is such a pin for everything the client demands.
    package let hasBackup: Bool
    /// The moment from which on the client ignores its pins and takes any trusted chain, `nil` for never.
    package let pinsExpire: Timestamp?
    /// The end of the certificate that ends first on the paths the client needs; `nil` for one that does not mind dates.
    package let validUntil: Timestamp?
    /// When servers of this certificate's lifetime are usually renewed at the latest.
    package let renewalPoint: Timestamp?
    /// What the user should know, worst first.
    package internal(set) var findings: [Finding]
    /// Whether the client compares pins, or rejects: of one that does neither, nothing is in reserve and nothing has to be.
    let comparesPins: Bool

    package var level: Finding.Level { findings.map(\.level).max() ?? .note }
    /// The finding that the reason of the result says already.
    package internal(set) var told: Finding? = nil

    /// The worst of what several clients expect: the earliest of all dates, and of the findings about one thing the gravest, with the
    /// names of those that it is true of.
    static func worst<Judge>(of outlooks: [(judge: Judge, outlook: Outlook)], named: ([Judge]) -> String) -> Outlook? {
        guard outlooks.count > 1, let first = outlooks.first?.outlook else { return outlooks.first?.outlook }
        let all = outlooks.map(\.outlook)
        let comparing = all.filter(\.comparesPins)
        let ends = all.compactMap { outlook in outlook.pinsMatchUntil.map { (until: $0, end: outlook.end) } }
        func rank(_ end: End?) -> Int { End.allCases.firstIndex { $0 == end } ?? 0 }
        let soonest = ends.min { ($0.until, rank($0.end)) < ($1.until, rank($1.end)) }
        var worst: [Finding] = []
        for finding in all.flatMap(\.findings) {
            if let index = worst.firstIndex(where: { $0.subject == finding.subject }) {
                if finding.comes(before: worst[index]) { worst[index] = finding }
            } else {
                worst.append(finding)
            }
        }
        let findings = worst.map { finding in
            let judges = outlooks.filter { $0.outlook.findings.contains(finding) }.map(\.judge)
            // What is said of a certificate is true for all.
            guard judges.count < outlooks.count, finding.kind != .expiresSoon else { return finding }
            var finding = finding
            finding.message = "\(named(judges)): \(finding.message)"
            return finding
        }
        return Outlook(
            pins: first.pins.indices.map { index in
                let standings = all.map { $0.pins[index] }
                return PinStanding(
                    depth: standings.compactMap(\.depth).min(), until: standings.compactMap(\.until).min(),
                    isCompared: standings.contains(where: \.isCompared),
                    noBackup: standings.lazy.compactMap(\.noBackup).first)
            }, pinsMatchUntil: soonest?.until, end: soonest?.end, noPinAfter: all.compactMap(\.noPinAfter).min(),
            backups: comparing.dropFirst().reduce(Set(comparing.first?.backups ?? [])) { $0.intersection($1.backups) }
                .sorted(), hasBackup: !comparing.isEmpty && comparing.allSatisfy(\.hasBackup),
            pinsExpire: all.compactMap(\.pinsExpire).min(), validUntil: all.compactMap(\.validUntil).min(),
            renewalPoint: first.renewalPoint, findings: findings.worstFirst, comparesPins: !comparing.isEmpty)
    }

    /// The same without what is not to be told; what fails stays.
    func without(_ ids: Set<FindingID>) -> Outlook {
        var outlook = self
        outlook.findings.removeAll { $0.level != .fail && ids.contains($0.kind) }
        return outlook
    }
}

extension [Finding] {
    var worstFirst: [Finding] { [.fail, .warning, .note].flatMap { level in filter { $0.level == level } } }
}

extension Finding {
    /// Whether it is worse than another about the same, or as bad and earlier.
    fileprivate func comes(before other: Finding) -> Bool {
        if level != other.level { return level > other.level }
        guard let date, let otherDate = other.date, date != otherDate else { return message < other.message }
        return date < otherDate
    }
}
