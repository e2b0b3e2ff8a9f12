/// AFNetworking 3.0.0 – 4.0.1: `-[AFSecurityPolicy evaluateServerTrust:forDomain:]`.
///
/// Certificate mode makes the pinned certificates the only anchors, so a pinned root accepts every certificate it ever issues for the
/// host. Public-key mode with `allowInvalidCertificates` looks at the key and at nothing else.
public struct AFNetworking4: ClientProcedure {
    /// The settings of the app.
    public let policy: AFSecurityPolicy

    /// The name users choose this client by.
    public var name: String { "afnetworking" }

    /// AFNetworking with the settings of an app.
    public init(policy: AFSecurityPolicy) {
        self.policy = policy
    }

    /// Decides as AFNetworking does, step by step in its order.
    public func evaluate(_ observation: Observation, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = Run(policy: policy, observation: observation, pins: pins, verifier: verifier)
        return run.verdict()
    }
}

/// One evaluation, with what it has found out so far.
private struct Run<Verifier: PathVerifier> {
    let policy: AFSecurityPolicy
    let observation: Observation
    let pins: PinSet?
    let verifier: Verifier
    var trace = Trace()

    mutating func verdict() -> Verdict {
        guard settingsAllowAnything() else {
            return reject(
                .refusedSettings(
                    "In order to validate a domain name for self signed certificates, you MUST use pinning."
                ),
                on: unverifiedChain()
            )
        }
        describePolicy()
        let system = evaluate(anchors: .trustStore)
        guard policy.mode != .none else { return withoutPinning(system) }
        guard policy.allowInvalidCertificates || system.isTrusted else {
            recordTrust("trust", system, where: "the system's roots")
            trace.skip("pins", "not compared: the chain is not trusted")
            hintAtPrivateAuthority()
            return reject(.untrusted(system.failures), on: system.builtChain)
        }
        if policy.allowInvalidCertificates {
            trace.skip("trust", "allowInvalidCertificates: the system's opinion of the chain does not count")
        } else {
            recordTrust("trust", system, where: "the system's roots")
        }
        switch policy.mode {
        case .certificate: return comparingCertificates(system)
        case .publicKey, .none: return comparingPublicKeys(system)
        }
    }

    // MARK: The steps

    /// Step 1: the guard against a domain that nothing could be validated against.
    private mutating func settingsAllowAnything() -> Bool {
        let isRefused =
            observation.referenceName != .unchecked && policy.allowInvalidCertificates && policy.validatesDomainName
            && (policy.mode == .none || pins == nil)
        if isRefused {
            trace.fail(
                "settings",
                "allowInvalidCertificates with validatesDomainName needs a pinning mode and pins: every server is refused"
            )
        } else {
            trace.pass("settings", "mode \(policy.mode.rawValue), \(pins?.pins.count ?? 0) pins")
        }
        return !isRefused
    }

    /// Step 2: which rules the chain is held against.
    private mutating func describePolicy() {
        if policy.validatesDomainName {
            trace.pass("policy", "rules for TLS servers" + (isNameGiven ? ", name \(observation.referenceName)" : ""))
            if !isNameGiven {
                trace.skip("name", "no name was given to check the certificate for")
                trace.warn(
                    "name-not-checked",
                    "the name was not checked: give the host the certificate must be valid for"
                )
            }
        } else {
            trace.pass("policy", "basic X.509 rules (validatesDomainName is off)")
            trace.skip("name", "validatesDomainName is off")
            trace.warn(
                "name-not-checked",
                "validatesDomainName is off: the name, the extended key usage and the strength of keys go unchecked"
            )
        }
    }

    /// Step 3: mode none.
    private mutating func withoutPinning(_ system: TrustResult) -> Verdict {
        if policy.allowInvalidCertificates {
            trace.skip("trust", "allowInvalidCertificates without pinning: any certificate will do")
            trace.skip("pins", "mode none compares no pins")
            trace.warn("everything-accepted", "these settings accept every server, an interceptor's too")
            return verdict(.everythingAccepted, on: system.builtChain)
        }
        recordTrust("trust", system, where: "the system's roots")
        trace.skip("pins", "mode none compares no pins")
        return system.isTrusted
            ? verdict(.trustedWithoutPins, on: system.builtChain)
            : reject(.untrusted(system.failures), on: system.builtChain)
    }

    /// Step 5: the pinned certificates are the only anchors, and one of them must be on the chain built with them.
    private mutating func comparingCertificates(_ system: TrustResult) -> Verdict {
        warnOfHashPins()
        guard let certificates = pins?.certificates, !certificates.isEmpty else { return withoutPins(system) }
        let pinned = evaluate(anchors: .only(certificates))
        recordTrust("pinned-trust", pinned, where: "a pinned certificate")
        guard pinned.isTrusted else {
            trace.fail("pins", "no valid path ends at a pinned certificate")
            warnOfPresentedPins(system.builtChain)
            let isMismatch = pinned.failures.allSatisfy(\.isMissingAnchor)
            return reject(isMismatch ? .pinMismatch : .untrusted(pinned.failures), on: system.builtChain)
        }
        return comparing(pinned, what: "certificate") { $0.certificateMatches(on: $1) }
    }

    /// Step 6: any key of the chain of step 4 equals a pinned one.
    private mutating func comparingPublicKeys(_ system: TrustResult) -> Verdict {
        guard pins != nil else { return withoutPins(system) }
        if policy.allowInvalidCertificates {
            if policy.validatesDomainName, isNameGiven {
                trace.skip("name", "public-key mode with allowInvalidCertificates never looks at the name")
            }
            trace.warn(
                "validity-not-checked",
                "public-key mode with allowInvalidCertificates checks neither trust nor dates nor the name, only the key"
            )
        }
        return comparing(system, what: "public key") { $0.publicKeyMatches(on: $1) }
    }

