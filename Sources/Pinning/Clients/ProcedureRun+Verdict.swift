/// How a decision ends.
extension ProcedureRun {
    /// Asks for the system's verdict on the chain and its name first, and goes on only when it trusts them.
    mutating func afterServerTrust(
        anchors: Anchors = .trustStore, onRejection: (inout Self, TrustResult) -> Void = { _, _ in },
        _ goOn: (inout Self, TrustResult) -> Verdict
    ) -> Verdict {
        let system = evaluate(serverPolicy, anchors: anchors)
        recordServerTrust(system)
        guard system.isTrusted else {
            onRejection(&self, system)
            skip("pins", "not compared: the client rejects before that")
            return verdict(.untrusted(system.failures), on: system.builtChain)
        }
        return goOn(&self, system)
    }

    /// Compares pins on the chain a client looks at, and ends with a match or a mismatch.
    mutating func compare(
        on result: TrustResult, what: String?,
        matches: (PinSet, BuiltChain) -> [PinMatch] = { $0.publicKeyMatches(on: $1) }
    ) -> Verdict {
        guard let pins else { return withoutPins(on: result.builtChain) }
        warnOfPathDependence(result) { !matches(pins, $0).isEmpty }
        warnOfMissingIntermediates(result.builtChain)
        let matched = matches(pins, result.builtChain)
        guard let match = matched.first else {
            fail("pins", "no \(what ?? "certificate or key") of the built chain is pinned")
            warnOfPresentedPins(result.builtChain)
            return verdict(.pinMismatch, on: result.builtChain, matches: [])
        }
        pass("pins", "\(what.map { $0 + " " } ?? "")pin matched at depth \(match.depth)")
        warnOfAuthorityPin(matched)
        return verdict(.pinMatched(match), on: result.builtChain, matches: matched)
    }

    mutating func withoutPins(on chain: BuiltChain) -> Verdict {
        fail("pins", "there is no pin to compare, so every server is rejected")
        return verdict(.noPins, on: chain)
    }

    /// Ends with the system's verdict, for a client whose pins do not apply.
    mutating func unpinned(_ why: String, _ result: TrustResult) -> Verdict {
        skip("pins", why)
        return result.isTrusted
            ? verdict(.pinsNotApplied(why), on: result.builtChain)
            : verdict(.untrusted(result.failures), on: result.builtChain)
    }

    func verdict(
        _ reason: Verdict.Reason, on chain: BuiltChain, matches: [PinMatch]? = nil,
        disposition: ChallengeDisposition? = nil, reaching reach: BuiltChain? = nil
    ) -> Verdict {
        Verdict(
            reason: reason,
            disposition: disposition ?? (reason.isAcceptance ? .useCredential : .cancelAuthenticationChallenge),
            trace: trace.steps, builtChain: chain, restsOn: paths(of: chain, for: reason), reach: reach,
            matches: matches ?? pins?.publicKeyMatches(on: reach ?? chain) ?? [], warnings: trace.warnings,
            notes: trace.notes)
    }

    /// The path of each evaluation that was needed: `chain` where the client chose another than the preferred one.
    ///
    /// What only goes on from the preferred path is needed for a pin that matches there.
    private func paths(of chain: BuiltChain, for reason: Verdict.Reason) -> [VerifiedPath] {
        var paths: [VerifiedPath] = []
        for result in trusted {
            guard let preferred = result.validPaths.first else { continue }
            var chosen = result.validPaths.first { .verified($0) == chain } ?? preferred
            if case .pinMatched(let match) = reason, match.depth < preferred.certificates.count,
                chosen.certificates.starts(with: preferred.certificates)
            {
                chosen = preferred
            }
            if !paths.contains(chosen) { paths.append(chosen) }
        }
        return paths
    }
}
