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

    /// The policy a configuration has for a host, `nil` for none.
    public init(policy: TrustKitDomain?) {
        enforcesPinning = policy?.enforcesPinning ?? true
        expiration = policy?.expiration
        isUnpinned = policy.map(\.isExcluded) ?? true
        exemptRoots = []
    }

    /// Apple's.
    public var platform: Platform? { .apple() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        guard !isUnpinned else { return .nothing }
        return .keys(of: pins, at: .anywhere, expiration: expiration, isEnforced: enforcesPinning)
    }

    /// Keys of which TrustKit's hash is that of the SubjectPublicKeyInfo.
    public func takes(_ key: PublicKey) -> Bool { TrustKitHash.input(for: key) == key.subjectPublicKeyInfo }

    /// Decides as TrustKit does.
    public func evaluate(_ observation: Observation, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
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
        let hashes = TrustKitHashes(verifier)
        run.warnOfPathDependence(system) { hashes.outcome(on: $0, pins) }
        if let unknown = hashes.keyWithoutHeader(on: system.builtChain, pins) {
            run.fail("pins", "ErrorCouldNotGenerateSpkiHash: \(unknown) has a key TrustKit does not know")
            return run.verdict(
                .clientError(
                    name: "ErrorCouldNotGenerateSpkiHash",
                    message:
                        "TrustKit cannot hash the \(unknown.publicKey.algorithm) key of \(unknown) and blocks the connection"
                ), on: system.builtChain)
        }
        if let odd = hashes.oddlyHashed(on: system.builtChain, pins) {
            run.warn(
                "trustkit-hash-differs",
                "the key of \(odd.certificate) is pinned, but TrustKit hashes it as \(odd.hash.base64): its header is for RSA keys "
                    + "with an exponent of 3 bytes")
        }
        return enforced(
            run.compare(on: system, what: "public key") { pins, chain in hashes.matches(pins, on: chain) }, &run)
    }

    private func reasonNotToPin(_ observation: Observation, _ pins: PinSet?) -> String? {
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

/// The hashes that TrustKit compares with pins.
private struct TrustKitHashes<Verifier: PathVerifier> {
    private let verifier: Verifier

    init(_ verifier: Verifier) { self.verifier = verifier }

    /// What comes of pins on a path.
    enum Outcome {
        case matched
        case notMatched
        case keyWithoutHeader
    }

    func outcome(on chain: BuiltChain, _ pins: PinSet?) -> Outcome {
        if keyWithoutHeader(on: chain, pins) != nil { return .keyWithoutHeader }
        return pins.map { matches($0, on: chain).isEmpty } == false ? .matched : .notMatched
    }

    func matches(_ pins: PinSet, on chain: BuiltChain) -> [PinMatch] {
        let hashes = Dictionary(
            chain.certificates.map { ($0.publicKey, hash(of: $0.publicKey)) }, uniquingKeysWith: { first, _ in first })
        return pins.matches(on: chain) { pin, certificate in hashes[certificate.publicKey] == pin.spkiSHA256 }
    }

    /// The first certificate from the root down, above any pinned one, whose key TrustKit has no header for.
    func keyWithoutHeader(on chain: BuiltChain, _ pins: PinSet?) -> Certificate? {
        for certificate in chain.certificates.reversed() {
            guard TrustKitHash.input(for: certificate.publicKey) != nil else { return certificate }
            let hash = hash(of: certificate.publicKey)
            if pins?.pins.contains(where: { $0.spkiSHA256 == hash }) == true { return nil }
        }
        return nil
    }

    /// A certificate of the path whose key is pinned by its hash, which is not the one that TrustKit computes.
    func oddlyHashed(on chain: BuiltChain, _ pins: PinSet?) -> (certificate: Certificate, hash: SHA256Digest)? {
        for certificate in chain.certificates where pins?.isPinned(certificate) == true {
            let hash = hash(of: certificate.publicKey)
            if let hash, hash != certificate.publicKey.spkiSHA256 { return (certificate, hash) }
        }
        return nil
    }

    private func hash(of key: PublicKey) -> SHA256Digest? {
        guard let input = TrustKitHash.input(for: key) else { return nil }
        return input == key.subjectPublicKeyInfo ? key.spkiSHA256 : verifier.sha256(of: input)
    }
}
