internal import Pinning

extension Outlook {
    /// The outlook of one of several clients.
    package struct Named: Sendable, Hashable {
        /// The client as messages name it.
        package let client: String
        /// Its outlook.
        package let outlook: Outlook

        /// Names the client that an outlook is of.
        package init(client: String, outlook: Outlook) {
            self.client = client
            self.outlook = outlook
        }
    }

    /// The worst of what several clients expect: each has to go on accepting.
    ///
    /// - Parameter outlooks: the outlooks, in an order that is the same for the same clients.
    /// - Returns: the earliest of all ends and the gravest of all findings, `nil` for no clients.
    package static func worst(of outlooks: [Named]) -> Outlook? {
        guard let first = outlooks.first?.outlook else { return nil }
        guard outlooks.count > 1 else { return first }
        let all = outlooks.map(\.outlook)
        let comparing = all.filter { !$0.demands.isEmpty }
        let backups = comparing.map { Set($0.backups) }
        let worst = Outlook(
            pins: first.pins.indices.map { index in standing(all.map { $0.pins[index] }) },
            pinsMatchUntil: all.compactMap(\.pinsMatchUntil).min(),
            end: End.allCases.first { end in all.contains { $0.end == end } },
            noPinAfter: all.compactMap(\.noPinAfter).min(),
            backups: first.pins.indices.filter { index in !backups.isEmpty && backups.allSatisfy { $0.contains(index) }
            }, hasBackup: !comparing.isEmpty && comparing.allSatisfy(\.hasBackup),
            pinsExpire: all.compactMap(\.pinsExpire).min(), validUntil: all.compactMap(\.validUntil).min(),
            renewalPoint: first.renewalPoint, findings: [], demands: [])
        return worst.with(findings: findings(of: outlooks))
    }

    private static func standing(_ standings: [PinStanding]) -> PinStanding {
        PinStanding(
            index: standings[0].index, depth: standings.compactMap(\.depth).min(),
            until: standings.compactMap(\.until).min(), isCompared: standings.contains(where: \.isCompared))
    }

    /// Each finding once, with the clients it is true of where it is not true of all; of what ends the pins, the worst alone.
    private static func findings(of outlooks: [Named]) -> [Finding] {
        var findings: [(finding: Finding, clients: [String])] = []
        for named in outlooks {
            for finding in named.outlook.findings {
                if let index = findings.firstIndex(where: { $0.finding == finding }) {
                    findings[index].clients.append(named.client)
                } else {
                    findings.append((finding, [named.client]))
                }
            }
        }
        let minded = findings.compactMap { entry -> SHA256Digest? in
            if case .certificate(let hash, isMinded: true) = entry.finding.subject { hash } else { nil }
        }
        let end = findings.compactMap { $0.finding.subject.isEnd ? $0.finding : nil }.min(by: isWorse)
        let life = findings.compactMap { $0.finding.subject.pinLife }.min()
        return findings.filter { entry in
            switch entry.finding.subject {
            case .certificate(let hash, isMinded: false): !minded.contains(hash)
            case .end: entry.finding == end
            case .pinLife(let until): until == life
            case .certificate, .server, .pins: true
            }
        }.map { entry in
            guard entry.finding.subject.isOfClients, entry.clients.count < outlooks.count else { return entry.finding }
            return Finding(
                id: entry.finding.id, level: entry.finding.level,
                message: "\(entry.clients.joined(separator: ", ")): \(entry.finding.message)",
                subject: entry.finding.subject)
        }
    }

    private static func isWorse(_ left: Finding, _ right: Finding) -> Bool {
        guard case .end(let end, let until) = left.subject, case .end(let otherEnd, let otherUntil) = right.subject
        else { return false }
        if left.level != right.level { return left.level > right.level }
        return end != otherEnd ? end.rank < otherEnd.rank : until < otherUntil
    }
}

extension Outlook.End {
    /// Small for what happens soon.
    fileprivate var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

extension Outlook.Finding.Subject {
    /// Whether it is what ends the pins.
    fileprivate var isEnd: Bool { if case .end = self { true } else { false } }

    /// After when no pin is sure to match, `nil` for a finding about something else.
    fileprivate var pinLife: Timestamp? { if case .pinLife(let until) = self { until } else { nil } }

    /// Whether it is true of some clients and not of others.
    fileprivate var isOfClients: Bool {
        switch self {
        case .pins, .end, .pinLife: true
        case .certificate, .server: false
        }
    }
}
