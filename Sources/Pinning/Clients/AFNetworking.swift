/// AFNetworking: `-[AFSecurityPolicy evaluateServerTrust:forDomain:]`.
///
/// In certificate mode the pinned certificates are the only anchors: a pinned root accepts every certificate that it
/// issues for the host. Public-key mode with `allowInvalidCertificates` looks only at the key.
package struct AFNetworking: ClientProcedure {
    let policy: AFSecurityPolicy
    /// The response to a rejected challenge: 4.0 cancels it, 3.0 – 3.2.1 reject its protection space.
    let rejection: ChallengeDisposition
    /// `validatesCertificateChain` of 2.2.1 – 2.5.4, with the defaults of 2.5.3 and later; `nil` in later versions.
    ///
    /// If `true`, certificate mode needs pins for the whole built chain, even for the root, which no server sends;
    /// public-key mode needs as many equal pairs as the chain is long. Else a pinned anchor or leaf's key is enough.
    let validatesCertificateChain: Bool?

    package init(
        policy: AFSecurityPolicy, rejection: ChallengeDisposition = .cancelAuthenticationChallenge,
        validatesCertificateChain: Bool? = nil
    ) { (self.policy, self.rejection, self.validatesCertificateChain) = (policy, rejection, validatesCertificateChain) }

    package var platform: Platform? { .apple() }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        let isWhole = validatesCertificateChain == true
        let place: PinComparison.Place = validatesCertificateChain == nil ? .anywhere : .leaf
        return switch policy.mode {
        case .none: .nothing
        case .publicKey: .keys(of: pins, at: isWhole ? .everywhere : place)
        case .certificate where pins == nil: .nothing
        case .certificate: PinComparison([.certificates(of: pins, at: isWhole ? .everywhere : .anywhere)])
        }
    }

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

    private func comparingCertificates(_ pins: PinSet, _ system: TrustResult, _ run: inout ProcedureRun) -> Verdict {
        if pins.certificates.count < pins.pins.count {
            run.warn(.hashPinsIgnored, "certificate mode compares certificates: the pins that are hashes are ignored")
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
        // All pinned certificates are anchors: the reach goes on to the last of them.
        let reach = run.reach(of: pinned, under: trustPolicy(run), anchoredAt: pins.certificates)
        return verdict(reason, on: chain, reaching: reach, run)
    }

    /// Requires a pin for every certificate of the chain that is built with the system's roots.
    private func comparingWholeChain(_ pins: PinSet, _ system: TrustResult, _ run: inout ProcedureRun) -> Verdict {
        let result = run.extendingBestEffort(of: system, under: trustPolicy(run))
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
        // AFNetworking first puts the keys of the whole chain in an array: one that Apple's system does not hand out is
        // `nil` and crashes the app.
        if let odd = result.chains.lazy.flatMap(\.certificates).first(where: { !$0.publicKey.algorithm.hasSecKey }) {
            let key = "the \(odd.publicKey.algorithm) key of \(odd)"
            run.fail("pins", "Apple's system hands out no SecKey for \(key), and AFNetworking crashes on that")
            return verdict(
                .clientError(
                    name: "NSInvalidArgumentException",
                    message: "AFNetworking crashes on \(key): it takes RSA and EC keys"), on: chain, run)
        }
        guard let isWhole = validatesCertificateChain else {
            return verdict(run.compare(.init(pins), on: result).reason, on: chain, run)
        }
        // Repeated pins count: AFNetworking counts pairs of equal keys.
        let condition = PinComparison.Condition(pins, at: isWhole ? .everywhere : .leaf)
        func isPinned(_ chain: BuiltChain) -> Bool {
            let count = condition.matches(on: chain).count
            return isWhole ? count == chain.certificates.count : count > 0
        }
        run.warnOfPathDependence(result, holds: isPinned)
        let lacking = result.chains.first { !isPinned($0) }
        let pairs = condition.matches(on: lacking ?? chain)
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

    /// The rejection by 3 and 4 of settings that validate the name of any certificate, without pins to prove it.
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
            run.pass("policy", "rules for TLS servers" + (run.isNameGiven ? ", name \(run.name)" : ""))
            if !run.isNameGiven { run.skipMissingName() }
        } else {
            run.pass("policy", "basic X.509 rules (validatesDomainName is off)")
            run.skip("name", "validatesDomainName is off")
            run.warn(
                .nameNotChecked,
                "validatesDomainName is off: the name, the extended key usage and the strength of keys go unchecked")
        }
    }

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

    func requireSystemTrust(_ system: TrustResult, _ run: inout ProcedureRun) -> Verdict? {
        if policy.allowInvalidCertificates {
            run.skip("trust", "allowInvalidCertificates: the system's opinion of the chain does not count")
            return nil
        }
        run.record(system)
        guard !system.isTrusted else { return nil }
        run.skip("pins", "not compared: the client rejects before that")
        // Only for private CAs: a missing intermediate is the server's fault, a self-signed leaf has its own remedy.
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

package struct AFSecurityPolicy: Hashable {
    /// `AFSSLPinningMode`.
    package enum PinningMode: String, CaseIterable {
        case none
        case publicKey = "public-key"
        /// The pinned certificates become the only anchors, and one of them must be on the built chain.
        case certificate
    }

    package var mode: PinningMode
    /// `true` if pins may accept a chain that the system does not trust.
    package var allowInvalidCertificates: Bool
    /// `true` if the certificate must be valid for the host, `false` for the far weaker ``TrustPolicy/basicX509``.
    package var validatesDomainName: Bool

    package init(mode: PinningMode, allowInvalidCertificates: Bool = false, validatesDomainName: Bool = true) {
        (self.mode, self.validatesDomainName) = (mode, validatesDomainName)
        self.allowInvalidCertificates = allowInvalidCertificates
    }
}

extension KeyAlgorithm {
    /// `true` if Apple's system hands out the key as `SecKey`: RSA and ECDSA (`SecTrustCopyKey` is nil for others).
    package var hasSecKey: Bool {
        switch self {
        case .rsa, .rsaPSS, .ec: true
        case .other, .unknown: false
        }
    }
}
