/// The rules by which libraries refuse what ``Generic`` accepts, a row each; the reverse is not reported.
extension Generic {
    struct LibraryRule: Sendable {
        let libraries: String
        /// The objection to a server that is accepted on these paths; `nil` if the libraries accept it.
        let objection: @Sendable (ServerView, [VerifiedPath]) -> String?
    }

    static let libraryRules: [LibraryRule] = [
        // nodejs/node, `doc/api/tls.md`: allowPartialTrustChain; python/cpython #112389.
        LibraryRule(libraries: "Node and Python before 3.13") { _, paths in
            end(of: paths, ifAll: { !$0.isSelfIssued }).map { "the path ends at \($0), which is not a root" }
        },
        // golang/go, `src/crypto/x509/x509.go`: CheckSignatureFrom. A server that is an anchor itself is accepted.
        LibraryRule(libraries: "Go and Java") { _, paths in
            guard paths.allSatisfy({ $0.certificates.count > 1 }) else { return nil }
            return end(of: paths, ifAll: { $0.isSelfIssued && $0.version == 3 && $0.basicConstraints == nil }).map {
                "the root \($0) has no basicConstraints"
            }
        },
        // openjdk/jdk, `sun/security/validator/EndEntityChecker.java`; BoringSSL in dio.
        LibraryRule(libraries: "Java and dio") { view, _ in
            let leaf = view.presented.leaf
            let isLacking = leaf.keyUsage?.contains("digitalSignature") == false
            return isLacking ? "\(leaf) (depth 0) has a key usage without digitalSignature" : nil
        },
        // openjdk/jdk, `sun/security/util/HostnameChecker.java` and `sun/security/x509/X509CertImpl.java`.
        LibraryRule(libraries: "Java") { view, _ in
            let host = view.referenceName.description
            return host.utf8.contains(UInt8(ascii: "_")) ? "the name \(host) has a _" : nil
        },
        LibraryRule(libraries: "Java") { view, _ in
            let leaf = view.presented.leaf
            return leaf.isNamedUncritically
                ? "\(leaf) (depth 0) has an empty subject and a subjectAltName that is not critical" : nil
        },
    ]

    private static func end(of paths: [VerifiedPath], ifAll condition: (Certificate) -> Bool) -> String? {
        guard let path = paths.first?.certificates, let last = path.last,
            paths.allSatisfy({ $0.certificates.last.map(condition) == true })
        else { return nil }
        return "\(last) (depth \(path.count - 1))"
    }
}
