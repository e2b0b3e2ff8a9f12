import Base
import Pinning
import TLSProbe
import X509

extension HostPolicy {
    func findings(
        on clients: [ClientVerdict], _ views: [ServerView], _ interception: Finding?, isAdvising: Bool
    ) -> [Finding] {
        let ranked = clients.ranked
        var findings = warnings(of: clients) + platformRules(ranked) + missingClients(clients)
        if let deciding = ranked.shown, let verdict = deciding.decided {
            let store = deciding.judgedDevice.verifier.trustStore
            if verdict.isMissingAnchor, let places = store.placesWithoutSystemRoots {
                let message = "this machine has no trusted roots (\(places))"
                findings.append(.warning(.noSystemRoots, message, remedy: .giveRoots))
            }
            findings += misreadPinWarnings(
                (views.flatMap(\.presented.certificates) + verdict.builtChain.certificates).distinct)
        }
        if !isAdvising { for index in findings.indices { findings[index].remedy = nil } }
        let isRefused = !ranked.isEmpty && ranked.allSatisfy { $0.isAccepted == false }
        let notes = ranked.flatMap { $0.decided?.findings ?? [] }.filter { $0.level == .note }.distinct
        let interception = [interception].compactMap(\.self)
        return findings + interception.filter { $0.level == .warning }
            + views.flatMap { $0.evidence?.findings(isRefused: isRefused) ?? [] }.distinct + remarks
            + rootNotes(on: ranked, views[0]) + differentLeaves(of: ranked) + notes
            + interception.filter { $0.level == .note }
    }

    private func differentLeaves(of ranked: [ClientVerdict]) -> [Finding] {
        let leaves = ranked.grouped { $0.handshake?.presented.leaf }.filter { $0.key != nil }
        guard leaves.count > 1 else { return [] }
        let parts = leaves.map { leaf, some in
            "\(ranked.names(of: some)) \(leaf?.publicKey.spkiSHA256.description ?? "")"
        }.joined(separator: ", ")
        return [Finding(.keyTypesDiffer, .note, "clients get the key that fits their TLS: \(parts)")]
    }

    /// The warnings of verdicts; a client's warning on several devices counts once.
    func warnings(of clients: [ClientVerdict]) -> [Finding] {
        let all = clients.ranked.flatMap { one in (one.decided?.warnings ?? []).map { (warning: $0, client: one) } }
        return all.grouped { [$0, $1.device == nil ? "\($1.rank)" : $1.name] as [AnyHashable] }.map { _, alike in
            var warning = alike[0].warning
            if clients.count > 1 { warning.message = "\(clients.names(of: alike.map(\.client))): \(warning.message)" }
            return warning
        }
    }

    private func platformRules(_ ranked: [ClientVerdict]) -> [Finding] {
        let refusing = ranked.compactMap(\.decided?.refusingPlatform)
        return PlatformFamily.allCases.filter(refusing.contains).map { platform in
            .warning(
                .platformRule, "the reason is a rule of \(platform.title), not the pins",
                remedy: lists == nil ? .chooseAnotherPlatform(than: platform) : nil)
        }
    }

    func missingClients(_ clients: [ClientVerdict]) -> [Finding] {
        clients.filter(\.isNotSetUp).grouped(by: \.client.client).map { client, missing in
            .warning(.clientNotSetUp, "\(client.name) cannot be set up: \(missing[0].reason.sentence)")
        }
    }

