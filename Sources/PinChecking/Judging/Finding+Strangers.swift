package import Pinning
package import X509

extension Finding {
    /// What there is to say of a path whose keys are about to be pinned or recorded, which no client judges; `nil` for nothing.
    ///
    /// A root that was given is known to whoever gave it.
    ///
    /// - Parameters:
    ///   - path: the certificates, leaf first.
    ///   - isTrusted: whether it ends at a root that this machine trusts.
    ///   - given: the roots that were given, `nil` for none.
    /// - Returns: a warning, or a note where the root was given.
    package static func stranger(on path: [Certificate], isTrusted: Bool, given: TrustStore?) -> Finding? {
        guard let top = path.last, !DeviceData.builtIn.lists(top.der) else { return nil }
        let isKnown = given?.holds(top) == true
        if let finding = interceptor(making: path, isKnown: isKnown) { return finding }
        return isTrusted && !isKnown ? privateRoot(top) : nil
    }

    /// That a path looks like one of a program that reads along, a note where its root is known; `nil` where nothing tells so.
    static func interceptor(making path: [Certificate], isKnown: Bool) -> Finding? {
        guard let top = path.last, case let signs = signs(of: path), !signs.isEmpty else { return nil }
        let root = top.isSelfIssued && path.count > 1 ? "; \(top.shownName) is on no public list of roots" : ""
        return Finding(
            isKnown ? .info : .warning, id: "interceptor",
            message: "this looks like the chain of an interceptor, a program which decrypts connections on their way: "
                + signs.joined(separator: ", and ") + root, remedy: isKnown ? nil : .distrust)
    }

    /// That a root is trusted by this machine alone.
    static func privateRoot(_ root: Certificate) -> Finding {
        .warning(
            id: "private-root",
            message:
                "the chain ends at the root \(root.shownName), which was installed on this machine and is on no public list, so "
                + "that phones do not have it: it is a private authority's, or that of an interceptor, a program which decrypts "
                + "connections on their way", remedy: .nameRootOrDistrust)
    }

    /// What tells of a path that it was made on the way; what the server sent beside it says nothing.
    private static func signs(of path: [Certificate]) -> [String] {
        var signs: [String] = []
        if let program = InterceptorMark.program(issuing: path) {
            signs.append("its issuer has the name that \(program) gives its own")
        }
        if let leaf = path.first, !leaf.isSelfIssued,
            path.dropFirst().contains(where: { $0.publicKey == leaf.publicKey && $0.subject == leaf.issuer })
        {
            signs.append("the leaf has the key of its own issuer, as no authority's has")
        }
        return signs
    }
}

extension Certificate {
    /// The common name, or the whole one where there is none.
    package var shownName: String { commonName ?? description }
}
