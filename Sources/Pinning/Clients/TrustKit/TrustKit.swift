/// TrustKit 3 for iOS and macOS: `TSKPinningValidator`.
///
/// The system must trust the chain first, whatever the settings. TrustKit hashes only the kinds of keys it knows, and gives up on
/// a chain that has another kind above the pinned certificate.
public struct TrustKit: ClientProcedure {
    /// Whether a mismatch blocks the connection (`kTSKEnforcePinning`), or is only reported.
    public let enforcesPinning: Bool
    /// The moment from which on the pins no longer apply (`kTSKExpirationDate`).
    public let expiration: Timestamp?
    /// Whether the host has no policy: it is not configured, or excluded from its parent's.
    public let isUnpinned: Bool
    /// Roots that the user installed and macOS exempts from pinning (`kTSKIgnorePinningForUserDefinedTrustAnchors`); none on iOS.
    public let exemptRoots: Set<Certificate>

    /// The name users choose this client by.
    public var name: String { "trustkit" }

    /// The policy of a host whose pins are given apart.
    ///
    /// - Throws: ``ClientConfigurationError`` when the policy is enforced and has fewer than two different pins.
    public init(
        pins: PinSet?,
        enforcesPinning: Bool = true,
        expiration: Timestamp? = nil,
        exemptRoots: Set<Certificate> = []
    ) throws(ClientConfigurationError) {
        let distinct = Set(pins?.pins.map(\.spkiSHA256) ?? []).count
        let needed = enforcesPinning ? 2 : 1
        guard pins == nil || distinct >= needed else {
            throw ClientConfigurationError(
                client: "trustkit",
                message: (distinct == 1 ? "1 pin is" : "\(distinct) different pins are")
                    + " configured and TrustKit needs \(needed): add a backup pin"
            )
        }
        self.enforcesPinning = enforcesPinning
        self.expiration = expiration
        isUnpinned = pins == nil
        self.exemptRoots = exemptRoots
    }

    /// The policy a configuration has for a host, `nil` for none.
    public init(policy: TrustKitDomain?) {
        enforcesPinning = policy?.enforcesPinning ?? true
        expiration = policy?.expiration
        isUnpinned = policy.map(\.isExcluded) ?? true
        exemptRoots = []
    }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        guard !isUnpinned else { return .nothing }
        return .keys(of: pins, at: .anywhere, expiration: expiration, isEnforced: enforcesPinning)
    }

    /// Decides as TrustKit does.
    public func evaluate(_ observation: Observation, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, fetchesIssuers: true)
        let system = run.evaluate(run.serverPolicy)
        if let why = reasonNotToPin(observation, pins) {
            run.recordServerTrust(system)
            let verdict = run.unpinned(why, system)
            return run.verdict(verdict.reason, on: verdict.builtChain, disposition: .performDefaultHandling)
        }
        run.recordServerTrust(system)
        guard system.isTrusted else {
            run.skip("pins", "FailedInvalidCertificateChain: blocked, enforced or not")
            return run.verdict(.untrusted(system.failures), on: system.builtChain)
        }
        if let unknown = keyTrustKitCannotHash(on: system.builtChain, pins: pins) {
            run.fail("pins", "ErrorCouldNotGenerateSpkiHash: \(unknown) has a key TrustKit does not know")
            return run.verdict(
                .clientError(
                    name: "ErrorCouldNotGenerateSpkiHash",
                    message:
                        "TrustKit cannot hash the \(unknown.publicKey.algorithm) key of \(unknown) and blocks the connection"
                ),
                on: system.builtChain
            )
        }
        return enforced(run.compare(on: system, what: "public key"), &run)
    }

    private func reasonNotToPin(_ observation: Observation, _ pins: PinSet?) -> String? {
        if isUnpinned || pins == nil { return "DomainNotPinned: the host has no pinning policy" }
        if let expiration, expiration < observation.time {
            return "DomainNotPinned: the pinning policy expired at \(expiration)"
        }
        return nil
    }

    private func enforced(_ verdict: Verdict, _ run: inout ProcedureRun<some PathVerifier>) -> Verdict {
        guard verdict.reason == .pinMismatch else { return verdict }
        if let root = verdict.builtChain.certificates.last, exemptRoots.contains(root) {
            run.warn("pins-overridden", "no pin matches, and the chain ends at an installed root, which macOS exempts")
            return run.verdict(
                .pinsNotApplied("FailedUserDefinedTrustAnchor: the chain ends at the installed root \(root)"),
                on: verdict.builtChain
            )
        }
        guard !enforcesPinning else { return verdict }
        run.warn("not-enforced", "no pin matches, and enforcePinning is off: TrustKit reports this and goes on")
        return run.verdict(.mismatchNotEnforced, on: verdict.builtChain, disposition: .useCredential)
    }

    /// The first certificate from the root down, above any pinned one, whose key TrustKit has no header for.
    private func keyTrustKitCannotHash(on chain: BuiltChain, pins: PinSet?) -> Certificate? {
        for certificate in chain.certificates.reversed() {
            guard Self.canHash(certificate.publicKey.algorithm) else { return certificate }
            if pins?.isPinned(certificate) == true { return nil }
        }
        return nil
    }

    private static func canHash(_ algorithm: KeyAlgorithm) -> Bool {
        switch algorithm {
        case .rsa(let bits): [2_048, 3_072, 4_096].contains(bits)
        case .ec(let curve, _): ["P-256", "P-384"].contains(curve)
        case .other, .unknown: false
        }
    }
}
