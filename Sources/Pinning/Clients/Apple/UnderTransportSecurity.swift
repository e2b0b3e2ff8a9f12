/// A client of NSURLSession as the app's App Transport Security lets it: first the client's own decision, then the system's rules.
///
/// A client may only make trust stricter than the system: what it accepts and the system refuses needs an exception. Where the
/// app's Info.plist is not known, that is said and nothing decided by it.
public struct UnderTransportSecurity: ClientProcedure {
    /// The client.
    public let base: any ClientProcedure
    /// What the app's Info.plist says, `nil` where it is not known.
    public let settings: TransportSecurity?
    /// The host of the URL, `nil` for the reference name.
    public let host: ServerName?

    /// A client in an app.
    public init(_ base: any ClientProcedure, settings: TransportSecurity?, host: ServerName? = nil) {
        self.base = base
        self.settings = settings
        self.host = host
    }

    /// The client's own name.
    public var name: String { base.name }

    /// The client's own platform.
    public var platform: Platform? { base.platform }

    /// What the client compares.
    public func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
        base.comparison(with: pins, for: name)
    }

    /// Keys that the client takes.
    public func takes(_ key: PublicKey) -> Bool { base.takes(key) }

    /// Decides as the client does where the system lets it.
    public func evaluate(_ observation: ServerView, pins: PinSet?, verifier: some PathVerifier) -> Verdict {
        let verdict = base.evaluate(observation, pins: pins, verifier: verifier)
        let refusal = { refusalOfSystem(observation, pins, verifier) }
        guard let settings else { return verdict.isAccepted ? noting(refusal(), on: verdict) : verdict }
        guard let host = host ?? observation.referenceName.serverName else {
            return verdict.adding([(.skip, "ats", "no host is known to look up in NSExceptionDomains")])
        }
        var release = AppleRelease.newest
        if case .apple(let own) = observation.release { release = own }
        switch settings.ruling(for: host, on: release) {
        case .off(let why): return verdict.adding([(.skip, "ats", "App Transport Security is off for \(host): \(why)")])
        case .on(let requirement):
            var steps = TransportSecuritySteps(requirement, host: host)
            steps.judgeConnection(observation)
            steps.judgeLeaf(observation)
            if verdict.isAccepted { steps.judgeTrust(refusal()) }
            let judged = steps.applied(to: verdict)
            guard judged.isAccepted, case .ip = host, observation.referenceName.serverName != host,
                !requirement.allowsInsecureLoads
            else { return judged }
            return judged.adding([], note: needsExceptionForAddress(host, observation.referenceName))
        }
    }

    /// Why the system by itself would refuse the server, `nil` when it would not.
    private func refusalOfSystem(
        _ observation: ServerView, _ pins: PinSet?, _ verifier: some PathVerifier
    ) -> TrustFailure? {
        // The pins stand for what the system would fetch, as they do for the client.
        let run = ProcedureRun(observation, pins: pins, verifier: verifier, platform: platform)
        return run.evaluate(run.serverPolicy).failures.first
    }

    /// By inference: the system judges the certificate for what the URL has.
    private func needsExceptionForAddress(_ host: ServerName, _ name: ReferenceName) -> Warning {
        Warning(
            id: Warning.transportSecurityExceptionNeeded,
            message:
                "a certificate for \(name) is not one for \(host), the host of the URL: to accept it the app should need "
                + "NSExceptionAllowsInsecureHTTPLoads for \(host) in NSExceptionDomains (inferred from Apple's documentation)"
        )
    }

    private func noting(_ refusal: TrustFailure?, on verdict: Verdict) -> Verdict {
        guard let refusal else { return verdict }
        let message = "the app needs NSExceptionAllowsInsecureHTTPLoads in its Info.plist: the system refuses the chain"
        return verdict.adding(
            [], note: Warning(id: Warning.transportSecurityExceptionNeeded, message: "\(message) (\(refusal))"))
    }
}

/// The steps of App Transport Security, and what they found.
private struct TransportSecuritySteps {
    private let requirement: TransportSecurity.Requirement
    private let host: ServerName
    private var steps: [(TraceStep.Status, String, String)] = []
    private var failures: [TransportSecurityFailure] = []

    init(_ requirement: TransportSecurity.Requirement, host: ServerName) {
        self.requirement = requirement
        self.host = host
    }

