/// A program that compares pins by hand on the preferred path, as in Go, Node, Java and dio.
///
/// A hash is compared with keys, a certificate with certificates (RFC 7469, 2.6, without the rules of its header). The
/// rules of paths are the verifier's or, on a device, its system's, apart from App Transport Security.
package struct Generic: ClientProcedure {
    package var platform: Platform? { nil }
    package init() {}

    package func platform(on release: PlatformRelease) -> Platform? {
        switch release {
        case .newest: nil
        case .apple(let version): .apple(version)
        case .android(let level): .android(level: level)
        }
    }

    package func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        pins == nil ? .nothing : PinComparison([.init(pins, compared: .whatIsPinned)])
    }

    package func evaluate(_ run: inout ProcedureRun) -> Verdict {
        run.afterServerTrust { run, system in
            if run.platform == nil {
                if case .revoked(let time, let reason)? = run.view.evidence?.staple {
                    let failure = TrustFailure(.revoked(at: time, reason: reason), at: 0, of: run.view.presented.leaf)
                    run.fail("revocation", failure.description)
                    return run.verdict(.untrusted([failure]), on: system.builtChain)
                }
                if run.view.tellsOfOthers { run.tellWhoRefuses(system.validPaths) }
            }
            guard let condition = comparison(with: run.pins, for: run.view.referenceName).conditions.first else {
                run.skip("pins", "no pins are given")
                return run.verdict(.trustedWithoutPins, on: system.builtChain)
            }
            return run.compare(condition, on: system)
        }
    }

    /// A rule by which libraries refuse what the client accepts; the reverse is not reported.
    struct LibraryRule: Sendable {
        let libraries: String
        let objection: @Sendable (ServerView, [VerifiedPath]) -> String?
    }

    static let libraryRules: [LibraryRule] = [
        // golang/go, `src/crypto/x509/x509.go`: CheckSignatureFrom. A server certificate that is an anchor is accepted.
        LibraryRule(libraries: "Go and Java") { _, paths in
            guard paths.allSatisfy({ $0.certificates.count > 1 }) else { return nil }
            let root = end(of: paths) { $0.isSelfIssued && $0.version == 3 && $0.isCertificateAuthority == nil }
            return root.map { "the root \($0) has no basicConstraints" }
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

extension ProcedureRun {
    /// Reports today's systems and libraries that would refuse the server: as a warning with pins, as a note without.
    fileprivate mutating func tellWhoRefuses(_ paths: [VerifiedPath]) {
        for (system, platform) in [("iOS", Platform.apple()), ("Android", .android())] {
            let stack = TLSStack(of: platform.family, on: .newest)
            let failure =
                view.handshakeFailure(of: stack, on: platform) ?? evaluate(serverPolicy, by: platform).failures.first
            guard let failure else { continue }
            // The key is fixed; a server may negotiate everything else differently with this system.
            let mayDiffer = stack.lacks(view.connection, view.presented.leaf.publicKey).allSatisfy(\.isNegotiated)
            if case .handshake = failure.reason, mayDiffer {
                note(.platformRule, "\(system) does not connect to this server as it answered here: \(failure)")
            } else {
                tell(.platformRule, system, failure.description, remedy: .judgeOn(platform.family))
            }
        }
        // Node and Python both verify with OpenSSL.
        let openSSL = evaluate(serverPolicy, by: .openssl)
        let built = openSSL.builtChain.certificates
        if let failure = openSSL.failures.first {
            tell(.libraryDiffers, "Node and Python", failure.description)
        } else if let end = built.last, !end.isSelfIssued,
            !paths.contains(where: { $0.certificates.starts(with: built) && $0.certificates.last?.isSelfIssued == true }
            )
        {
            // nodejs/node, `doc/api/tls.md`: allowPartialTrustChain; python/cpython #112389.
            let why = "the path ends at \(end) (depth \(built.count - 1)), which is not a root"
            tell(.libraryDiffers, "Node and Python before 3.13", why)
        }
        for rule in Generic.libraryRules {
            if let objection = rule.objection(view, paths) { tell(.libraryDiffers, rule.libraries, objection) }
        }
    }

    private mutating func tell(_ kind: FindingID, _ who: String, _ why: String, remedy: Remedy? = nil) {
        let message = "\(who) \(who.contains(" and ") ? "refuse" : "refuses") this server: \(why)"
        if pins == nil { note(kind, message) } else { warn(kind, message, remedy: remedy) }
    }
}
