package import Pinning

/// What an outlook is made from.
package struct OutlookQuestion: Sendable {
    /// The path the verdict rests on, leaf first.
    package var path: [Certificate]
    /// The configured pins.
    package var pins: [Pin]
    /// Which of them match where on the path.
    package var matches: [PinMatch]
    /// Whether the client compares whole certificates, so that a renewal with the same key breaks a pin too.
    package var comparesCertificates: Bool
    /// The moment from which on the client ignores its pins.
    package var pinsExpire: Timestamp?
    /// The moment of the verdict.
    package var time: Timestamp
    /// How much must be left of certificates and pins.
    package var limits: OutlookLimits

    /// A question about a verdict.
    package init(
        path: [Certificate],
        pins: [Pin],
        matches: [PinMatch],
        comparesCertificates: Bool,
        pinsExpire: Timestamp?,
        time: Timestamp,
        limits: OutlookLimits = OutlookLimits()
    ) {
        self.path = path
        self.pins = pins
        self.matches = matches
        self.comparesCertificates = comparesCertificates
        self.pinsExpire = pinsExpire
        self.time = time
        self.limits = limits
    }

    /// Looks ahead.
    package func outlook() -> Outlook {
        let standings = pins.indices.map(standing)
        let lasting = standings.filter { $0.until != nil }.max { ($0.until ?? time) < ($1.until ?? time) }
        let backups = standings.filter { $0.depth == nil && canStillMatch($0.index) }.map(\.index)
        var noPinAfter: Timestamp? = lasting?.until
        for index in backups {
            guard let known = noPinAfter, comparesCertificates, let end = pins[index].certificate?.notAfter else {
                noPinAfter = nil
                break
            }
            noPinAfter = max(known, end)
        }
        let first = path.enumerated().min { $0.element.notAfter < $1.element.notAfter }
        let outlook = Outlook(
            pins: standings,
            pinsMatchUntil: lasting?.until,
            end: lasting?.depth.map(end),
            endsWithCertificate: lasting.map { isCertificate($0.index) } ?? false,
            noPinAfter: noPinAfter,
            backups: backups,
            pinsExpire: pinsExpire,
            firstExpiry: first.map { Outlook.Expiry(depth: $0.offset, time: $0.element.notAfter) },
            renewalPoint: path.first?.renewalPoint,
            findings: []
        )
        return outlook.with(findings: OutlookFindings(self, outlook).all())
    }

    private func standing(of index: Int) -> Outlook.PinStanding {
        let depth = matches.filter { $0.pinIndex == index && path.indices.contains($0.depth) }.map(\.depth).min()
        // A key on several certificates lasts as long as the last of them.
        let ends = matches.filter { $0.pinIndex == index && path.indices.contains($0.depth) }.map {
            path[$0.depth].notAfter
        }
        return Outlook.PinStanding(index: index, depth: depth, until: ends.max())
    }

    private func end(at depth: Int) -> Outlook.End {
        guard depth > 0 else { return .leafRenewal }
        return depth == path.count - 1 && path[depth].isSelfIssued ? .rootExpiry : .intermediateExpiry
    }

    /// Whether the pin stands for one certificate and no other.
    func isCertificate(_ index: Int) -> Bool { comparesCertificates && pins[index].certificate != nil }

    /// Whether a pin that does not match may do so one day.
    func canStillMatch(_ index: Int) -> Bool {
        guard isCertificate(index), let certificate = pins[index].certificate else { return true }
        return certificate.notAfter >= time
    }
}

/// How much must be left, as the user wants it.
package struct OutlookLimits: Sendable, Hashable {
    /// Below this a warning is due.
    package var warnBefore: Threshold?
    /// Below this the check fails.
    package var failBefore: Threshold?
    /// How long a configured pin has to be able to match, in seconds or a part of the leaf's lifetime.
    package var minPinLife: Threshold?

    /// Limits; none unless given.
    package init(warnBefore: Threshold? = nil, failBefore: Threshold? = nil, minPinLife: Threshold? = nil) {
        self.warnBefore = warnBefore
        self.failBefore = failBefore
        self.minPinLife = minPinLife
    }
}

extension Outlook {
    /// The same with these findings, worst first.
    func with(findings: [Finding]) -> Outlook {
        Outlook(
            pins: pins,
            pinsMatchUntil: pinsMatchUntil,
            end: end,
            endsWithCertificate: endsWithCertificate,
            noPinAfter: noPinAfter,
            backups: backups,
            pinsExpire: pinsExpire,
            firstExpiry: firstExpiry,
            renewalPoint: renewalPoint,
            findings: findings.filter { $0.level == .fail } + findings.filter { $0.level == .warn }
                + findings.filter { $0.level == .info }
        )
    }
}

extension Certificate {
    /// When a certificate of this lifetime is usually renewed: after two thirds of it, after half where it is ten days or less.
    var renewalPoint: Timestamp {
        let lifetime = Threshold.seconds(from: notBefore, to: notAfter)
        let used = lifetime <= 10 * 86_400 ? lifetime / 2 : lifetime / 3 * 2
        return notBefore.advanced(bySeconds: used)
    }
}
