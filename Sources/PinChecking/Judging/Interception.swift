import Pinning
import X509

extension Evaluation {
    /// What makes a chain look like one of a program that reads along, or like a private authority's; `nil` for nothing.
    ///
    /// It says so of rejected chains as of accepted ones, and changes no verdict. It is a note where the root was given, since whoever
    /// gives it knows whose it is, and where nothing but a rejected private root is there to tell.
    func interceptionFinding(on judgements: [Judgement]) -> Finding? {
        guard let judgement = judgements.first(where: { !$0.decided.isAccepted }) ?? judgements.first,
            let top = judgement.decided.builtChain.certificates.last, !isPublic(top)
        else { return privateRootWarning(on: judgements) }
        let path = judgement.decided.builtChain.certificates
        if let finding = Finding.interceptor(making: path, isKnown: isKnown(top, judgement)) { return finding }
        if let warning = privateRootWarning(on: judgements) { return warning }
        guard !judgement.decided.isAccepted, top.isSelfIssued, path.count > 1, !isKnown(top, judgement) else {
            return nil
        }
        return Finding(
            .info, id: "private-root",
            message:
                "the chain ends at \(top.shownName), which is on no public list of roots: it is a private authority's, or that of "
                + "an interceptor, a program which decrypts connections on their way")
    }

    /// Whether a root was given for this run, or is pinned.
    private func isKnown(_ root: Certificate, _ judgement: Judgement) -> Bool {
        if setup.pins?.certificates.contains(root) == true || givenRoots?.holds(root) == true { return true }
        let device = judgement.device
        return device.verifierWithInstalledRoots.trustStore.holds(root) && !device.verifier.trustStore.holds(root)
    }
}
