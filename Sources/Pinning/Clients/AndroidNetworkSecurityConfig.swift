/// Android's Network Security Config (`NetworkSecurityTrustManager`): an expired pin set accepts every chain that the
/// system trusts, and so does an anchor with `overridePins`.
package struct AndroidNetworkSecurityConfig: ClientProcedure {
    /// The moment after which the pin set does not apply: midnight at the start of its date, in the device's time zone.
    private let expiration: Timestamp?
    /// The trust settings of the app's configuration; `nil` if the trust store alone decides.
    private let trust: AndroidTrust?

    package init(expiration: Timestamp? = nil, trust: AndroidTrust? = nil) {
        (self.expiration, self.trust) = (expiration, trust)
    }

    package var platform: Platform? { .android() }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        .keys(of: pins, at: .anywhere, expiration: expiration)
    }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        let verifier = run.verifier
        func isExempt(_ chain: BuiltChain) -> Bool {
            guard let trust, trust.sources.contains(where: \.overridesPins), let anchor = chain.certificates.last else {
                return false
            }
            return trust.overridesPins(endingAt: anchor, isOfSystem: verifier.holdsAnchor(like: anchor))
        }
        return run.afterServerTrust(by: trust) { run, system in
            guard let pins = run.pins else { return run.acceptUnpinned("the host has no pin set", system) }
            run.warnOfTimeZone(of: expiration)
            if let expiration, expiration < run.view.time {
                run.warn(.pinSetExpired, "the pin set expired at \(expiration): Android pins nothing any more")
                return run.acceptUnpinned("the pin set expired at \(expiration)", system)
            }
            run.warnOfPathDependence(system) { isExempt($0) || !pins.publicKeyMatches(on: $0).isEmpty }
            if let anchor = system.builtChain.certificates.last, isExempt(system.builtChain) {
                run.warn(.pinsOverridden, "the anchor \(anchor) is exempt from pinning (overridePins)")
                return run.acceptUnpinned("the anchor \(anchor) has overridePins", system)
            }
            return run.compare(.init(pins), on: system)
        }
    }
}
