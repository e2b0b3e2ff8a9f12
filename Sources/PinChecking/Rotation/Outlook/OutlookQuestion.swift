package import Pinning

/// What the outlook of one client is made from.
package struct OutlookQuestion: Sendable {
    /// A configured pin.
    package struct ConfiguredPin: Sendable, Hashable {
        /// The whole certificate, `nil` for a hash.
        package var certificate: Certificate?
        /// Whether its key is that of a certificate the server presents or that is on a path of the verdict.
        package var isInUse: Bool

        /// A pin of which so much is known.
        package init(certificate: Certificate?, isInUse: Bool) {
            self.certificate = certificate
            self.isInUse = isInUse
        }
    }

    /// The path the pins were compared on, leaf first.
    package var path: [Certificate]
    /// The valid paths without which the client would not accept; empty for one that does not mind dates.
    package var restsOn: [[Certificate]]
    /// The configured pins.
    package var pins: [ConfiguredPin]
    /// Which of them match where on the path, wherever the client looks.
    package var matches: [PinMatch]
    /// What the client compares, its positions being those of ``pins``.
    package var comparison: PinComparison
    /// Whether the client accepts because of its pins, so that it does no longer when they match no more.
    package var isAcceptedForPins: Bool
    /// The moment of the verdict.
    package var time: Timestamp
    /// How much must be left of certificates and pins.
    package var limits: OutlookLimits

    /// A question about a verdict.
    package init(
        path: [Certificate], restsOn: [[Certificate]], pins: [ConfiguredPin], matches: [PinMatch],
        comparison: PinComparison, isAcceptedForPins: Bool, time: Timestamp, limits: OutlookLimits = OutlookLimits()
    ) {
        self.path = path
        self.restsOn = restsOn
        self.pins = pins
        self.matches = matches
        self.comparison = comparison
        self.isAcceptedForPins = isAcceptedForPins
        self.time = time
        self.limits = limits
    }

    /// Looks ahead.
    package func outlook() -> Outlook {
        // Looked up once: an app can hold tens of thousands of pins.
        let matchesByPin = Dictionary(grouping: matches.filter { path.indices.contains($0.depth) }, by: \.pinIndex)
        let usesByPin = Dictionary(grouping: comparison.demands.flatMap(\.uses), by: \.pinIndex)
        let demands = comparison.demands.map { DemandStanding($0, in: self, matchesByPin) }
        let firstEnd = restsOn.flatMap { $0 }.map(\.notAfter).min()
        let outlook = Outlook(
            pins: pins.indices.map { standing(of: $0, uses: usesByPin[$0] ?? [], matches: matchesByPin[$0] ?? []) },
            demands: demands, pinsExpire: demands.isEmpty ? nil : comparison.expiration, validUntil: firstEnd,
            renewalPoint: path.first?.renewalPoint, findings: [])
        return outlook.with(findings: OutlookFindings(self, outlook).all())
    }

    private func standing(of index: Int, uses: [PinComparison.Use], matches: [PinMatch]) -> Outlook.PinStanding {
        let depths = matches.map(\.depth).filter { depth in uses.contains { $0.place.covers(depth) } }
        return Outlook.PinStanding(
            index: index, depth: depths.min(),
            // A key on several certificates lasts as long as the last of them.
            until: depths.map { path[$0].notAfter }.max(), isCompared: !uses.isEmpty)
    }

    /// Whether a pin that does not match may do so one day.
    func canStillMatch(_ use: PinComparison.Use) -> Bool {
        guard let certificate = pins[use.pinIndex].certificate else { return true }
        switch use.place {
        // An authority's certificate is never the server's own, and the other way round.
        case .leaf where certificate.basicConstraints?.isCertificateAuthority == true: return false
        case .authorities where certificate.basicConstraints?.isCertificateAuthority != true: return false
        default: return !use.isWholeCertificate || certificate.notAfter >= time
        }
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

extension Certificate {
    /// When a certificate of this lifetime is usually renewed: after two thirds of it, after half where it is ten days or less.
    var renewalPoint: Timestamp {
        let lifetime = Threshold.seconds(from: notBefore, to: notAfter)
        let used = lifetime <= 10 * 86_400 ? lifetime / 2 : lifetime / 3 * 2
        return notBefore.advanced(bySeconds: used)
    }
}