    private mutating func fail(_ failure: TransportSecurityFailure) {
        steps.append((.fail, failure.step, "\(failure)"))
        failures.append(failure)
    }

    mutating func judgeConnection(_ observation: ServerView) {
        guard let connection = observation.connection else {
            steps.append((.skip, "ats-tls", "there is no connection whose version could be judged"))
            steps.append((.skip, "ats-forward-secrecy", "there is no connection whose key exchange could be judged"))
            return
        }
        if connection.version < requirement.minimumTLS {
            fail(.tlsVersion(connection.version, least: requirement.minimumTLS))
        } else {
            steps.append((.pass, "ats-tls", "\(connection.version), and \(requirement.minimumTLS) is asked for"))
        }
        if !requirement.requiresForwardSecrecy {
            steps.append((.skip, "ats-forward-secrecy", "NSExceptionRequiresForwardSecrecy is NO for \(host)"))
        } else if !connection.hasECDHE {
            fail(.noForwardSecrecy(cipher: connection.cipher))
        } else {
            steps.append((.pass, "ats-forward-secrecy", "the server agrees on keys by ECDHE"))
        }
    }

    /// The key and the signature of the leaf, and its SCTs where the entry asks for them.
    mutating func judgeLeaf(_ observation: ServerView) {
        let leaf = observation.presented.leaf
        let hasStrongKey =
            switch leaf.publicKey.algorithm {
            case .rsa(let bits): bits >= 2_048
            case .ec(_, let bits): bits >= 256
            case .other, .unknown: false
            }
        let isKeyTaken = hasStrongKey || !requirement.requiresForwardSecrecy
        // Nothing rests on what a certificate says of itself.
        let isSignatureTaken = leaf.isSelfIssued || !StrengthRules.apple.isRefused(leaf.signatureAlgorithm)
        if !isKeyTaken { fail(.weakKey(leaf)) }
        if !isSignatureTaken { fail(.weakSignature(leaf)) }
        if isKeyTaken, isSignatureTaken {
            steps.append(
                (.pass, "ats-certificate", "\(leaf.publicKey.algorithm), signed with \(leaf.signatureAlgorithm)"))
        }
        guard requirement.requiresTransparency else { return }
        guard let evidence = observation.evidence else {
            steps.append((.skip, "ats-transparency", "nobody looked for SCTs"))
            return
        }
        if let needed = TransparencyRule.apple.needed(notBefore: leaf.notBefore, notAfter: leaf.notAfter),
            evidence.logs < needed
        {
            fail(.tooFewTimestamps(logs: evidence.logs, needed: needed))
        } else {
            steps.append((.pass, "ats-transparency", "there are enough SCTs"))
        }
    }

    mutating func judgeTrust(_ refusal: TrustFailure?) {
        guard let refusal else {
            steps.append((.pass, "ats-trust", "the system takes the chain by itself"))
            return
        }
        guard requirement.allowsInsecureLoads else { return fail(.exceptionNeeded(host, refusal: "\(refusal)")) }
        steps.append(
            (
                .pass, "ats-trust",
                "NSExceptionAllowsInsecureHTTPLoads lets the app accept what the system refuses (\(refusal))"
            ))
    }

    /// The client's verdict, which the first failure ends where it accepts.
    func applied(to verdict: Verdict) -> Verdict {
        let other = verdict.isAccepted ? failures.dropFirst() : failures[...]
        return verdict.adding(
            steps, reason: verdict.isAccepted ? failures.first.map(Verdict.Reason.refusedByTransportSecurity) : nil,
            warnings: other.map { Warning(id: $0.id, message: "\($0)") })
    }
}

extension Verdict {
    fileprivate func adding(
        _ steps: [(status: TraceStep.Status, id: String, detail: String)], reason other: Reason? = nil,
        warnings more: [Warning] = [], note: Warning? = nil
    ) -> Verdict {
        let added = steps.enumerated().map { offset, step in
            TraceStep(number: trace.count + offset + 1, id: step.id, status: step.status, detail: step.detail)
        }
        // What the client does not accept reaches no farther than it looked.
        let matches = other == nil ? matches : matches.filter { $0.depth < builtChain.certificates.count }
        return Verdict(
            reason: other ?? reason, disposition: disposition, trace: trace + added, builtChain: builtChain,
            restsOn: restsOn, reach: other == nil ? reach : builtChain, matches: matches, warnings: warnings + more,
            notes: notes + (note.map { [$0] } ?? []))
    }
}
