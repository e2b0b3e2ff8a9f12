/// TrustKit 3 on iOS: `TSKPinningValidator`, after the system trusts the chain; it hashes only the kinds of keys that
/// it knows, and gives up on a chain with another kind above the pinned certificate.
package struct TrustKit: ClientProcedure {
    /// `true` if a mismatch blocks the connection, `false` if it is only reported (`kTSKEnforcePinning`).
    package let enforcesPinning: Bool
    /// `kTSKExpirationDate`.
    private let expiration: Timestamp?
    /// The user's roots that TrustKit accepts without pins on a Mac; kTSKIgnorePinningForUserDefinedTrustAnchors is
    /// compiled for macOS only (datatheorem/TrustKit, `TrustKit.m`, `TSKPinningValidator.m`).
    private let rootsThatPassOnMacs: Set<Certificate>

    package init(
        pins: PinSet?, enforcesPinning: Bool = true, expiration: Timestamp? = nil,
        rootsThatPassOnMacs: Set<Certificate> = []
    ) throws(ClientConfigurationError) {
        if enforcesPinning, let pins, Set(pins.pins.map(\.spkiSHA256)).count < 2 {
            throw ClientConfigurationError(
                client: "trustkit", message: "1 pin is configured and TrustKit needs 2: add a backup pin")
        }
        (self.enforcesPinning, self.expiration) = (enforcesPinning, expiration)
        self.rootsThatPassOnMacs = rootsThatPassOnMacs
    }

    package var platform: Platform? { .apple() }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        .keys(of: pins, at: .anywhere, expiration: expiration, isEnforced: enforcesPinning)
    }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        let (system, pins) = (run.evaluate(run.serverPolicy), run.pins)
        run.record(system)
        let end = expiration.flatMap { $0 < run.view.time ? "the pinning policy expired at \($0)" : nil }
        if let why = pins == nil ? "the host has no pinning policy" : end {
            return run.acceptUnpinned("DomainNotPinned: \(why)", system, disposition: .performDefaultHandling)
        }
        guard system.isTrusted else {
            run.skip("pins", "FailedInvalidCertificateChain: blocked, enforced or not")
            return run.verdict(.untrusted(system.failures), on: system.builtChain)
        }
        let condition = PinComparison.Condition(pins)
        func isHashed(_ certificate: Certificate) -> Bool { Self.hashesAsPins(certificate.publicKey) }
        run.warnOfPathDependence(system) { chain -> Bool? in
            guard oddKey(on: chain, pins) == nil else { return nil }
            return !condition.matches(on: chain).contains { isHashed(chain.certificates[$0.depth]) }
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

    /// `true` if TrustKit's hash of a key is that of its SubjectPublicKeyInfo (`TSKSPKIHashCache`): it hashes a header
    /// and the key as the system hands it out, and the headers of RSA fit an exponent of three bytes, such as 65537.
    package static func hashesAsPins(_ key: PublicKey) -> Bool {
        let start = key.subjectPublicKeyInfo.prefix(32).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return headers.contains { algorithm, header in algorithm == key.algorithm && start.hasPrefix(header) }
    }

    private static let headers: [(KeyAlgorithm, String)] = [
        (.rsa(bits: 2_048), "30820122300d06092a864886f70d01010105000382010f00"),
        (.rsa(bits: 3_072), "308201a2300d06092a864886f70d01010105000382018f00"),
        (.rsa(bits: 4_096), "30820222300d06092a864886f70d01010105000382020f00"),
        (.ec(curve: "P-256", bits: 256), "3059301306072a8648ce3d020106082a8648ce3d030107034200"),
        (.ec(curve: "P-384", bits: 384), "3076301006072a8648ce3d020106052b81040022036200"),
    ]
}
