/// AFNetworking: `-[AFSecurityPolicy evaluateServerTrust:forDomain:]`.
///
/// Certificate mode makes the pinned certificates the only anchors, so a pinned root accepts every certificate it ever issues for
/// the host. Public-key mode with `allowInvalidCertificates` looks at the key and at nothing else.
package struct AFNetworking: ClientProcedure {
    let policy: AFSecurityPolicy
    /// How a challenge is answered that is rejected: 4.0 cancels it, 3.0 – 3.2.1 reject its protection space.
    package let rejection: ChallengeDisposition
    /// In 2.2.1 – 2.5.4, with the defaults of 2.5.3 and later, whether the whole chain must be pinned; `nil` for later versions.
    ///
    /// It means another thing in each mode: with certificates every one of the built chain must be pinned, the root included although no
    /// server sends it; with public keys the number of equal pairs must be the length of the chain. Switched off it means "anchored at
    /// any pin" and "the leaf's key alone".
    let validatesCertificateChain: Bool?

    package init(
        policy: AFSecurityPolicy, rejection: ChallengeDisposition = .cancelAuthenticationChallenge,
        validatesCertificateChain: Bool? = nil
    ) { (self.policy, self.rejection, self.validatesCertificateChain) = (policy, rejection, validatesCertificateChain) }

    package var platform: Platform? { .apple() }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        let isWhole = validatesCertificateChain == true
        return switch policy.mode {
        case .none: .nothing
        case .publicKey:
            .keys(of: pins, at: isWhole ? .everywhere : validatesCertificateChain == nil ? .anywhere : .leaf)
        case .certificate: .certificates(of: pins, at: isWhole ? .everywhere : .anywhere)
        }
    }

    /// Decides step by step in AFNetworking's order.
    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        if let refusal = refusal(&run) { return refusal }
        describePolicy(&run)
        let system = run.evaluate(trustPolicy(run))
        guard policy.mode != .none else { return withoutPinning(system, &run) }
        if let rejection = requireSystemTrust(system, &run) { return rejection }
        guard let pins = run.pins, policy.mode == .publicKey || !pins.certificates.isEmpty else {
            run.fail("pins", "mode \(policy.mode.rawValue) without a pin to compare rejects every server")
            return verdict(.noPins, on: system.builtChain, run)
        }
        return policy.mode == .certificate
            ? comparingCertificates(pins, system, &run) : comparingKeys(pins, system, &run)
    }

    // MARK: Certificates

    private func comparingCertificates(_ pins: PinSet, _ system: TrustResult, _ run: inout ProcedureRun) -> Verdict {
        if pins.certificates.count < pins.pins.count {
            run.warn(
                .hashPinsIgnored, "certificate mode compares certificates: the pins that are hashes are ignored")
        }
        let pinned = run.evaluate(trustPolicy(run), anchors: .only(pins.certificates))
        run.record(pinned, id: "pinned-trust", leadsTo: "a pinned certificate")
        guard pinned.isTrusted else {
            run.fail("pins", "no valid path ends at a pinned certificate")
            run.warnOfPresentedPins(system.builtChain)
            let isMismatch = pinned.failures.allSatisfy(\.isMissingAnchor)
            return verdict(isMismatch ? .pinMismatch : .untrusted(pinned.failures), on: system.builtChain, run)
        }
        let chain = pinned.builtChain
        let reason: Verdict.Reason
        switch validatesCertificateChain {
        case true?: return comparingWholeChain(pins, system, &run)
        case false?:
            run.pass("pins", "the path ends at a pinned certificate, which is all this setting asks for")
            let match = pins.certificateMatches(on: chain).last
            reason = .pinMatched(match ?? PinMatch(pinIndex: 0, depth: chain.certificates.count - 1))
        case nil: reason = run.compare(.certificates(of: pins), on: pinned).reason
        }
        // The chain up to the last pinned certificate, all of which are anchors.
        let reach = run.reach(of: pinned, under: trustPolicy(run), anchoredAt: pins.certificates)
        return verdict(reason, on: chain, reaching: reach, run)
    }

    /// Every certificate of the chain built with the system's roots must be pinned.
    private func comparingWholeChain(_ pins: PinSet, _ system: TrustResult, _ run: inout ProcedureRun) -> Verdict {
        let result =
            policy.allowInvalidCertificates ? run.extendingBestEffort(of: system, under: trustPolicy(run)) : system
        let pinned = Set(pins.certificates)
        run.warnOfPathDependence(result) { $0.certificates.allSatisfy(pinned.contains) }
        let chain = result.chains.first { !$0.certificates.allSatisfy(pinned.contains) } ?? result.builtChain
        guard let missing = chain.certificates.firstIndex(where: { !pinned.contains($0) }) else {
            run.pass("pins", "all \(chain.certificates.count) certificates of the built chain are pinned")
            let match = pins.certificateMatches(on: chain).first
            return verdict(.pinMatched(match ?? PinMatch(pinIndex: 0, depth: 0)), on: chain, run)
        }
        let shortfall =
            "validatesCertificateChain: \(chain.certificates[missing]) at depth \(missing) of the built chain is not pinned"
        run.fail("pins", shortfall)
        return verdict(.pinsFallShort(shortfall), on: chain, run)
    }

    // MARK: Public keys

    private func comparingKeys(_ pins: PinSet, _ system: TrustResult, _ run: inout ProcedureRun) -> Verdict {
        var result = system
        if policy.allowInvalidCertificates {
            if policy.validatesDomainName, run.isNameGiven {
                run.skip("name", "public-key mode with allowInvalidCertificates never looks at the name")
            }
            run.warn(
                .validityNotChecked,
                "public-key mode with allowInvalidCertificates checks neither trust nor dates nor the name, only the key"
            )
            result = run.extendingBestEffort(of: system, under: trustPolicy(run))
        }
        let chain = result.builtChain
        // The keys of the whole chain are gathered before one is compared, and a kind of key that Apple's system does not hand out ends
        // the app: `nil` is put into an array.
        if let odd = result.chains.lazy.flatMap(\.certificates).first(where: { !$0.publicKey.algorithm.hasSecKey }) {
            let key = "the \(odd.publicKey.algorithm) key of \(odd)"
            run.fail("pins", "Apple's system hands out no SecKey for \(key), and AFNetworking crashes on that")
            return verdict(
                .clientError(
                    name: "NSInvalidArgumentException",
                    message: "AFNetworking crashes on \(key): it takes RSA and EC keys"), on: chain, run)
        }
        guard let isWhole = validatesCertificateChain else {
            return verdict(run.compare(.keys(of: pins, at: .anywhere), on: result).reason, on: chain, run)
        }
        // Pairs of equal keys are counted, repeated pins included.
        let condition = PinComparison.Condition.keys(of: pins, at: isWhole ? .everywhere : .leaf)
        func isPinned(_ chain: BuiltChain) -> Bool {
            let count = condition.matches(pins, on: chain).count
            return isWhole ? count == chain.certificates.count : count > 0
        }
        run.warnOfPathDependence(result, holds: isPinned)
        let lacking = result.chains.first { !isPinned($0) }
        let pairs = condition.matches(pins, on: lacking ?? chain)
        guard lacking == nil, let match = pairs.first else {
            let chain = lacking ?? chain
            let shortfall =
                isWhole
                ? "validatesCertificateChain: equal keys \(pairs.count), length of the built chain \(chain.certificates.count)"
                : "the leaf's key is not pinned, the only one compared without validatesCertificateChain"
            run.fail("pins", shortfall)
            run.warnOfPresentedPins(chain)
            return verdict(.pinsFallShort(shortfall), on: chain, run)
        }
        run.pass("pins", "public key pin matched at depth \(match.depth), equal keys: \(pairs.count)")
        return verdict(.pinMatched(match), on: chain, run)
    }
}

