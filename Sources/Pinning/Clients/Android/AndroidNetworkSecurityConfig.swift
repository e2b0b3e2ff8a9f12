/// Android's Network Security Config: `NetworkSecurityTrustManager`.
///
/// An expired pin set lets everything pass that the system trusts, and so does an anchor with `overridePins`.
public struct AndroidNetworkSecurityConfig: ClientProcedure {
    /// The moment from which on the pin set no longer applies: midnight in the device's time zone at the start of its date.
    public let expiration: Timestamp?
    /// The anchors whose paths are exempt from pinning (`overridePins="true"`).
    public let anchorsOverridingPins: AnchorExemption
    /// The roots that the user installed on the device, for exemptions of those.
    public let installedRoots: [Certificate]

    /// The name users choose this client by.
    public var name: String { "android" }

    /// The pin set of a host's `<domain-config>`.
    public init(
        expiration: Timestamp? = nil,
        anchorsOverridingPins: AnchorExemption = AnchorExemption(),
        installedRoots: [Certificate] = []
    ) {
        self.expiration = expiration
        self.anchorsOverridingPins = anchorsOverridingPins
        self.installedRoots = installedRoots
    }

    /// Android with Conscrypt.
    public var platform: Platform? { .android() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        .keys(of: pins, at: .anywhere, expiration: expiration)
    }

    /// Decides as the trust manager does, on the first valid path.
    public func evaluate(_ observation: Observation, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        return run.afterServerTrust { run, system in
            guard pins != nil else { return run.unpinned("the host has no pin set", system) }
            run.warnOfTimeZone(of: expiration)
            if let expiration, expiration < observation.time {
                run.warn("pin-set-expired", "the pin set expired at \(expiration): Android pins nothing any more")
                return run.unpinned("the pin set expired at \(expiration)", system)
            }
            run.warnOfPathDependence(system) { chain in
                isExempt(chain) || pins.map { !$0.publicKeyMatches(on: chain).isEmpty } == true
            }
            if let anchor = system.builtChain.certificates.last,
                anchorsOverridingPins.covers(anchor, installedRoots: installedRoots)
            {
                run.warn("pins-overridden", "the anchor \(anchor) is exempt from pinning (overridePins)")
                return run.unpinned("the anchor \(anchor) has overridePins", system)
            }
            return run.compare(on: system, what: "public key")
        }
    }

    private func isExempt(_ chain: BuiltChain) -> Bool {
        chain.certificates.last.map { anchorsOverridingPins.covers($0, installedRoots: installedRoots) } ?? false
    }
}
