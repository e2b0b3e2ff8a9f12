import Base
import PinChecking
import PinFormats
import TLSProbe

extension KeySource {
    /// `true` if the chain may be an interceptor's, whose keys must not ship by mistake.
    fileprivate var isIntercepted: Bool { suspicion?.isInterception == true }

    fileprivate var title: String { name + (part.map { ", " + $0 } ?? "") }

    /// `true` if its certificates must not be saved: each shipped file is a pin.
    fileprivate var isUnfit: Bool { isIntercepted || isUnverified }

    fileprivate var place: (host: String?, port: Int?) {
        (group?.host ?? endpoint?.host, group?.port ?? endpoint?.targetPort)
    }

    fileprivate var itemsWithRecommended: [PinItem] {
        let known = Set(items.map(\.spkiSHA256))
        return items + (recommended?.choices ?? []).map(\.item).filter { !known.contains($0.spkiSHA256) }
    }
}

struct PinsResult {
    let sources: [KeySource]
    let host: String?
    let pinsAll: Bool
    let time: Timestamp
    let exit: ExitStatus

    var owners: [KeySource] { sources.filter { !$0.isIntercepted } }

    func hashes(of source: KeySource) -> Set<SHA256Digest> { source.isIntercepted ? [] : source.hashes(all: pinsAll) }

    func write(_ settings: Settings, in context: Context) throws(Problem) {
        let output = context.console.output
        try OutputFile.refuseReadFile(behind: output)
        var told: Set<SafeText> = []
        for source in sources {
            if let warning = source.warning { context.console.report("WARNING: \(source.name): \(warning)") }
            if let suspicion = source.suspicion {
                let label: SafeText = suspicion.level == .warning ? "Warning" : "Note"
                let line: SafeText = "\(label): \(source.name): \(suspicion.reason.told)"
                if told.insert(line).inserted { context.console.report(line) }
            }
        }
        let saved = try settings.directory.map { (path) throws(Problem) in try save(in: path, context) } ?? [:]
        if let format = PinBlockFormat(rawValue: settings.pinForm) {
            try output.write(block(format, in: context))
        } else if settings.pinForm == "json" {
            try output.write(JSONRenderer.document(document(saved: saved)))
        } else {
            try output.write(TextRenderer.on(output, settings, in: context).text(self))
        }
    }

    private func block(_ format: PinBlockFormat, in context: Context) throws(Problem) -> String {
        for source in sources where source.hasNoVerdict {
            context.console.report("Error: \(source.title): \(source.reason?.told ?? "")")
        }
        let missing = sources.filter { $0.hasNoVerdict && $0.part != nil }.map {
            "\($0.title): \($0.reason?.message ?? "")\n"
        }
        let held = sources.filter { $0.recommended?.isHeldBack == true }
        for source in held {
            let missing = source.recommended?.missing.map(\.reason.told) ?? ""
            context.console.report("WARNING: \(source.name): ship \(source.recommended?.summary ?? ""); \(missing)")
        }
        // The key of a file is a pin of the hosts: without an unintercepted host no pin may be put in force.
        let isInForce = owners.count == sources.count || owners.contains { $0.endpoint != nil }
        let block =
            try (isInForce ? format.block(groups(owners), host: host) : "")
            + format.commentedOut(
                format.block(groups(isInForce ? sources.filter(\.isIntercepted) : sources), host: host))
            + format.commentedOut(missing.joined())
        guard !block.isEmpty || !held.isEmpty || sources.contains(where: \.hasNoVerdict) else {
            throw .data("--format \(format.rawValue) can express nothing of what is given")
        }
        return block
    }

