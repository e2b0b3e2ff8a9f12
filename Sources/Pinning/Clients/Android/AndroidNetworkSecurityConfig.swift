/// Android's Network Security Config: `NetworkSecurityTrustManager`.
///
/// An expired pin set lets everything pass that the system trusts, and so does an anchor with `overridePins`.
public struct AndroidNetworkSecurityConfig: ClientProcedure {
    /// The moment from which on the pin set no longer applies: midnight in the device's time zone at the start of its date.
    public let expiration: Timestamp?
    /// What the app's configuration has the device trust, `nil` for the trust store as it is.
    public let trust: AndroidTrust?

    /// The name users choose this client by.
    public var name: String { "android" }

    /// The pin set of a host's `<domain-config>`.
    public init(expiration: Timestamp? = nil, trust: AndroidTrust? = nil) {
        self.expiration = expiration
        self.trust = trust
    }

    /// Android with Conscrypt.
    public var platform: Platform? { .android() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        .keys(of: pins, at: .anywhere, expiration: expiration)
    }

    /// Decides as the trust manager does, on the first valid path and what follows on it behind an anchor.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform, trust: trust)
        return run.afterServerTrust(by: trust) { run, system in
            let system = system.goingOnThroughAnchors
            guard pins != nil else { return run.unpinned("the host has no pin set", system) }
            run.warnOfTimeZone(of: expiration)
            if let expiration, expiration < observation.time {
                run.warn("pin-set-expired", "the pin set expired at \(expiration): Android pins nothing any more")
                return run.unpinned("the pin set expired at \(expiration)", system)
            }
            run.warnOfPathDependence(system) { chain in
                isExempt(chain, verifier) || pins.map { !$0.publicKeyMatches(on: chain).isEmpty } == true
            }
            if let anchor = system.builtChain.certificates.last, isExempt(system.builtChain, verifier) {
                run.warn("pins-overridden", "the anchor \(anchor) is exempt from pinning (overridePins)")
                return run.unpinned("the anchor \(anchor) has overridePins", system)
            }
            return run.compare(on: system, what: "public key")
        }
    }

    private func isExempt(_ chain: BuiltChain, _ verifier: some PathVerifier) -> Bool {
        guard let trust, trust.sources.contains(where: \.overridesPins), let anchor = chain.certificates.last else {
            return false
        }
        return trust.overridesPins(endingAt: anchor, isOfSystem: verifier.holdsAnchor(like: anchor))
    }
}
