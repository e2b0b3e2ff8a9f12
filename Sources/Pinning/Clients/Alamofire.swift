/// Alamofire 5: `ServerTrustManager`, whose evaluators stop at the first error in default validation, host and pins.
package struct Alamofire: ClientProcedure {
    package enum Evaluator: Hashable {
        /// `DefaultTrustEvaluator`: the system's verdict.
        case systemDefault
        /// `PinnedCertificatesTrustEvaluator`.
        case pinnedCertificates
        /// `PublicKeysTrustEvaluator`.
        case publicKeys
        /// `CompositeTrustEvaluator`: all must pass.
        case composite([Evaluator])
        /// `DisabledTrustEvaluator`: everything passes.
        case disabled
    }

    private let evaluator: Evaluator
    /// `true` if the pinned certificates are the only anchors of `PinnedCertificatesTrustEvaluator`.
    package var acceptSelfSigned = false
    package var performDefaultValidation = true
    package var validateHost = true
    /// The hosts that have an evaluator, compared as text; `nil` if every host has one.
    package var evaluatedHosts: Set<String>?
    package var allHostsMustBeEvaluated = true
    /// The host of the URL; `nil` if it is the reference name.
    package var host: String?

    package init(_ evaluator: Evaluator) { self.evaluator = evaluator }

    package var platform: Platform? { .apple() }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        if let evaluatedHosts, !evaluatedHosts.contains(name.description) { return .nothing }
        func conditions(_ evaluator: Evaluator) -> [PinComparison.Condition] {
            switch evaluator {
            case .systemDefault, .disabled: []
            case .pinnedCertificates: [.certificates(of: pins)]
            case .publicKeys: [.init(pins)]
            case .composite(let evaluators): evaluators.flatMap(conditions)
            }
        }
        return PinComparison(conditions(evaluator))
    }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        let host = host ?? run.name.description
        guard let evaluatedHosts, !evaluatedHosts.contains(host) else { return evaluate(evaluator, &run) }
        if let near = evaluatedHosts.first(where: { (try? ServerName($0)) == (try? ServerName(host)) }) {
            run.warn(
                .hostNeverMatches, "the evaluator for '\(near)' is not for '\(host)': Alamofire compares names as text")
        }
        guard allHostsMustBeEvaluated else {
            let system = run.evaluate(run.serverPolicy)
            run.record(system)
            run.warn(
                .hostNotEvaluated,
                "no evaluator is set for \(host): it falls to default handling, and nothing is pinned")
            return run.acceptUnpinned("no evaluator is set for \(host)", system, disposition: .performDefaultHandling)
        }
        run.fail("evaluator", "no evaluator is set for \(host), and allHostsMustBeEvaluated")
        return run.verdict(
            .clientError(name: "noRequiredEvaluator", message: "a ServerTrustEvaluating value is required for \(host)"),
            on: run.leafAlone)
    }

    private func evaluate(_ evaluator: Evaluator, _ run: inout ProcedureRun) -> Verdict {
        func missing(_ error: String, _ message: String) -> Verdict {
            run.fail("pins", message)
            return run.verdict(.clientError(name: error, message: message), on: run.leafAlone)
        }
        var condition: PinComparison.Condition?
        switch evaluator {
        case .systemDefault: break
        case .pinnedCertificates:
            guard let pins = run.pins, !pins.certificates.isEmpty else {
                return missing("noCertificatesFound", "no certificate is pinned")
            }
            if pins.certificates.count < pins.pins.count {
                run.warn(.hashPinsIgnored, "this evaluator compares certificates: the pins that are hashes are ignored")
            }
            condition = .certificates(of: pins)
        case .publicKeys:
            guard let pins = run.pins else { return missing("noPublicKeysFound", "no public key is pinned") }
            // Alamofire keeps only keys that are a `SecKey`.
            let keys = (pins.certificates + run.view.presented.certificates).map(\.publicKey)
            let others = Set(keys.filter { !$0.algorithm.hasSecKey }.map(\.spkiSHA256))
            let held = pins.pins.indices.filter { !others.contains(pins.pins[$0].spkiSHA256) }
            guard !held.isEmpty else {
                return missing("noPublicKeysFound", "no pinned key is RSA or EC, and Alamofire loads no others")
            }
            condition = .init(pins, held)
        case .composite(let evaluators): return composite(evaluators, &run)
        case .disabled:
            run.skip("trust", "the evaluator is disabled")
            run.skip("pins", "the evaluator is disabled")
            run.warn(.everythingAccepted, "a disabled evaluator accepts every server, an interceptor's too")
            return run.verdict(.everythingAccepted, on: run.evaluate(run.serverPolicy).builtChain)
        }
        let pinned = run.pins?.certificates ?? []
        let acceptsSelfSigned = acceptSelfSigned && evaluator == .pinnedCertificates
        let anchors: Anchors = acceptsSelfSigned ? .only(pinned) : .trustStore
        let end = acceptsSelfSigned ? "a pinned certificate" : "a trusted root"
        // Default validation never checks the name; host validation checks everything.
        let policy = validateHost ? run.serverPolicy : .sslServer(name: .unchecked)
        var result = run.evaluate(policy, anchors: anchors)
        if validateHost || performDefaultValidation || evaluator == .systemDefault {
            if !validateHost {
                run.skip("name", "validateHost is off, and default validation never checks the name")
                run.warn(.nameNotChecked, "validateHost is off: a certificate for any name is accepted")
            }
            run.record(result, leadsTo: end)
            guard result.isTrusted else { return run.reject(result.failures, on: result.builtChain) }
        } else {
            run.skip("name", "validateHost is off")
            run.skip("trust", "performDefaultValidation and validateHost are both off: only the pins count")
            run.warn(.validityNotChecked, "with both validations off neither trust nor dates nor the name are checked")
            result = run.extendingBestEffort(of: result, under: policy, anchors: anchors)
        }
        guard let condition else { return run.verdict(.trustedWithoutPins, on: result.builtChain) }
        let verdict = run.compare(condition, on: result)
        guard acceptsSelfSigned, verdict.isAccepted else { return verdict }
        let reach = run.reach(of: result, under: policy, anchoredAt: pinned)
        return run.verdict(
            verdict.reason, on: verdict.builtChain, matches: run.pins?.certificateMatches(on: reach), reaching: reach)
    }

    private func composite(_ evaluators: [Evaluator], _ run: inout ProcedureRun) -> Verdict {
        var last: Verdict?
        for evaluator in evaluators {
            let verdict = evaluate(evaluator, &run)
            guard verdict.isAccepted else { return verdict }
            // A matched pin is a better reason than that of an evaluator without pins.
            if case .pinMatched = last?.reason {} else { last = verdict }
        }
        guard let last else {
            run.warn(.everythingAccepted, "a composite without evaluators accepts every server")
            return run.verdict(.everythingAccepted, on: run.leafAlone)
        }
        return run.verdict(last.reason, on: last.builtChain, matches: last.matches, reaching: last.reach)
    }
}
