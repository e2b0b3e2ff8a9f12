import Pinning

extension HostPolicy {
    /// A client's verdicts on a future leaf: below an unpinned issuer, and below today's issuers or a known pinned CA.
    ///
    /// `countsAll` is `true` if the client counts matches on all certificates of a path, whose number is not known.
    typealias NextForecast = (unpinned: Verdict, pinned: Verdict?, countsAll: Bool, after: (Verdict) -> Forecaster)

    func nextForecast(
        of key: PublicKey, _ certificate: Certificate?, by client: ConfiguredClient, _ procedure: any ClientProcedure,
        on place: Int, beside served: PresentedChain?, for name: ReferenceName, at time: Timestamp
    ) -> NextForecast {
        let device = devices[place]
        let today = served ?? PresentedChain(.ordinary(for: name, key: key, at: time))
        let view = ServerView(
            presented: today, referenceName: name, time: time, fetchable: fetchable, release: device.release)
        let nothing = Verdict(
            reason: .pinMismatch, disposition: .cancelAuthenticationChallenge, trace: [], builtChain: .unverified([]),
            restsOn: [], matches: [])
        let forecaster = Forecaster(
            nothing, of: client, procedure, in: self, on: device,
            by: RememberingVerifier(client.trustsInstalledRoots ? device.verifierWithInstalledRoots : device.verifier),
            view)
        let presented = certificate.map { PresentedChain($0) } ?? forecaster.assumedLeaf(key, at: time)
        let below = { (issuer: Certificate) in forecaster.forecast(presented, at: time, .search(orBelow: issuer)) }
        func after(_ verdict: Verdict) -> Forecaster { forecaster.after(verdict, on: presented, at: time) }
        func issuer(_ key: PublicKey) -> Certificate { .assumedIssuer(like: presented.leaf, key: key, at: time) }
        let unpinned = below(issuer(key.unknown))
        let conditions = forecaster.comparison.conditions
        let countsAll = conditions.contains { $0.place == .everywhere }
        if served != nil, certificate == nil { return (unpinned, forecaster.renewal(key, at: time), countsAll, after) }
        let atCAs = Set(conditions.filter { $0.place == .authorities }.flatMap(\.pins))
        let cas = forecaster.pins.enumerated().lazy.compactMap { index, pin -> Certificate? in
            if let own = pin.certificate { return own.isCA ? own : nil }
            guard atCAs.contains(index) || forecaster.knownCAs(pin.spkiSHA256) != nil else { return nil }
            return issuer(key.standIn(pin.spkiSHA256))
        }
        return (unpinned, cas.prefix(64).map(below).first(where: \.isAccepted), countsAll, after)
    }

    /// `true` if a missing issuer is the only fault of a chain on every device.
    func lacksIssuer(_ chain: PresentedChain, for name: ReferenceName, at time: Timestamp) -> Bool {
        let question = question(chain, intermediates, for: name, at: time)
        return devices.allSatisfy { $0.verifier.evaluate(question).failures.lackIssuer }
    }

    /// The CAs on today's path of a server, nearest to the leaf first; empty if it is not trusted.
    func issuers(of served: PresentedChain, for name: ReferenceName, at time: Timestamp) -> [Certificate] {
        let question = question(served, [], for: name, at: time)
        let answers = devices.lazy.map { $0.verifier.evaluate(question) }
        return answers.first(where: \.isTrusted).map { Array($0.builtChain.certificates.dropFirst()) } ?? []
    }

    private func question(
        _ chain: PresentedChain, _ known: [Certificate], for name: ReferenceName, at time: Timestamp
    ) -> PathQuestion {
        PathQuestion(
            presented: chain, intermediates: known, anchors: Anchors(configuredAnchors, includesTrustStore: true),
            policy: .sslServer(name: name), time: time)
    }

    /// `true` if a client counts timestamps, which a future certificate does not have yet.
    var countsTimestamps: Bool {
        running.contains { $0.procedure.platform(on: $0.device.release)?.countsTimestamps == true }
    }
}

extension JudgedChain {
    var lacksIssuer: Bool { clients.contains { $0.decided?.reason.failures.lackIssuer == true } }
}

extension [TrustFailure] {
    fileprivate var lackIssuer: Bool { contains { $0.reason == .unknownIssuer } && allSatisfy(\.isMissingAnchor) }
}
