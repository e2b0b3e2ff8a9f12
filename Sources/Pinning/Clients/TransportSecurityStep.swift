/// The app of a client on Apple's platforms, where all load with NSURLSession, which App Transport Security binds;
/// without `settings` the Info.plist is not known and nothing is decided, without `host` the reference name counts.
package typealias AppleApp = (settings: TransportSecurity?, host: ServerName?)

extension ProcedureRun {
    /// Applies App Transport Security last: an app may accept what the system refuses only by an exception.
    func transportSecurity(of app: AppleApp, after verdict: Verdict) -> Verdict {
        // As for the client, pins take the place of issuers that the system would fetch.
        let refusal = verdict.isAccepted ? evaluate(serverPolicy).failures.first : nil
        var verdict = verdict
        guard let settings = app.settings else {
            if let refusal {
                verdict.noteException(
                    "the app needs NSExceptionAllowsInsecureHTTPLoads in its Info.plist: the system refuses the chain (\(refusal))"
                )
            }
            if verdict.isAccepted, let version = view.connection?.version, version < .tls12 {
                verdict.noteException(
                    "the app needs NSExceptionMinimumTLSVersion in its Info.plist: the connection has \(version)")
            }
            return verdict
        }
        guard let host = app.host ?? name.serverName else {
            verdict.trace.add(.skip, "ats", "no host is known to look up in NSExceptionDomains")
            return verdict
        }
        switch settings.ruling(for: host, on: view.release.appleVersion) {
        case .off(let why): verdict.trace.add(.skip, "ats", "App Transport Security is off for \(host): \(why)")
        case .on(let rules):
            var step = TransportSecurityStep(rules: rules, host: host, verdict: verdict)
            step.judgeConnection(view.connection)
            step.judgeLeaf(view.presented.leaf, view.evidence)
            if verdict.isAccepted { step.judgeTrust(refusal) }
            verdict = step.conclude()
            if verdict.isAccepted, case .ip = host, name.serverName != host,
                !rules.allowsInsecureLoads
            {
                // Inferred: the system judges the certificate for the URL's host.
                verdict.noteException(
                    "a certificate for \(name) is not one for \(host), the host of the URL: to accept it the app should "
                        + "need NSExceptionAllowsInsecureHTTPLoads for \(host) in NSExceptionDomains (inferred from Apple's documentation)"
                )
            }
        }
        return verdict
    }
}

private struct TransportSecurityStep {
    let rules: TransportSecurity.Rules
    let host: ServerName
    var verdict: Verdict
    var failures: [TransportSecurityFailure] = []

    /// Records a rule as kept or broken; `words` name the key of the Info.plist that would change it.
    mutating func expect(_ holds: Bool, _ step: String, _ pass: String, else kind: FindingID, _ words: String) {
        guard !holds else { return verdict.trace.add(.pass, step, pass) }
        let failure = TransportSecurityFailure(kind: kind, description: words + "; known from Apple's documentation")
        verdict.trace.add(.fail, step, failure.description)
        failures.append(failure)
    }

    mutating func judgeConnection(_ connection: ConnectionFacts?) {
        let (least, step) = (rules.minimumTLS, "ats-forward-secrecy")
        guard let connection else {
            verdict.trace.add(.skip, "ats-tls", "there is no connection whose version could be judged")
            return verdict.trace.add(.skip, step, "there is no connection whose key exchange could be judged")
        }
        expect(
            connection.version >= least, "ats-tls", "\(connection.version), and \(least) is asked for",
            else: .atsTLSVersion,
            "App Transport Security asks for \(least), and the connection has \(connection.version): "
                + "only NSExceptionMinimumTLSVersion changes that")
        guard rules.requiresForwardSecrecy else {
            return verdict.trace.add(.skip, step, "NSExceptionRequiresForwardSecrecy is NO for \(host)")
        }
        expect(
            connection.hasECDHE, step, "the server agrees on keys by ECDHE", else: .atsForwardSecrecy,
            "App Transport Security asks for ECDHE, and the server chose \(connection.suite.name): "
                + "only NSExceptionRequiresForwardSecrecy = NO changes that")
    }

    mutating func judgeLeaf(_ leaf: Certificate, _ evidence: LeafEvidence?) {
        let (key, step, strength) = (leaf.publicKey.algorithm, "ats-certificate", StrengthRules.apple)
        let isKeyTaken = !rules.requiresForwardSecrecy || strength.isStrong(key)
        // The signature of a self-issued certificate proves nothing.
        let isSignatureTaken = leaf.isSelfIssued || !strength.isRefused(leaf.signatureAlgorithm)
        let taken = "\(key), signed with \(leaf.signatureAlgorithm)"
        if !isKeyTaken || isSignatureTaken {
            expect(
                isKeyTaken, step, taken, else: .atsWeakKey,
                "App Transport Security asks for RSA 2048 or EC 256, and \(leaf) has \(key): "
                    + "only NSExceptionRequiresForwardSecrecy = NO changes that")
        }
        if !isSignatureTaken {
            expect(
                false, step, taken, else: .atsWeakSignature,
                "App Transport Security asks for SHA-2, and \(leaf) is signed with \(leaf.signatureAlgorithm)")
        }
        guard rules.requiresTransparency else { return }
        guard let evidence else { return verdict.trace.add(.skip, "ats-transparency", "SCTs were not looked for") }
        let (logs, needed) = PlatformFamily.apple.shortfall(of: leaf, evidence) ?? (0, 0)
        expect(
            needed == 0, "ats-transparency", "there are enough SCTs", else: .atsTooFewSCTs,
            "NSRequiresCertificateTransparency asks for SCTs of \(needed) logs, and in the certificate are "
                + (logs == 1 ? "those of 1" : "those of \(logs)"))
    }

    mutating func judgeTrust(_ refusal: TrustFailure?) {
        guard let refusal else { return verdict.trace.add(.pass, "ats-trust", "the system takes the chain by itself") }
        expect(
            rules.allowsInsecureLoads, "ats-trust",
            "NSExceptionAllowsInsecureHTTPLoads lets the app accept what the system refuses (\(refusal))",
            else: .atsExceptionNeeded,
            "the app accepts what the system refuses (\(refusal)), and App Transport Security lets it only with "
                + "NSExceptionAllowsInsecureHTTPLoads for \(host), or with NSAllowsArbitraryLoads")
    }

    /// The verdict after the step: the first failure rejects what the client accepts, the others are warnings.
    func conclude() -> Verdict {
        var (verdict, others) = (verdict, failures[...])
        if verdict.isAccepted, let first = others.popFirst() {
            verdict.reason = .refusedByTransportSecurity(first)
            // The client does not look beyond the built chain of a rejection.
            verdict.reach = verdict.builtChain
            verdict.matches.removeAll { $0.depth >= verdict.builtChain.certificates.count }
        }
        verdict.findings += others.map { Finding($0.kind, .warning, $0.description) }
        return verdict
    }
}

extension Verdict {
    fileprivate mutating func noteException(_ message: String) {
        findings.append(Finding(.atsExceptionNeeded, .note, message))
    }
}
