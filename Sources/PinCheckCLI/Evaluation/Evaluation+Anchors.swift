import Pinning

extension Evaluation {
    /// The verdict on the longest path that the client accepts, where pinned certificates are its anchors.
    ///
    /// Such a path ends at the first pinned certificate, often the leaf. What the client would make of the server without that
    /// pin shows which pins above it hold as well: they go on to when the leaf is another.
    func reachingFarther(_ decision: ClientVerdict, on observation: Observation) -> ClientVerdict {
        guard decision.client.comparesCertificates, decision.verdict.isAccepted,
            case .verified(var path) = decision.verdict.builtChain,
            let procedure = try? decision.client.procedure.get(), let pins = decision.client.pins
        else { return decision }
        let verifier = decision.client.trustsInstalledRoots ? verifierWithInstalledRoots : self.verifier
        let ownPath = path
        while path.certificates.last?.isSelfIssued == false {
            let others = pins.pins.filter { pin in
                pin.certificate.map { !path.certificates.contains($0) } ?? false
            }
            guard let others = PinSet(others),
                case let next = procedure.evaluate(observation, pins: others, verifier: verifier),
                next.isAccepted, case .verified(let longer) = next.builtChain,
                longer.certificates.count > path.certificates.count,
                longer.certificates.starts(with: path.certificates)
            else { break }
            path = longer
        }
        guard path != ownPath else { return decision }
        let verdict = decision.verdict
        return ClientVerdict(
            client: decision.client,
            verdict: Verdict(
                reason: verdict.reason,
                disposition: verdict.disposition,
                trace: verdict.trace,
                builtChain: .verified(path),
                matches: pins.certificateMatches(on: .verified(path)),
                warnings: verdict.warnings
            )
        )
    }
}
