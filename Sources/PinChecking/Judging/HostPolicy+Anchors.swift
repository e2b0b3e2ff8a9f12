import Pinning

extension HostPolicy {
    /// The verdict on the longest path that the client accepts, where pinned certificates are its anchors.
    ///
    /// Such a path ends at the first pinned certificate, often the leaf. What the client would make of the server without that
    /// pin shows which pins above it hold as well: they go on to when the leaf is another.
    func reachingFarther(
        _ verdict: Verdict, of client: ConfiguredClient, on device: JudgedDevice, _ observation: ServerView
    ) -> Verdict {
        guard verdict.isAccepted, case .verified(var path) = verdict.builtChain,
            let procedure = try? client.procedure.get(), let pins = client.pins
        else { return verdict }
        let verifier = device.verifier(for: client)
        let ownPath = path
        while path.certificates.last?.isSelfIssued == false {
            let others = pins.pins.filter { pin in pin.certificate.map { !path.certificates.contains($0) } ?? false }
            guard let others = PinSet(others),
                case let next = procedure.decide(observation, pins: others, verifier: verifier), next.isAccepted,
                case .verified(let longer) = next.builtChain, longer.certificates.count > path.certificates.count,
                longer.certificates.starts(with: path.certificates)
            else { break }
            path = longer
        }
        guard path != ownPath else { return verdict }
        return Verdict(
            reason: verdict.reason, disposition: verdict.disposition, trace: verdict.trace, builtChain: .verified(path),
            restsOn: verdict.restsOn, matches: pins.certificateMatches(on: .verified(path)), warnings: verdict.warnings)
    }
}