    private mutating func withoutPins(_ system: TrustResult) -> Verdict {
        trace.fail("pins", "mode \(policy.mode.rawValue) without a pin to compare rejects every server")
        return reject(.noPins, on: system.builtChain)
    }

    private mutating func comparing(
        _ result: TrustResult,
        what: String,
        _ matches: (PinSet, BuiltChain) -> [PinMatch]
    ) -> Verdict {
        guard let pins else { return withoutPins(result) }
        warnOfPathDependence(result) { !matches(pins, $0).isEmpty }
        guard let match = matches(pins, result.builtChain).first else {
            trace.fail("pins", "no \(what) of the built chain is pinned")
            warnOfPresentedPins(result.builtChain)
            return reject(.pinMismatch, on: result.builtChain)
        }
        trace.pass("pins", "\(what) pin matched at depth \(match.depth)")
        if match.depth > 0 {
            trace.warn(
                "authority-pin",
                "matched only by an authority's pin at depth \(match.depth): any certificate it issues for the name will do"
            )
        }
        warnOfMissingIntermediates(result.builtChain)
        return verdict(.pinMatched(match), on: result.builtChain)
    }

    // MARK: Questions

    private var isNameGiven: Bool { observation.referenceName != .unchecked }

    private func evaluate(anchors: Anchors) -> TrustResult {
        verifier.evaluate(
            PathQuestion(
                presented: observation.presented,
                intermediates: pins?.certificates ?? [],
                anchors: anchors,
                policy: policy.validatesDomainName ? .sslServer(name: observation.referenceName) : .basicX509,
                time: observation.time
            )
        )
    }

    private func unverifiedChain() -> BuiltChain {
        .unverified(UnverifiedPath(certificates: [observation.presented.leaf]))
    }

    // MARK: The trace and the warnings

    /// Records a trust evaluation, with the name as a step of its own.
    private mutating func recordTrust(_ id: String, _ result: TrustResult, where anchors: String) {
        let names = result.failures.filter(\.isAboutName)
        if policy.validatesDomainName, isNameGiven {
            if let failure = names.first {
                trace.fail("name", failure.description)
            } else if !trace.steps.contains(where: { $0.id == "name" }) {
                trace.pass("name", "the certificate is valid for \(observation.referenceName)")
            }
        }
        let others = result.failures.filter { !$0.isAboutName }
        if let failure = others.first {
            trace.fail(id, failure.description)
        } else {
            trace.pass(id, "a valid path leads to \(anchors)")
        }
    }

    private mutating func warnOfHashPins() {
        guard let pins, pins.certificates.count < pins.pins.count, !pins.certificates.isEmpty else { return }
        trace.warn("hash-pins-ignored", "certificate mode compares certificates: the pins that are hashes are ignored")
    }

    /// A private authority can be pinned in certificate mode only with allowInvalidCertificates: say so when that is the cause.
    private mutating func hintAtPrivateAuthority() {
        guard policy.mode == .certificate, let certificates = pins?.certificates, !certificates.isEmpty,
            evaluate(anchors: .only(certificates)).isTrusted
        else { return }
        trace.warn(
            "needs-allow-invalid",
            "the chain ends at a pinned certificate, but AFNetworking asks the system first: "
                + "a private authority needs allowInvalidCertificates"
        )
    }

    /// A pin among the presented certificates that are not on the built chain proves nothing (CVE-2016-2402).
    private mutating func warnOfPresentedPins(_ built: BuiltChain) {
        guard let pins else { return }
        let unused = observation.presented.certificates.filter { !built.certificates.contains($0) }
        let keys = Set(pins.pins.map(\.spkiSHA256))
        guard let certificate = unused.first(where: { keys.contains($0.publicKey.spkiSHA256) }) else { return }
        trace.warn(
            "pin-only-presented",
            "a pinned key is presented in \(certificate) but is not on the built chain: presenting a certificate proves nothing"
        )
    }

    /// A path that only the pinned certificates complete is one that a client cannot build without fetching certificates.
    private mutating func warnOfMissingIntermediates(_ built: BuiltChain) {
        let between = built.certificates.dropFirst().dropLast()
        let pinned = pins?.certificates ?? []
        guard
            let missing = between.first(where: {
                !observation.presented.certificates.contains($0) && pinned.contains($0)
            })
        else { return }
        trace.warn(
            "intermediate-not-presented",
            "the server does not send \(missing), which was taken from the pins: clients that do not fetch it reject the chain"
        )
    }

    private mutating func warnOfPathDependence(_ result: TrustResult, holds: (BuiltChain) -> Bool) {
        let outcomes = Set(result.validPaths.map { holds(.verified($0)) })
        guard outcomes.count > 1 else { return }
        trace.warn(
            "path-dependent",
            "the pins hold on one valid path and not on another: the verdict depends on the path a device builds"
        )
    }

    // MARK: The end

    private func reject(_ reason: Verdict.Reason, on chain: BuiltChain) -> Verdict { verdict(reason, on: chain) }

    private func verdict(_ reason: Verdict.Reason, on chain: BuiltChain) -> Verdict {
        let matches =
            policy.mode == .certificate ? pins?.certificateMatches(on: chain) : pins?.publicKeyMatches(on: chain)
        return Verdict(
            reason: reason,
            disposition: reason.isAcceptance ? .useCredential : .cancelAuthenticationChallenge,
            trace: trace.steps,
            builtChain: chain,
            matches: matches ?? [],
            warnings: trace.warnings
        )
    }
}
