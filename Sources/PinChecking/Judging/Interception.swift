import Devices
import Pinning
import X509

extension Evaluation {
    /// What makes a chain look like one of a program that reads along, or like a private authority's; `nil` for nothing.
    ///
    /// It says so of rejected chains as of accepted ones, and changes no verdict. It is a note where the root was given, since whoever
    /// gives it knows whose it is, and where nothing but a rejected private root is there to tell.
    func interceptionFinding(on judgements: [Judgement]) -> Finding? {
        guard let judgement = judgements.first(where: { !$0.decided.isAccepted }) ?? judgements.first,
            let top = judgement.decided.builtChain.certificates.last, !DeviceData.builtIn.lists(top.der)
        else { return privateRootWarning(on: judgements) }
        let path = judgement.decided.builtChain.certificates
        let signs = signs(of: path)
        if !signs.isEmpty {
            let root = top.isSelfIssued && path.count > 1 ? "; \(name(of: top)) is on no public list of roots" : ""
            return Finding(
                isKnown(top, judgement) ? .info : .warning,
                id: "interceptor",
                message: "this looks like an interceptor's chain: " + signs.joined(separator: ", and ") + root
            )
        }
        if let warning = privateRootWarning(on: judgements) { return warning }
        guard !judgement.decided.isAccepted, top.isSelfIssued, path.count > 1, !isKnown(top, judgement) else {
            return nil
        }
        return Finding(
            .info,
            id: "private-root",
            message:
                "the chain ends at \(name(of: top)), which is on no public list of roots: it may be an interceptor's, or a private "
                + "authority's"
        )
    }

    /// What tells of a path that it was made on the way; what the server sent beside it says nothing.
    private func signs(of certificates: [Certificate]) -> [String] {
        var signs: [String] = []
        if let program = InterceptorMark.program(issuing: certificates) {
            signs.append("its issuer is called as \(program) calls its own")
        }
        if let leaf = certificates.first, !leaf.isSelfIssued,
            certificates.dropFirst().contains(where: {
                $0.publicKey == leaf.publicKey && $0.subject == leaf.issuer
            })
        {
            signs.append("the leaf has the key of its own issuer, as no authority's has")
        }
        return signs
    }

    /// Whether a root was given for this run, or is pinned.
    private func isKnown(_ root: Certificate, _ judgement: Judgement) -> Bool {
        if setup.pins?.certificates.contains(root) == true || givenRoots?.holds(root) == true { return true }
        let device = judgement.device
        return device.verifierWithInstalledRoots.trustStore.holds(root) && !device.verifier.trustStore.holds(root)
    }

    private func name(of certificate: Certificate) -> String { certificate.commonName ?? certificate.description }
}
