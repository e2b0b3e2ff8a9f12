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
    /// The positions of the pins that the client never compares; they neither match nor are backups.
    package var ignored: Set<Int> = []
    /// Whether only the server's own certificate is compared.
    package var comparesLeafAlone = false
    /// Whether all that match now have to go on matching, not one of them.
    package var needsEveryMatch = false
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
        let matching = standings.filter { $0.until != nil }
        let ends = { (left: Outlook.PinStanding, right: Outlook.PinStanding) in
            (left.until ?? time) < (right.until ?? time)
        }
        let lasting = needsEveryMatch ? matching.min(by: ends) : matching.max(by: ends)
        let later = standings.filter { $0.depth == nil && $0.isCompared && canStillMatch($0.index) }.map(\.index)
        var noPinAfter: Timestamp? = lasting?.until
        for index in later where !(isOnPath(index) && !isCertificate(index)) {
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
            // Another certificate for a key in use does not help when that key is lost.
            backups: later.filter { !isOnPath($0) },
            pinsExpire: pinsExpire,
            firstExpiry: first.map { Outlook.Expiry(depth: $0.offset, time: $0.element.notAfter) },
            renewalPoint: path.first?.renewalPoint,
            findings: []
        )
        return outlook.with(findings: OutlookFindings(self, outlook).all())
    }

    private func standing(of index: Int) -> Outlook.PinStanding {
        let depths = matches.filter { match in
            match.pinIndex == index && path.indices.contains(match.depth) && !ignored.contains(index)
                && (match.depth == 0 || !comparesLeafAlone)
        }.map(\.depth)
        return Outlook.PinStanding(
            index: index,
            depth: depths.min(),
            // A key on several certificates lasts as long as the last of them.
            until: depths.map { path[$0].notAfter }.max(),
            isCompared: !ignored.contains(index)
        )
    }

    /// Whether the key of a pin is that of a certificate of the path.
    private func isOnPath(_ index: Int) -> Bool {
        path.contains { $0.publicKey.spkiSHA256 == pins[index].spkiSHA256 }
    }

    private func end(at depth: Int) -> Outlook.End {
        guard depth > 0 else { return .leafRenewal }
        return depth == path.count - 1 && path[depth].isSelfIssued ? .rootExpiry : .intermediateExpiry
    }

    /// Whether the pin stands for one certificate and no other.
    func isCertificate(_ index: Int) -> Bool { comparesCertificates && pins[index].certificate != nil }

    /// Whether a pin that does not match may do so one day.
    func canStillMatch(_ index: Int) -> Bool {
        // An authority's certificate is never the server's own.
        if comparesLeafAlone, pins[index].certificate?.basicConstraints?.isCertificateAuthority == true { return false }
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

    /// The same with the name of the client that what is said of pins is about.
    package func naming(_ client: String) -> Outlook {
        with(
            findings: findings.map { finding in
                let isAboutPins = finding.id.hasPrefix("pin") || finding.id == "breaks-at-renewal"
                return Finding(
                    id: finding.id,
                    level: finding.level,
                    message: isAboutPins ? "\(client): \(finding.message)" : finding.message
                )
            }
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
