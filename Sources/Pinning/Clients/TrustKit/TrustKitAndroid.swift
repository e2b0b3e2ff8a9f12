/// TrustKit for Android: `PinningTrustManager`.
///
/// `enforcePinning` is off by default here, the other way round than on iOS.
public struct TrustKitAndroid: ClientProcedure {
    /// Whether a mismatch blocks the connection (`enforcePinning`), or is only reported.
    public let enforcesPinning: Bool
    /// The moment from which on the pins no longer apply, midnight in the device's time zone.
    public let expiration: Timestamp?
    /// What the app's network security configuration has the device trust, `nil` for the trust store as it is.
    public let trust: AndroidTrust?

    /// The name users choose this client by.
    public var name: String { "trustkit-android" }

    /// The policy of a host whose pins are given apart.
    ///
    /// - Throws: ``ClientConfigurationError`` when the policy is enforced and has fewer than two different pins.
    public init(
        pins: PinSet?, enforcesPinning: Bool = false, expiration: Timestamp? = nil, trust: AndroidTrust? = nil
    ) throws(ClientConfigurationError) {
        let distinct = Set(pins?.pins.map(\.spkiSHA256) ?? []).count
        guard pins == nil || !enforcesPinning || distinct >= 2 else {
            throw ClientConfigurationError(
                client: "trustkit-android",
                message: (distinct == 1 ? "1 pin is" : "\(distinct) different pins are")
                    + " configured and an enforced policy needs 2: add a backup pin")
        }
        self.enforcesPinning = enforcesPinning
        self.expiration = expiration
        self.trust = trust
    }

    /// Android with Conscrypt.
    public var platform: Platform? { .android() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        .keys(of: pins, at: .anywhere, expiration: expiration, isEnforced: enforcesPinning)
    }

    /// Decides as TrustKit for Android does: name and chain first, then the pins.
    public func evaluate(_ observation: Observation, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform, trust: trust)
        return run.afterServerTrust(by: trust) { run, system in
            let system = system.goingOnThroughAnchors
            guard pins != nil else { return run.unpinned("the host has no pinning policy", system) }
            run.warnOfTimeZone(of: expiration)
            if let expiration, expiration < observation.time {
                return run.unpinned("the pinning policy expired at \(expiration)", system)
            }
            let verdict = run.compare(on: system, what: "public key")
            guard verdict.reason.isPinMismatch, !enforcesPinning else { return verdict }
            run.warn("not-enforced", "no pin matches, and enforcePinning is off (its default): the connection goes on")
            return run.verdict(.mismatchNotEnforced, on: verdict.builtChain)
        }
    }
}
