import Base
import PinFormats
package import Pinning

/// The question if the clients of one server will accept a key or certificate of a future deployment.
package struct NextQuestion {
    let name: ReferenceName
    let host: ServerName?
    private let policy: HostPolicy
    /// The position of the job that contacts today's server; `nil` if there is none.
    package let job: Int?

    package init(
        name: ReferenceName, host: ServerName? = nil, policy: HostPolicy, job: Int?, about items: [NextItem]
    ) throws(Problem) {
        let isCompared = policy.clients.contains { $0.pins != nil || (try? $0.procedure.get()) == nil }
        // A key without pins for the host cannot be judged; a certificate would be accepted without one.
        guard isCompared || !policy.settings.settings.pins.isEmpty && items.allSatisfy(\.certificates.isEmpty) else {
            throw .usage("what is about to be deployed is compared with pins, and none are given", .givePins)
        }
        (self.name, self.host, self.policy, self.job) = (name, host, policy, job)
    }

    package static func questions(about jobs: [Check], for items: [NextItem]) throws(Problem) -> [NextQuestion] {
        try jobs.enumerated().map { (position, job) throws(Problem) in
            try job.policy.map { (policy) throws(Problem) in
                let (name, host) = (job.endpoint.referenceName, job.endpoint.urlHost)
                return try NextQuestion(name: name, host: host, policy: policy, job: position, about: items)
            }
        }.compactMap(\.self)
    }

    package func results(on items: [NextItem], served: PresentedChain?, at now: Timestamp) -> [CheckResult] {
        items.map { result(on: $0, served: served, at: policy.time ?? now) }
    }

    private func result(on item: NextItem, served: PresentedChain?, at now: Timestamp) -> CheckResult {
        guard let chain = PresentedChain(item.certificates) else {
            return forecast(of: item, served, at: now, [.issuer, .certificate, .name])
        }
        // A certificate is deployed on its first valid day at the earliest.
        let time = max(now, chain.leaf.notBefore)
        var assumptions: [Assumption] = time > now ? [.time] : []
        func judge(_ chain: PresentedChain) -> JudgedChain {
            policy.judge(chain, for: name, at: time) { reason($0, $1, item, served, time) }
        }
        func lacksIssuer(_ chain: PresentedChain) -> Bool { policy.lacksIssuer(chain, for: name, at: time) }
        var judged = judge(chain)
        if item.kind == .certificate, !chain.leaf.isSelfIssued, judged.lacksIssuer || lacksIssuer(chain) {
            let whole = served.map { PresentedChain(chain.leaf, below: $0.certificates.dropFirst()) }
            if let whole, !lacksIssuer(whole) {
                judged = judge(whole)
                assumptions.append(.intermediates)
            } else if lacksIssuer(chain) {
                return forecast(of: item, served, at: time, assumptions + [.issuer])
            }
        }
        let sent = served?.certificates.dropFirst().map(\.description) ?? []
        return CheckResult(
            judged, named: item.file, next: NextDeployment(item: item, assumptions: assumptions),
            adding: findings(assumptions, item, sent: sent))
    }

    private func reason(
        _ verdict: Verdict, _ client: ConfiguredClient, _ item: NextItem, _ served: PresentedChain?, _ time: Timestamp
    ) -> Reason {
        if verdict.reason.isPinMismatch {
            var isByAuthority = false
            if !client.client.comparesLeafKeyAlone, let served, let pins = client.pins, !pins.isPinned(served.leaf) {
                isByAuthority = policy.issuers(of: served, for: name, at: time).contains(where: pins.isPinned)
            }
            return item.missingPin(of: client, isByAuthority: isByAuthority)
        }
        return policy.reason(of: verdict, by: client, for: name, hasAnchors: true)
    }

    /// The verdict on a key without a certificate, or on a certificate whose issuer is not known.
    private func forecast(
        of item: NextItem, _ served: PresentedChain?, at time: Timestamp, _ assumptions: [Assumption]
    ) -> CheckResult {
        let certificate = item.certificates.first
        var clients: [ClientVerdict] = []
        if let key = item.item.publicKey {
            clients = policy.verdicts { client, procedure, place in
                let forecast = policy.nextForecast(
                    of: key, certificate, by: client, procedure, on: place, beside: served, for: name, at: time)
                return decision(forecast, client, item, served, time)
            }
        }
        clients.lookAhead(in: policy, inUse: Set((served?.certificates ?? item.certificates).marks))
        let verdict = clients.ending(in: policy, at: time)
        let matching = clients.filter { $0.decided?.matches.isEmpty == false }.map(\.name).distinct
        let configured = policy.pins?.pins ?? []
        let issuers = certificate == nil ? served.map { policy.issuers(of: $0, for: name, at: time) } ?? [] : []
        // Only the key of an assumed certificate can be at fault.
        let keyWarnings = certificate == nil ? policy.warnings(of: clients).filter { $0.kind == .platformRule } : []
        let doubts = clients.filter { $0.decided?.reason == .mismatchNotEnforced }.prefix(1).map {
            Finding.warning(.notEnforced, "no pin matches, and \($0.name) only reports that")
        }
        let all = assumptions + (policy.countsTimestamps && certificate == nil ? [.timestamps] : [])
        return CheckResult(
            target: item.file, referenceName: name, time: time, policy: policy, verdict: verdict, clients: clients,
            matches: configured.indices.filter {
                !matching.isEmpty && configured[$0].spkiSHA256 == item.item.spkiSHA256
            }.map { MatchedPin(pinIndex: $0, depth: 0, clients: matching) },
            next: NextDeployment(item: item, assumptions: all, issuers: issuers.map(\.description)),
            findings: policy.warnings(at: time) + policy.missingClients(clients) + keyWarnings
                + (verdict.outcome == .accepted ? findings(all, item) + doubts : []),
            outlook: clients.outlook?.without(policy.outlook.ignored)
        ).withEnding()
    }

    /// Combines two worlds: the client rejects in both, accepts with any issuer, or cannot be decided.
    private func decision(
        _ forecast: HostPolicy.NextForecast, _ client: ConfiguredClient, _ item: NextItem,
        _ served: PresentedChain?, _ time: Timestamp
    ) -> HostPolicy.Decision {
        let certificate = item.certificates.first
        func known(_ verdict: Verdict) -> HostPolicy.Decision {
            let reason = reason(verdict, client, item, served, time)
            return (verdict, reason, verdict.isAccepted ? forecast.after(verdict) : nil, nil)
        }
        func unknown(_ why: String) -> HostPolicy.Decision { (nil, Reason(ClientVerdict.undecided, why), nil, nil) }
        let unpinned = forecast.unpinned
        guard let accepted = unpinned.isAccepted ? unpinned : forecast.pinned, accepted.isAccepted else {
            var decision = known(unpinned)
            if let certificate, unpinned.reason.isPinMismatch {
                decision.reason.hints.append(
                    "if \(certificate.issuer) is pinned by its hash, add its certificate to the file")
            }
            return decision
        }
        let file = certificate.map { "add \($0.issuer) to the file" } ?? "ask with the certificate once it is issued"
        guard accepted.isByPins || [.mismatchNotEnforced, .everythingAccepted].contains(accepted.reason) else {
            return unknown(
                "\(client.client.name) compares no pin for \(name), and whether the CA is trusted cannot be told: \(file)"
            )
        }
        if certificate == nil, let settings = client.app?.settings, let host = host ?? name.serverName,
            case .on = settings.ruling(for: host)
        {
            return unknown(
                "what App Transport Security asks of the certificate is not known of a key: ask with the certificate")
        }
        if unpinned.isAccepted {
            // Two equal pins match the leaf twice, which satisfies an assumed chain of two certificates.
            guard forecast.countsAll, unpinned.isByPins else { return known(unpinned) }
            return unknown(
                "\(client.client.name) compares all certificates of the chain, and how many there are cannot be told: \(file)"
            )
        }
        if certificate == nil, served != nil, accepted.matches.map(\.depth).contains(0) { return known(accepted) }
        return unknown("whether a pinned CA issues it cannot be told: \(file)")
    }

    private func findings(_ assumptions: [Assumption], _ item: NextItem, sent: [String] = []) -> [Finding] {
        var assumed: [String] = []
        if assumptions.contains(.certificate) {
            assumed.append(
                "its certificate is assumed to be trusted and valid for the name, with dates that clients take")
        } else if assumptions.contains(.issuer) {
            assumed.append("its issuer is assumed to be trusted")
        }
        if assumptions.contains(.intermediates) {
            let names = listed(sent)
            assumed.append(
                "assumed: the server also sends \(names), as today (\(sent.count == 1 ? "it is" : "they are") not in the file)"
            )
        }
        if assumptions.contains(.time), let start = item.certificates.first?.notBefore {
            assumed.append("it begins at \(start): judged as of then")
        }
        let advice = assumptions.contains(.issuer) ? ": check the chain once it is issued" : ""
        var findings = assumed.map { Finding.warning(.nextAssumed, $0 + advice) }
        if assumptions.contains(.issuer), name == .unchecked {
            let message = "the name was not checked: give the host the certificate must be valid for"
            findings.append(.warning(.nameNotChecked, message))
        }
        return findings
    }
}

extension NextItem {
    fileprivate func missingPin(of client: ConfiguredClient, isByAuthority: Bool) -> Reason {
        func reason(_ what: String) -> Reason { Reason("pin-mismatch", what) }
        if client.pins?.certificates.contains(where: { $0.spkiSHA256 == item.spkiSHA256 }) == true {
            let remedy = certificates.isEmpty ? "ask with the certificate" : "ship the new .cer, or pin the key"
            return reason("\(title) is that of a pinned certificate, which is compared as a whole: \(remedy)")
        }
        guard !isByAuthority else {
            return reason("no configured pin matches \(title): take it from a pinned CA, or ship a pin of its CA")
        }
        let missing = "no configured pin matches \(title): before it is deployed, ship "
        guard client.client.loader != nil else { return reason(missing + item[client.client.pinForm.notation]) }
        guard !certificates.isEmpty else {
            return reason("no configured pin matches \(title): ship its certificate once it is issued, or a CA's")
        }
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let stem = name.split(separator: ".").dropLast().joined(separator: ".")
        let path = (stem.isEmpty ? name : stem) + ".cer"
        return reason(missing + "\(name) as a .cer: openssl x509 -in \(name) -outform der -out \(path)")
    }
}
