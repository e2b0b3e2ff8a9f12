import Pinning

extension Evaluation {
    /// That apps do not take roots which users install, where such a root is all that a chain wants; none otherwise.
    func installedRootsNote(on judgements: [Judgement], _ observation: Observation) -> [Finding] {
        guard !installedRoots.isEmpty else { return [] }
        // Where a configuration says whom the app trusts, that is the reason, and it is told.
        let refusing = judgements.filter { judgement in
            judgement.client.entry.platform == .android && !judgement.client.trustsInstalledRoots
                && judgement.client.androidTrust == nil && judgement.decided.isMissingAnchor
        }
        guard let first = refusing.first else { return [] }
        let question = PathQuestion(
            presented: observation.presented, anchors: .trustStore, policy: .basicX509, time: observation.time)
        let answer = first.device.verifierWithInstalledRoots.evaluate(question)
        guard answer.isTrusted, let root = answer.builtChain.certificates.last, installedRoots.contains(root) else {
            return []
        }
        var names: [String] = []
        for name in refusing.map(\.name) where !names.contains(name) { names.append(name) }
        return [
            Finding(
                .info, id: "installed-root-not-trusted",
                message:
                    "\(names.joined(separator: ", ")): apps for Android 7 and later do not trust a root that the user "
                    + "installs, as \(root) would be", remedy: .trustInstalledRoots(client: names[0]))
        ]
    }
}