/// The settings of AFNetworking's `AFSecurityPolicy`, under its own names and with its defaults.
package struct AFSecurityPolicy: Sendable, Hashable {
    /// What is compared with the pins: `AFSSLPinningMode`.
    package enum PinningMode: String, Sendable, Hashable, CaseIterable {
        case none
        /// The public keys of the built chain.
        case publicKey = "public-key"
        /// The pinned certificates become the only anchors, and one of them must be on the built chain.
        case certificate
    }

    package var mode: PinningMode
    /// Whether a chain that the system does not trust may still be accepted for its pins.
    package var allowInvalidCertificates: Bool
    /// Whether the certificate must be valid for the host; without it far more than the name goes unchecked.
    package var validatesDomainName: Bool

    package init(mode: PinningMode, allowInvalidCertificates: Bool = false, validatesDomainName: Bool = true) {
        (self.mode, self.validatesDomainName) = (mode, validatesDomainName)
        self.allowInvalidCertificates = allowInvalidCertificates
    }
}

/// The steps before pins are compared.
extension AFNetworking {
    /// The guard of 3 and 4 against a domain that nothing could be validated against.
    func refusal(_ run: inout ProcedureRun) -> Verdict? {
        let count = run.pins?.pins.count ?? 0
        let settings = "mode \(policy.mode.rawValue), " + (count == 1 ? "1 pin" : "\(count) pins")
        guard validatesCertificateChain == nil, run.isNameGiven, policy.allowInvalidCertificates,
            policy.validatesDomainName, policy.mode == .none || count == 0
        else {
            run.pass(
                "settings", settings + (validatesCertificateChain.map { ", validatesCertificateChain \($0)" } ?? ""))
            return nil
        }
        run.fail(
            "settings",
            "allowInvalidCertificates with validatesDomainName needs a pinning mode and pins: every server is refused")
        return verdict(
            .refusedSettings("In order to validate a domain name for self signed certificates, you MUST use pinning."),
            on: run.leafAlone, run)
    }