    func groups(_ sources: [KeySource]) -> [PinGroup] {
        guard sources.allSatisfy({ $0.recommended == nil }) else { return sources.compactMap(recommendedGroup) }
        func group(_ source: KeySource, host: String?, port: Int) -> PinGroup {
            PinGroup(
                host: host, port: port, origins: origins(source), items: source.items,
                chosen: source.hashes(all: pinsAll), remarks: remarks(source))
        }
        let files = sources.filter { $0.group == nil && $0.endpoint == nil && !$0.items.isEmpty }
        let hosts = sources.compactMap { source -> PinGroup? in
            var configured = source.group
            configured?.items = source.items
            return configured
                ?? (source.items.isEmpty
                    ? nil : source.endpoint.map { group(source, host: $0.host, port: $0.targetPort) })
        }
        guard !hosts.isEmpty else { return files.map { group($0, host: host, port: RequestDefaults.port) } }
        return PinGroup.merged(hosts).map { group in
            if group.isExempt { return group }
            var group = group
            group.items += files.flatMap(\.items)
            group.chosen.formUnion(files.flatMap { $0.hashes(all: pinsAll) })
            group.origins += files.flatMap(origins)
            return group
        }
    }

    private func origins(_ source: KeySource) -> [String] {
        source.reason == nil && source.items.allSatisfy { $0.subject == nil } ? [] : [origin(source)]
    }

    private func remarks(_ source: KeySource) -> [String] {
        (source.suspicion.map { [($0.level == .warning ? "WARNING: " : "Note: ") + $0.reason.message] } ?? [])
            + (source.warning == nil ? [] : ["WARNING: " + KeySource.warning])
    }

    private func origin(_ source: KeySource) -> String {
        guard let reason = source.reason else { return "Keys of '\(PathParts(source.name).name)'" }
        let peer = source.peer.map { $0.description == source.name ? "" : " at \($0)" } ?? ""
        return "\(source.name)\(peer) as of \(time.date): \(reason.sentence)"
    }

    private func recommendedGroup(_ source: KeySource) -> PinGroup? {
        guard let recommendation = source.recommended, !recommendation.isHeldBack else { return nil }
        let items = recommendation.choices.map(\.item)
        let place = source.reason == nil ? "For '\(PathParts(source.name).name)'" : origin(source)
        var remarks = ["Recommended: \(recommendation.summary)."]
        if let missing = recommendation.missing { remarks.append("WARNING: \(missing.reason.told)") }
        if let date = recommendation.reviewDate { remarks.append("Look again by \(date.date).") }
        var group = PinGroup(
            host: source.endpoint?.host ?? host, port: source.endpoint?.targetPort ?? RequestDefaults.port,
            origins: [place], items: items, chosen: Set(items.map(\.spkiSHA256)),
            remarks: remarks + self.remarks(source))
        group.hasReserve = true
        return group
    }

    /// Saves each certificate to pin once, with a line: AFNetworking pins every file of a bundle.
    private func save(in directory: String, _ context: Context) throws(Problem) -> [Certificate: String] {
        var saved: [Certificate: String] = [:]
        for source in sources where source.isUnfit {
            let why = source.isIntercepted ? "it may be an interceptor's" : "its chain is not verified"
            context.console.report("nothing was saved of \(source.name): \(why)")
        }
        let fit = sources.filter { !$0.isUnfit }
        guard !fit.isEmpty else { return saved }
        let saver = try CertificateSaver(directory: directory)
        for source in fit {
            let pinned = hashes(of: source)
            for item in source.recommended?.choices.map(\.item) ?? source.items where pinned.contains(item.spkiSHA256) {
                guard let certificate = item.certificate, saved[certificate] == nil else { continue }
                let file = try saver.save(certificate, role: item.role)
                saved[certificate] = file.path
                let verb = file.wasThere ? "is there already" : "saved"
                context.console.report("\(verb): \(file.path)  \(certificate)")
            }
        }
        return saved
    }

