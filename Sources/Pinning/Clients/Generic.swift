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
            guard let condition = comparison(with: run.pins, for: run.name).conditions.first else {
                run.skip("pins", "no pins are given")
                return run.verdict(.trustedWithoutPins, on: system.builtChain)
            }
            return run.compare(condition, on: system)
        }
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
        tellWhichLibrariesRefuse(paths)
    }

    /// Reports libraries that refuse what the client accepts; the reverse is not reported.
    private mutating func tellWhichLibrariesRefuse(_ paths: [VerifiedPath]) {
        // golang/go, `src/crypto/x509/x509.go`: CheckSignatureFrom. A server certificate that is an anchor is accepted.
        let isEachRootBare = paths.allSatisfy { path in
            guard path.certificates.count > 1, let root = path.certificates.last else { return false }
            return root.isSelfIssued && root.version == 3 && root.isCertificateAuthority == nil
        }
        if isEachRootBare, let path = paths.first?.certificates, let root = path.last {
            tell(.libraryDiffers, "Go and Java", "the root \(root) (depth \(path.count - 1)) has no basicConstraints")
        }
        let (leaf, host) = (view.presented.leaf, name.description)
        // openjdk/jdk, `sun/security/validator/EndEntityChecker.java`; BoringSSL in dio.
        if leaf.keyUsage?.contains("digitalSignature") == false {
            tell(.libraryDiffers, "Java and dio", "\(leaf) (depth 0) has a key usage without digitalSignature")
        }
        // openjdk/jdk, `sun/security/util/HostnameChecker.java` and `sun/security/x509/X509CertImpl.java`.
        if host.utf8.contains(UInt8(ascii: "_")) { tell(.libraryDiffers, "Java", "the name \(host) has a _") }
        if leaf.isNamedUncritically {
            let flaw = "has an empty subject and a subjectAltName that is not critical"
            tell(.libraryDiffers, "Java", "\(leaf) (depth 0) \(flaw)")
        }
        // openjdk/jdk, `sun/security/ssl/SSLConfiguration.java`: jdk.tls.client.maxInboundCertificateChainLength.
        let sent = view.presented.certificates.count
        if sent > 10 { tell(.libraryDiffers, "Java", "it sends \(sent) certificates, and 10 are the most") }
    }

    private mutating func tell(_ kind: FindingID, _ who: String, _ why: String, remedy: Remedy? = nil) {
        let message = "\(who) \(who.contains(" and ") ? "refuse" : "refuses") this server: \(why)"
        if pins == nil { note(kind, message) } else { warn(kind, message, remedy: remedy) }
    }
}