    func trustPolicy(_ run: ProcedureRun) -> TrustPolicy { policy.validatesDomainName ? run.serverPolicy : .basicX509 }

    func describePolicy(_ run: inout ProcedureRun) {
        if policy.validatesDomainName {
            run.pass("policy", "rules for TLS servers" + (run.isNameGiven ? ", name \(run.view.referenceName)" : ""))
            if !run.isNameGiven { run.skipMissingName() }
        } else {
            run.pass("policy", "basic X.509 rules (validatesDomainName is off)")
            run.skip("name", "validatesDomainName is off")
            run.warn(
                .nameNotChecked,
                "validatesDomainName is off: the name, the extended key usage and the strength of keys go unchecked")
        }
    }

    /// Mode none: the system's verdict, or none at all.
    func withoutPinning(_ system: TrustResult, _ run: inout ProcedureRun) -> Verdict {
        var reason: Verdict.Reason = system.isTrusted ? .trustedWithoutPins : .untrusted(system.failures)
        if policy.allowInvalidCertificates {
            reason = .everythingAccepted
            run.skip("trust", "allowInvalidCertificates without pinning: any certificate is accepted")
            run.warn(.everythingAccepted, "these settings accept every server, an interceptor's too")
        } else {
            run.record(system)
        }
        run.skip("pins", "mode none compares no pins")
        return verdict(reason, on: system.builtChain, run)
    }

    /// The system's opinion, which counts unless allowInvalidCertificates is set.
    func requireSystemTrust(_ system: TrustResult, _ run: inout ProcedureRun) -> Verdict? {
        if policy.allowInvalidCertificates {
            run.skip("trust", "allowInvalidCertificates: the system's opinion of the chain does not count")
            return nil
        }
        run.record(system)
        guard !system.isTrusted else { return nil }
        run.skip("pins", "not compared: the client rejects before that")
        // A private CA can be pinned in certificate mode only with allowInvalidCertificates. A missing intermediate is the server's fault,
        // and a self-signed leaf has a remedy of its own.
        if policy.mode == .certificate, let certificates = run.pins?.certificates, !certificates.isEmpty,
            let first = system.failures.first, first.depth > 0,
            run.evaluate(trustPolicy(run), anchors: .only(certificates)).isTrusted
        {
            run.warn(
                .needsAllowInvalid,
                "the chain ends at a pinned certificate, but AFNetworking asks the system first: "
                    + "a private CA needs allowInvalidCertificates")
        }
        return verdict(.untrusted(system.failures), on: system.builtChain, run)
    }

    func verdict(
        _ reason: Verdict.Reason, on chain: BuiltChain, reaching reach: BuiltChain? = nil, _ run: ProcedureRun
    ) -> Verdict {
        run.verdict(
            reason, on: chain,
            matches: policy.mode == .certificate ? run.pins?.certificateMatches(on: reach ?? chain) ?? [] : nil,
            disposition: reason.isAcceptance ? .useCredential : rejection, reaching: reach)
    }
}

extension KeyAlgorithm {
    /// Whether Apple's system hands out keys of this kind as `SecKey`: RSA and ECDSA, and no others (`SecTrustCopyKey` is nil for them).
    package var hasSecKey: Bool {
        switch self {
        case .rsa, .rsaPSS, .ec: true
        case .other, .unknown: false
        }
    }
}
