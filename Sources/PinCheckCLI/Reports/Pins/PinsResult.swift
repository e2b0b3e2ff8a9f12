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

    fileprivate func document(host: String?, port: Int?, _ keys: [JSONObject]) -> JSONObject {
        let warnings =
            (warning.map { [Finding.warning(.unverified, $0).reason] } ?? [])
            + (suspicion.map { $0.level == .warning ? [$0.reason] : [] } ?? [])
        return [
            "target": name, "host": host, "port": port, "rules": group?.rules,
            "endpoint": endpoint.map { EndpointFacts($0, peer: peer).document(verifyName: $0.referenceName.text) },
            "key_type": keyType?.description, "verified": ending?.outcome.isAccepted, "reason": reason,
            "warnings": warnings, "keys": keys, "also_sent": alsoSent.map(\.description), "recommendation": recommended,
        ]
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
            return (isOfAFile ? hosts : [source.place]).map { source.document(host: $0, port: $1, keys) }
        }
        return ["schema": "pincheck-pins/1", "evaluated_at": time, "results": results, "exit": exit]
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
}

extension PinGroup {
    fileprivate var rules: JSONObject? {
        guard let entry else { return nil }
        let subdomains =
            switch depth {
            case .exact: "none"
            case .oneLabel: "one-label"
            case .upToOneLabel: "up-to-one-label"
            case .anyNumber: "any-number"
            }
        return [
            "kind": kind?.rawValue, "origin": origin, "subdomains": subdomains, "position": position.rawValue,
            "enforced": entry.enforcesPinning, "expires": entry.expiration?.date, "excluded": isExempt,
            "report_uris": entry.reportURIs,
        ]
    }
}

extension Recommendation: JSONDocument {
    var document: JSONObject {
        [
            "strategy": strategy, "summary": summary, "authority": ca, "pins": choices.map(Self.choice),
            "intermediate": intermediate.map(Self.choice), "missing": missing?.reason, "review_by": reviewDate?.date,
        ]
    }

    private static func choice(_ choice: Choice) -> JSONObject {
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
