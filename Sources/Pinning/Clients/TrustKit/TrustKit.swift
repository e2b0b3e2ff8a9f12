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
        pins: PinSet?, enforcesPinning: Bool = true, expiration: Timestamp? = nil, exemptRoots: Set<Certificate> = []
    ) throws(ClientConfigurationError) {
        let distinct = Set(pins?.pins.map(\.spkiSHA256) ?? []).count
        let needed = enforcesPinning ? 2 : 1
        guard pins == nil || distinct >= needed else {
            throw ClientConfigurationError(
                client: "trustkit",
                message: (distinct == 1 ? "1 pin is" : "\(distinct) different pins are")
                    + " configured and TrustKit needs \(needed): add a backup pin")
        }
        self.enforcesPinning = enforcesPinning
        self.expiration = expiration
        isUnpinned = pins == nil
        self.exemptRoots = exemptRoots
    }

    /// Apple's.
    public var platform: Platform? { .apple() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        guard !isUnpinned else { return .nothing }
        return .keys(of: pins, at: .anywhere, expiration: expiration, isEnforced: enforcesPinning)
    }

    /// Keys of which TrustKit's hash is that of the SubjectPublicKeyInfo.
    public func takes(_ key: PublicKey) -> Bool { TrustKitHash.isOfSubjectPublicKeyInfo(key) }

    /// Decides as TrustKit does.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
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
        run.warnOfPathDependence(system) { chain -> Bool? in
            oddKey(on: chain, pins) == nil ? pins.map { matches($0, on: chain).isEmpty } : nil
        }
        if let odd = oddKey(on: system.builtChain, pins) {
            let why =
                "TrustKit's hash of the \(odd.publicKey.algorithm) key of \(odd) is not that of its SPKI; judged as blocked"
            run.fail("pins", "ErrorCouldNotGenerateSpkiHash: \(why)")
            return run.verdict(.clientError(name: "ErrorCouldNotGenerateSpkiHash", message: why), on: system.builtChain)
        }
        return enforced(run.compare(on: system, what: "public key", matches: matches), &run)
    }

    private func matches(_ pins: PinSet, on chain: BuiltChain) -> [PinMatch] {
        pins.publicKeyMatches(on: chain).filter {
            TrustKitHash.isOfSubjectPublicKeyInfo(chain.certificates[$0.depth].publicKey)
        }
    }

    /// The first certificate from the root down, above any pinned one, whose key TrustKit does not hash as pins are made.
    private func oddKey(on chain: BuiltChain, _ pins: PinSet?) -> Certificate? {
        for certificate in chain.certificates.reversed() {
            guard TrustKitHash.isOfSubjectPublicKeyInfo(certificate.publicKey) else { return certificate }
            if pins?.isPinned(certificate) == true { return nil }
        }
        return nil
    }

    private func reasonNotToPin(_ observation: ServerView, _ pins: PinSet?) -> String? {
        if isUnpinned || pins == nil { return "DomainNotPinned: the host has no pinning policy" }
        if let expiration, expiration < observation.time {
            return "DomainNotPinned: the pinning policy expired at \(expiration)"
        }
        return nil
    }

    private func enforced(_ verdict: Verdict, _ run: inout ProcedureRun<some PathVerifier>) -> Verdict {
        guard verdict.reason.isPinMismatch else { return verdict }
        if let root = verdict.builtChain.certificates.last, exemptRoots.contains(root) {
            run.warn("pins-overridden", "no pin matches, and the chain ends at an installed root, which macOS exempts")
            return run.verdict(
                .pinsNotApplied("FailedUserDefinedTrustAnchor: the chain ends at the installed root \(root)"),
                on: verdict.builtChain)
        }
        guard !enforcesPinning else { return verdict }
        run.warn("not-enforced", "no pin matches, and enforcePinning is off: TrustKit reports this and goes on")
        return run.verdict(.mismatchNotEnforced, on: verdict.builtChain, disposition: .useCredential)
    }
}