    /// Warns of pins that hash anything but a certificate's SubjectPublicKeyInfo, and names the right pin.
    private func misreadPinWarnings(_ certificates: [Certificate]) -> [Finding] {
        let keys = Set(certificates.map(\.publicKey.spkiSHA256))
        let unknown = (pins?.pins ?? []).enumerated().filter { $1.certificate == nil && !keys.contains($1.spkiSHA256) }
        guard !unknown.isEmpty else { return [] }
        return certificates.flatMap { certificate in
            certificate.otherHashes.compactMap { hash, kind in
                guard let index = unknown.first(where: { $1.spkiSHA256 == hash })?.offset else { return nil }
                let what =
                    switch kind {
                    case .bareKey:
                        "bare key of \(certificate), as Node's cert.pubkey and iOS's SecKeyCopyExternalRepresentation "
                            + "give it; clients hash the SubjectPublicKeyInfo"
                    case .certificate: "certificate \(certificate), not of its key"
                    case .keyAsText: "key of \(certificate) as PEM text, not of the key"
                    }
                let right = "pin \(certificate.publicKey.spkiSHA256)\(kind == .bareKey ? " instead" : "")"
                return .warning(
                    kind == .bareKey ? .bareKeyPin : .certificateHashPin,
                    "pin \(index + 1) is the hash of the \(what): \(right)")
            }
        }
    }

    /// A note for each root that only some of the named devices have.
    func rootNotes(on clients: [ClientVerdict], _ view: ServerView) -> [Finding] {
        let named = devices.filter(\.usesOwnRoots).compactMap(\.device)
        guard let lists else { return [] }
        var chains = clients.compactMap(\.decided).flatMap { verdict in
            verdict.restsOn.map(BuiltChain.verified) + [verdict.builtChain]
        }
        if clients.contains(where: { $0.judgedDevice.device != nil && $0.decided?.isMissingAnchor == true }) {
            // Another device may have the root that this one lacks.
            let question = PathQuestion(
                presented: view.presented, intermediates: intermediates, anchors: .trustStore, policy: .basicX509,
                time: view.time)
            chains.append(lists.verifier.evaluate(question).builtChain)
        }
        let roots = chains.filter(\.isVerified).compactMap(\.certificates.last).distinct
        return roots.filter { lists.data.lists($0.der) }.compactMap { note(on: $0, named, lists.data) }
    }

    private func note(on root: Certificate, _ named: [Device], _ data: DeviceData) -> Finding? {
        let holders = data.devices(listing: root.der)
        let missing = named.filter { !holders.contains($0) }
        guard !missing.isEmpty else { return nil }
        let places = PlatformFamily.allCases.filter { platform in named.contains { $0.platform == platform } }
            .map { data.availability(of: root.der, on: $0) }
        return Finding(
            .rootNotEverywhere, .note,
            "the root \(root.commonName ?? root.subject) is not on \(missing.map(\.name).inRows(of: named.map(\.name))): it is "
                + places.joined(separator: ", "))
    }
}

extension Verdict {
    var isMissingAnchor: Bool { reason.failures.contains(where: \.isMissingAnchor) }

    /// The platform whose own rule rejects; `nil` if other platforms share the rule, as phones do for key usage.
    fileprivate var refusingPlatform: PlatformFamily? {
        if case .refusedByTransportSecurity = reason { return .apple }
        if case .keyUsage? = reason.failures.first?.reason { return nil }
        return reason.failures.first?.platform
    }
}

extension JudgedDevice {
    /// The damage to the system's store that makes a verdict impossible: this chain's root or its distrust may be lost.
    func damage(concerning verdict: Verdict) -> Reason? {
        let damage = verifier.trustStore.damage(
            concerning: verdict.builtChain.certificates,
            whenMissing: verdict.reason.failures.contains(where: \.lacksAnchor))
        let advice = "reinstall ca-certificates, or give anchors"
        return damage.map { Reason("damaged-trust-store", "the system's store is damaged in \($0): \(advice)") }
    }

    /// The reason for no verdict if this OpenSSL does not know the leaf's key, which phones and newer OpenSSLs know.
    func unknownKey(of verdict: Verdict) -> Reason? {
        guard let first = verdict.reason.failures.first(where: { $0.reason == .weakKey }), first.depth == 0,
            first.certificate.publicKey.algorithm.isOfNewerOpenSSL
        else { return nil }
        let key = first.certificate.publicKey.algorithm
        return Reason(
            "unknown-algorithm", "\(key), which this OpenSSL (\(OpenSSLVersion.number)) does not know; 3.5 does")
    }
}
