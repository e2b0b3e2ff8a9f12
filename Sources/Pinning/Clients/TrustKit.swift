/// TrustKit 3 on iOS: `TSKPinningValidator`.
///
/// The system must trust the chain first under all settings. TrustKit hashes only the kinds of keys that it knows, and
/// gives up on a chain that has another kind above the pinned certificate.
package struct TrustKit: ClientProcedure {
    /// `true` if a mismatch blocks the connection, `false` if it is only reported (`kTSKEnforcePinning`).
    package let enforcesPinning: Bool
    /// The moment after which the pins do not apply (`kTSKExpirationDate`).
    private let expiration: Timestamp?
    /// `true` if the host has no policy: it is not configured, or is excluded from its parent's.
    private let isUnpinned: Bool
    /// The user's roots that TrustKit lets pass on a Mac; kTSKIgnorePinningForUserDefinedTrustAnchors is compiled for
    /// macOS only (datatheorem/TrustKit, `TrustKit.m`, `TSKPinningValidator.m`).
    private let rootsThatPassOnMacs: Set<Certificate>

    package init(
        pins: PinSet?, enforcesPinning: Bool = true, expiration: Timestamp? = nil,
        rootsThatPassOnMacs: Set<Certificate> = []
    ) throws(ClientConfigurationError) {
        let distinct = Set(pins?.pins.map(\.spkiSHA256) ?? []).count
        let needed = enforcesPinning ? 2 : 1
        guard pins == nil || distinct >= needed else {
            throw ClientConfigurationError(
                client: "trustkit",
                message: (distinct == 1 ? "1 pin is" : "\(distinct) different pins are")
                    + " configured and TrustKit needs \(needed): add a backup pin")
        }
        (self.enforcesPinning, self.expiration) = (enforcesPinning, expiration)
        self.rootsThatPassOnMacs = rootsThatPassOnMacs
        isUnpinned = pins == nil
    }

    package var platform: Platform? { .apple() }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        isUnpinned ? .nothing : .keys(of: pins, at: .anywhere, expiration: expiration, isEnforced: enforcesPinning)
    }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        let (system, pins) = (run.evaluate(run.serverPolicy), run.pins)
        run.record(system)
        let end = expiration.flatMap { $0 < run.view.time ? "the pinning policy expired at \($0)" : nil }
        if let why = isUnpinned || pins == nil ? "the host has no pinning policy" : end {
            return run.unpinned("DomainNotPinned: \(why)", system, disposition: .performDefaultHandling)
        }
        guard system.isTrusted else {
            run.skip("pins", "FailedInvalidCertificateChain: blocked, enforced or not")
            return run.verdict(.untrusted(system.failures), on: system.builtChain)
        }
        let condition = PinComparison.Condition.keys(of: pins, at: .anywhere)
        func isHashed(_ certificate: Certificate) -> Bool { Self.hashesAsPins(certificate.publicKey) }
        run.warnOfPathDependence(system) { chain -> Bool? in
            guard oddKey(on: chain, pins) == nil, let pins else { return nil }
            return !condition.matches(pins, on: chain).contains { isHashed(chain.certificates[$0.depth]) }
        }
        if let odd = oddKey(on: system.builtChain, pins) {
            let why =
                "TrustKit's hash of the \(odd.publicKey.algorithm) key of \(odd) is not that of its SPKI; judged as blocked"
            run.fail("pins", "ErrorCouldNotGenerateSpkiHash: \(why)")
            return run.verdict(.clientError(name: "ErrorCouldNotGenerateSpkiHash", message: why), on: system.builtChain)
        }
        let verdict = run.compare(condition, on: system, isHashed: isHashed)
        guard verdict.reason.isPinMismatch else { return verdict }
        if let root = verdict.builtChain.certificates.last, rootsThatPassOnMacs.contains(root) {
            run.note(
                .trustKitOnMacOS,
                "on a Mac TrustKit lets a chain to an installed root pass, unless TSKIgnorePinningForUserDefinedTrustAnchors is NO; "
                    + "judged as on iOS")
        }
        guard !enforcesPinning else { return run.verdict(verdict.reason, on: verdict.builtChain, matches: []) }
        run.warn(.notEnforced, "no pin matches, and enforcePinning is off: TrustKit reports this and goes on")
        return run.verdict(.mismatchNotEnforced, on: verdict.builtChain, disposition: .useCredential)
    }

    /// The first certificate, from the root down to a pinned one, whose key TrustKit does not hash as pins do.
    private func oddKey(on chain: BuiltChain, _ pins: PinSet?) -> Certificate? {
        for certificate in chain.certificates.reversed() {
            guard Self.hashesAsPins(certificate.publicKey) else { return certificate }
            if pins?.isPinned(certificate) == true { return nil }
        }
        return nil
    }
}
