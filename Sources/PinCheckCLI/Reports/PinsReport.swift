import Base
import PinChecking
import PinFormats
import Pinning
import TLSProbe

/// The JSON document of `pins`; what its keys mean is in `schemas/pins.json`.
extension PinsResult {
    /// The document; `saved` has the file of each certificate that was saved.
    func document(saved: [Certificate: String]) -> JSONObject {
        // The keys of files go with every host there is, as they do in blocks.
        let named = sources.filter { $0.host != nil }.grouped { "\($0.host ?? ""):\($0.port ?? 0)" }.map(
            \.elements[0].place)
        let hosts = named.isEmpty ? [(host, nil)] : named
        let results = sources.flatMap { source in
            let isOfAFile = source.group == nil && source.endpoint == nil
            let pinned = pinned(source)
            let keys = source.itemsWithRecommended.map { key($0, pinned, saved) }
            return (isOfAFile ? hosts : [source.place]).map { Self.result(source, host: $0, port: $1, keys) }
        }
        return ["schema": "pincheck-pins/1", "evaluated_at": time, "results": results, "exit": exit]
    }

    private static func result(_ source: KeySource, host: String?, port: Int?, _ keys: [JSONObject]) -> JSONObject {
        let reason: (id: String, isVerified: Bool?)? =
            switch source.standing {
            case .file: nil
            case .verified: ("trusted", true)
            case .unverified(let failures): (failures.first?.id ?? "untrusted", false)
            case .unreachable(let error): (error.id, nil)
            }
        let warnings =
            (source.warning.map { [Report.Message(id: "unverified", message: $0)] } ?? [])
            + (source.suspicion.map { $0.level == .warning ? [Report.Message($0.reason)] : [] } ?? [])
        return [
            "target": source.name, "host": host, "port": port,
            "rules": source.group.flatMap { group in group.rules.map { rules($0, of: group) } },
            "endpoint": source.endpoint.map {
                Report.Endpoint(EndpointFacts($0, peer: source.peer), referenceName: $0.referenceName)
            }, "key_type": source.keyType?.description, "verified": reason?.isVerified,
            "reason": reason.map { Report.Message(id: $0.id, message: source.finding ?? "") }, "warnings": warnings,
            "keys": keys, "also_sent": source.alsoSent.map(\.description),
            "recommendation": source.recommended.map(recommendation),
        ]
    }

    /// What a configuration says of its host beside its pins.
    private static func rules(_ rules: PinRules, of group: PinGroup) -> JSONObject {
        let subdomains =
            switch rules.depth {
            case .exact: "none"
            case .oneLabel: "one-label"
            case .upToOneLabel: "up-to-one-label"
            case .anyNumber: "any-number"
            }
        return [
            "kind": rules.kind?.rawValue, "origin": group.origin, "subdomains": subdomains,
            "position": rules.position.rawValue, "enforced": rules.entry.enforcesPinning,
            "expires": rules.entry.expiration?.date, "excluded": rules.isExcluded,
            "report_uris": rules.entry.reportURIs,
        ]
    }

    private func key(_ item: PinItem, _ pinned: Set<SHA256Digest>, _ saved: [Certificate: String]) -> JSONObject {
        let certificate = item.certificate
        let notations = item.notations
        let pins: JSONObject = [
            "okhttp": notations.okhttp, "curl": notations.curl, "hpkp": notations.hpkp, "base64": notations.base64,
        ]
        return [
            "role": item.role.rawValue, "pinned": pinned.contains(item.spkiSHA256), "source": item.source,
            "key": item.publicKey?.algorithm.description, "subject": item.subject, "issuer": certificate?.issuer,
            "serial": certificate?.serialNumber, "not_before": certificate?.notBefore,
            "not_after": certificate?.notAfter,
            "days_left": certificate.map { Report.Certificate.wholeDays(from: time, to: $0.notAfter) },
            "cert_sha256": certificate?.fingerprint.hexadecimal, "pins": pins,
            "saved_as": certificate.flatMap { saved[$0] },
        ]
    }

    private static func recommendation(_ recommendation: Recommendation) -> JSONObject {
        [
            "strategy": recommendation.strategy.rawValue, "summary": recommendation.summary,
            "authority": recommendation.ca?.name, "pins": recommendation.choices.map(choice),
            "intermediate": recommendation.intermediate.map(choice),
            "missing": recommendation.missing.map { Report.Message($0) }, "review_by": recommendation.reviewDate?.date,
        ]
    }

    private static func choice(_ choice: Recommendation.Choice) -> JSONObject {
        [
            "pin": choice.item.spkiSHA256.description, "owner": choice.owner, "reason": Report.Message(choice.reason),
            "until": choice.until?.date, "cross_signed_by": choice.root?.crossSigners ?? [],
            "source": choice.root?.source, "source_date": choice.root?.date,
        ]
    }
}

extension KeySource {
    fileprivate var host: String? { group?.host ?? endpoint?.host }
    fileprivate var port: Int? { group?.port ?? endpoint?.targetPort }
    fileprivate var place: (String?, Int?) { (host, port) }

    /// The keys, and those that are recommended and are not among them.
    fileprivate var itemsWithRecommended: [PinItem] {
        let known = Set(items.map(\.spkiSHA256))
        return items + (recommended?.choices ?? []).map(\.item).filter { !known.contains($0.spkiSHA256) }
    }
}

extension ExitStatus {
    /// The status that one source alone would lead to.
    init(_ source: KeySource) {
        self =
            switch source.standing {
            case .file, .verified: source.recommended?.isHeldBack == true ? .fail : .pass
            case .unverified: .fail
            case .unreachable: .unreachable
            }
    }
}
