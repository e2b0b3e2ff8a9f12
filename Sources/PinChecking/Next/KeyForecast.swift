import Pinning

extension NextQuestion {
    /// What a client will make of a key that no certificate has yet, or of a certificate without those above it, and whether its pins match
    /// authorities of today and not the key.
    ///
    /// A client accepts a key that it can compare, that its platform takes at the leaf and that is among the pins compared there, where
    /// what it asks of the other places holds on today's path, whose `authorities` are none where it is not known. What it asks of the
    /// authorities one by one counts for those that are known.
    func decision(
        of client: ConfiguredClient, _ procedure: any ClientProcedure, on release: PlatformRelease, _ key: PublicKey,
        _ certificate: Certificate?, _ authorities: [Certificate], _ time: Timestamp
    ) -> (verdict: Verdict, isIssuerPinned: Bool) {
        let comparison = procedure.comparison(with: client.pins, for: name)
        let pins = client.pins?.pins ?? []
        func matched(_ condition: PinComparison.Condition, _ depth: Int) -> Int? {
            guard condition.place.covers(depth) else { return nil }
            return condition.pins.first { index in
                let isWhole = condition.comparesWhole(pins[index])
                guard depth > 0 else {
                    return isWhole
                        ? certificate != nil && pins[index].certificate == certificate
                        : pins[index].spkiSHA256 == key.spkiSHA256
                }
                let authority = authorities[depth - 1]
                return isWhole
                    ? pins[index].certificate == authority : pins[index].spkiSHA256 == authority.publicKey.spkiSHA256
            }
        }
        let conditions = comparison.conditions
        let depths = 0...authorities.count
        let match = conditions.lazy.compactMap { matched($0, 0) }.first.map { PinMatch(pinIndex: $0, depth: 0) }
        func verdict(_ reason: Verdict.Reason, _ status: TraceStep.Status, _ detail: String) -> Verdict {
            let disposition: ChallengeDisposition =
                if case .pinsNotApplied = reason { .performDefaultHandling } else {
                    reason.isAcceptance ? .useCredential : procedure.rejection
                }
            return Verdict(
                reason: reason, disposition: disposition,
                trace: [
                    TraceStep(number: 1, id: "trust", status: .skip, detail: "its certificate is not issued yet"),
                    TraceStep(number: 2, id: "pins", status: status, detail: detail),
                ], builtChain: .unverified([]), restsOn: [], matches: match.map { [$0] } ?? [], warnings: [])
        }
        func refusing(_ why: String) -> Verdict { verdict(.pinsFallShort(why), .fail, why) }
        func unpinned(_ why: String) -> Verdict { verdict(.pinsNotApplied(why), .skip, why) }
        let holds = conditions.allSatisfy { condition in
            condition.place == .everywhere
                ? depths.allSatisfy { matched(condition, $0) != nil }
                : depths.contains { matched(condition, $0) != nil }
        }
        // No path is the leaf alone; of a certificate it is assumed, with a warning, that each of its CAs is pinned as well.
        let lacksPath =
            authorities.isEmpty
            && conditions.contains { $0.place == .everywhere ? certificate == nil : matched($0, 0) == nil }
        let own: Verdict
        let platform = procedure.platform(on: release)
        if let platform, !platform.strength.isStrong(key.algorithm) {
            own = refusing("\(platform.family.title) refuses a leaf with an \(key.algorithm) key")
        } else if let failures = certificate.flatMap({ platform?.objections(toLeaf: $0, endingAt: .system) }),
            !failures.isEmpty
        {
            own = verdict(.untrusted(failures), .fail, "the certificate breaks a rule of the platform")
        } else if !procedure.takes(key) {
            own = refusing("\(client.client.name) cannot compare an \(key.algorithm) key")
        } else if let end = comparison.expiration, end < time {
            own = unpinned("the pins expired at \(end)")
        } else if conditions.isEmpty {
            // Those that load pins from an app's files want some, or are told to look at none.
            own = client.client.loader == nil ? unpinned("no pin is for \(name)") : refusing("no pin is compared")
        } else if match != nil, lacksPath {
            own = refusing(
                "the key is pinned, and the CAs above it must be pinned as well, which are not known: "
                    + "ask with the chain, or name a target")
        } else if let match, holds {
            own = verdict(.pinMatched(match), .pass, "public key pin matched at depth 0")
        } else {
            own = verdict(comparison.isEnforced ? .pinMismatch : .mismatchNotEnforced, .fail, "no pin matches the key")
        }
        if own.isAccepted, isUnderTransportSecurity(client) {
            guard let signature = certificate?.signatureAlgorithm else {
                let unknown = "what App Transport Security asks of the certificate is not known of a key"
                return (refusing("\(unknown): ask with the certificate"), false)
            }
            if Platform.apple().strength.isRefused(signature) {
                return (refusing("App Transport Security refuses a leaf signed with \(signature)"), false)
            }
        }
        return (own, depths.dropFirst().contains { depth in conditions.contains { matched($0, depth) != nil } })
    }

    /// Whether App Transport Security of the client's app judges the certificate, whose signature no key tells.
    private func isUnderTransportSecurity(_ client: ConfiguredClient) -> Bool {
        guard let settings = client.app?.settings, let host = host ?? name.serverName else { return false }
        if case .on = settings.ruling(for: host) { return true }
        return false
    }
}