    func document(saved: [Certificate: String]) -> JSONObject {
        // The keys of files are for every host, as in blocks.
        let named = sources.map(\.place).filter { $0.host != nil }.grouped { "\($0.host ?? ""):\($0.port ?? 0)" }
        let hosts: [(host: String?, port: Int?)] = named.isEmpty ? [(host, nil)] : named.map(\.elements[0])
        let results = sources.flatMap { source in
            let isOfAFile = source.group == nil && source.endpoint == nil
            let pinned = hashes(of: source)
            let keys = source.itemsWithRecommended.map { key($0, pinned, saved) }
            return (isOfAFile ? hosts : [source.place]).map { Self.result(source, host: $0, port: $1, keys) }
        }
        return ["schema": "pincheck-pins/1", "evaluated_at": time, "results": results, "exit": exit]
    }

    private static func result(_ source: KeySource, host: String?, port: Int?, _ keys: [JSONObject]) -> JSONObject {
        let warnings =
            (source.warning.map { [Finding.warning(.unverified, $0).reason] } ?? [])
            + (source.suspicion.map { $0.level == .warning ? [$0.reason] : [] } ?? [])
        return [
            "target": source.name, "host": host, "port": port,
            "rules": source.group.flatMap(rules(of:)),
            "endpoint": source.endpoint.map {
                EndpointFacts($0, peer: source.peer).document(
                    verifyName: $0.referenceName == .unchecked ? nil : $0.referenceName.description)
            }, "key_type": source.keyType?.description, "verified": source.ending?.outcome.isAccepted,
            "reason": source.reason, "warnings": warnings, "keys": keys,
            "also_sent": source.alsoSent.map(\.description), "recommendation": source.recommended.map(recommendation),
        ]
    }

    private static func rules(of group: PinGroup) -> JSONObject? {
        guard let entry = group.entry else { return nil }
        let subdomains =
            switch group.depth {
            case .exact: "none"
            case .oneLabel: "one-label"
            case .upToOneLabel: "up-to-one-label"
            case .anyNumber: "any-number"
            }
        return [
            "kind": group.kind?.rawValue, "origin": group.origin, "subdomains": subdomains,
            "position": group.position.rawValue, "enforced": entry.enforcesPinning,
            "expires": entry.expiration?.date, "excluded": group.isExempt,
            "report_uris": entry.reportURIs,
        ]
    }

    private func key(_ item: PinItem, _ pinned: Set<SHA256Digest>, _ saved: [Certificate: String]) -> JSONObject {
        let certificate = item.certificate
        let pins: JSONObject = [
            "okhttp": item[.okhttp], "curl": item[.curl], "hpkp": item[.hpkp], "base64": item[.base64],
        ]
        return [
            "role": item.role.rawValue, "pinned": pinned.contains(item.spkiSHA256), "source": item.source,
            "key": item.publicKey?.algorithm.description, "subject": item.subject, "issuer": certificate?.issuer,
            "serial": certificate?.serialNumber, "not_before": certificate?.notBefore,
            "not_after": certificate?.notAfter, "days_left": certificate.map { time.wholeDays(to: $0.notAfter) },
            "cert_sha256": certificate?.fingerprint.hexadecimal, "pins": pins,
            "saved_as": certificate.flatMap { saved[$0] },
        ]
    }

    private static func recommendation(_ recommendation: Recommendation) -> JSONObject {
        [
            "strategy": recommendation.strategy, "summary": recommendation.summary,
            "authority": recommendation.ca, "pins": recommendation.choices.map(choice),
            "intermediate": recommendation.intermediate.map(choice), "missing": recommendation.missing?.reason,
            "review_by": recommendation.reviewDate?.date,
        ]
    }

    private static func choice(_ choice: Recommendation.Choice) -> JSONObject {
        [
            "pin": choice.item.spkiSHA256.description, "owner": choice.owner, "reason": choice.reason,
            "until": choice.until?.date, "cross_signed_by": choice.root?.crossSigners ?? [],
            "source": choice.root?.source, "source_date": choice.root?.date,
        ]
    }
}

extension ExitStatus {
    init(_ source: KeySource) {
        let own = source.ending.map { ExitStatus($0.outcome) } ?? .pass
        self = own == .pass && source.recommended?.isHeldBack == true ? .fail : own
    }
}
