/// AFNetworking 2.2.1 – 2.5.4, the era of `validatesCertificateChain`, with the defaults of 2.5.3 and later.
///
/// `validatesCertificateChain` means another thing in each mode: with certificates every one of the built chain must be pinned, the
/// root included although no server sends it; with public keys the number of equal pairs must be the length of the chain.
/// Switched off it means "anchored at any pin" and "the leaf's key alone".
public struct AFNetworking25: ClientProcedure {
    /// The settings of the app.
    public let policy: AFSecurityPolicy
    /// Whether the whole chain must be pinned; AFNetworking's default is yes.
    public let validatesCertificateChain: Bool

    /// The name users choose this client by.
    public var name: String { "afnetworking-2.5" }

    /// AFNetworking with the settings of an app.
    public init(policy: AFSecurityPolicy, validatesCertificateChain: Bool = true) {
        self.policy = policy
        self.validatesCertificateChain = validatesCertificateChain
    }

    /// Apple's.
    public var platform: Platform? { .apple() }

    /// What is compared with the pins.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        switch policy.mode {
        case .none: return .nothing
        case .publicKey where !validatesCertificateChain: return .keys(of: pins, at: .leaf)
        case .certificate where !validatesCertificateChain: return .certificates(of: pins)
        case .publicKey: return .keys(of: pins, at: .everywhere)
        case .certificate: return PinComparison(pins == nil ? [] : [.certificates(of: pins, at: .everywhere)])
        }
    }

    /// Keys that Apple's system hands out as `SecKey`.
    public func takes(_ key: PublicKey) -> Bool { key.algorithm.hasSecKey }

    /// Decides as AFNetworking does, step by step in its order.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        var run = AFNetworkingRun(policy, observation, pins: pins, verifier: verifier, platform: platform)
        run.run.pass(
            "settings",
            "mode \(policy.mode.rawValue), \(run.pinWords), validatesCertificateChain \(validatesCertificateChain)")
        run.describePolicy()
        let system = run.evaluate()
        guard policy.mode != .none else { return run.withoutPinning(system) }
        if let rejection = run.requireSystemTrust(system) { return rejection }
        guard run.run.pins != nil else { return run.withoutPins(system) }
        return policy.mode == .certificate ? comparingCertificates(&run, system) : comparingPublicKeys(&run, system)
    }

    private func comparingCertificates(
        _ run: inout AFNetworkingRun<some PathVerifier>, _ system: TrustResult
    ) -> Verdict {
        switch run.requirePinnedTrust(system) {
        case .ended(let verdict): return verdict
        case .trusted(let pinned):
            guard validatesCertificateChain else {
                run.run.pass("pins", "the path ends at a pinned certificate, which is all this setting asks for")
                let match = run.run.pins?.certificateMatches(on: pinned.builtChain).last
                return run.verdict(
                    .pinMatched(match ?? PinMatch(pinIndex: 0, depth: pinned.builtChain.certificates.count - 1)),
                    on: pinned.builtChain, reaching: run.reach(of: pinned))
            }
            return comparingWholeChain(&run, system)
        }
    }

    /// Every certificate of the chain built with the system's roots must be pinned.
    private func comparingWholeChain(_ run: inout AFNetworkingRun<some PathVerifier>, _ system: TrustResult) -> Verdict
    {
        let chain = system.builtChain
        let pinned = Set(run.run.pins?.certificates ?? [])
        run.run.warnOfPathDependence(system) { $0.certificates.allSatisfy(pinned.contains) }
        guard let missing = chain.certificates.firstIndex(where: { !pinned.contains($0) }) else {
            run.run.pass("pins", "all \(chain.certificates.count) certificates of the built chain are pinned")
            let match = run.run.pins?.certificateMatches(on: chain).first
            return run.verdict(.pinMatched(match ?? PinMatch(pinIndex: 0, depth: 0)), on: chain)
        }
        let shortfall =
            "validatesCertificateChain: \(chain.certificates[missing]) at depth \(missing) of the built chain is not pinned"
        run.run.fail("pins", shortfall)
        return run.verdict(.pinsFallShort(shortfall), on: chain)
    }

    /// Counts the pairs of equal keys, as AFNetworking does, repeated pins included.
    private func comparingPublicKeys(_ run: inout AFNetworkingRun<some PathVerifier>, _ system: TrustResult) -> Verdict
    {
        run.warnOfUncheckedValidity()
        let result = run.chainOfKeys(system)
        let chain = result.builtChain
        if let crash = run.crash(onKeysOf: chain) { return crash }
        let pins = run.run.pins
        func compared(_ chain: BuiltChain) -> Int { validatesCertificateChain ? chain.certificates.count : 1 }
        func pairs(_ chain: BuiltChain) -> [PinMatch] {
            pins?.publicKeyMatches(on: chain).filter { $0.depth < compared(chain) } ?? []
        }
        run.run.warnOfPathDependence(result) { chain in
            let count = pairs(chain).count
            return count > 0 && (!validatesCertificateChain || count == compared(chain))
        }
        return ended(pairs(chain), on: chain, compared: compared(chain), &run)
    }

    /// Ends with the pairs of equal keys that were found.
    private func ended(
        _ pairs: [PinMatch], on chain: BuiltChain, compared: Int, _ run: inout AFNetworkingRun<some PathVerifier>
    ) -> Verdict {
        guard let match = pairs.first, !validatesCertificateChain || pairs.count == compared else {
            let shortfall =
                validatesCertificateChain
                ? "validatesCertificateChain: equal keys \(pairs.count), length of the built chain \(compared)"
                : "the leaf's key is not pinned, the only one compared without validatesCertificateChain"
            run.run.fail("pins", shortfall)
            run.run.warnOfPresentedPins(chain)
            return run.verdict(.pinsFallShort(shortfall), on: chain)
        }
        run.run.pass("pins", "public key pin matched at depth \(match.depth), equal keys: \(pairs.count)")
        return run.verdict(.pinMatched(match), on: chain)
    }
}
