import PinChecking
import PinFormats
import TLSProbe

extension ExitStatus: JSONDocument { var document: JSONObject { ["code": Int(rawValue), "name": name] } }
extension Timestamp: JSONValue { func write(to output: inout JSONRenderer) { description.write(to: &output) } }
extension BaselineChanges.Status: JSONValue {}
extension HostPolicy.Trust: JSONValue {}
extension NextItem.Kind: JSONValue {}

extension MatchedPin: JSONDocument {
    var document: JSONObject { ["pin": pinIndex, "depth": depth, "clients": clients] }
}

extension AppliedConfiguration: JSONDocument {
    var document: JSONObject {
        ["kind": kind, "clients": clients, "hosts": hosts, "origin": "\(origin)", "settings": settings]
    }
}

extension NextDeployment: JSONDocument {
    var pin: SHA256Digest { item.item.spkiSHA256 }

    var document: JSONObject {
        [
            "kind": item.kind, "pin": pin.description, "assumed": !assumptions.isEmpty,
            "assumptions": assumptions.map(\.rawValue), "issuers": issuers,
        ]
    }
}

extension Outlook: JSONDocument {
    var document: JSONObject {
        let pins = pins.enumerated().map { index, pin -> JSONObject in
            [
                "pin": index, "depth": pin.depth, "until": pin.until, "compared": pin.isCompared,
                "backup": pin.isBackup, "why_no_backup": pin.noBackup?.id,
            ]
        }
        let findings = findings.map { finding -> JSONObject in
            [
                "id": finding.id, "level": Self.word(finding.level), "message": finding.message,
                "is_told": finding == told,
            ]
        }
        return [
            "level": Self.word(level), "valid_until": validUntil, "renewal_point": renewalPoint,
            "pins_match_until": pinsMatchUntil, "pins_end": end?.rawValue, "no_pin_after": noPinAfter,
            "pins_expire": pinsExpire, "has_backup": hasBackup, "pins": pins, "findings": findings,
        ]
    }

    private static func word(_ level: Finding.Level) -> String {
        switch level {
        case .note: "info"
        case .warning: "warn"
        case .fail, .error: level.rawValue
        }
    }
}

extension BaselineChanges: JSONDocument {
    var document: JSONObject {
        let classes = changes.map { change -> JSONObject in
            [
                "id": change.kind.id, "old": change.old, "new": change.new,
                "old_certificate": change.oldCertificate?.changed, "new_certificate": change.newCertificate?.changed,
                "allowed": allowed.contains(change.kind),
            ]
        }
        return ["baseline": baseline, "status": status, "compared_with": comparedWith, "classes": classes]
    }
}

extension HostPolicy {
    /// The named devices in documents, each with the verdict of its clients; `nil` if none was named.
    func devices(judgedBy verdicts: [ClientVerdict], at time: Timestamp) -> JSONObject? {
        guard let lists else { return nil }
        let judged = devices.map { judged -> JSONObject in
            let accepts = verdicts.filter { $0.device == judged.name }.compactMap(\.isAccepted)
            return [
                "name": judged.name, "platform": judged.device?.platform.system, "release": judged.device?.release,
                "read": judged.device?.date.date, "trust": judged.trust,
                "verdict": Report.VerdictWord(accepts.isEmpty ? nil : !accepts.contains(false)),
            ]
        }
        return [
            "file": lists.file, "source": lists.data.source, "date": lists.data.date.date,
            "age_days": lists.data.age(at: time), "is_stale": lists.data.isStale(at: time), "judged": judged,
        ]
    }
}

extension Variant: JSONDocument {
    var name: String { label ?? "ordinary" }

    var document: JSONObject {
        var keyType: String?
        if case .keyType(let type) = self { keyType = type.rawValue }
        return ["label": name, "key_type": keyType, "counts": counts, "rank": rank]
    }
}

extension AddressComparison {
    var hasVerdicts: Bool { accepted + rejected > 0 }

    func document(_ reason: Reason?) -> JSONObject {
        let findings = findings.map { finding -> JSONObject in
            ["id": finding.id, "level": finding.level == .note ? "info" : "warning", "message": finding.reason.told]
        }
        let coverage = coverage.map { part -> JSONObject in
            let came =
                switch part.came {
                case .chain: "chain"
                case .none: "none"
                case .unknown: "unknown"
                }
            return ["part": part.part, "address": part.address, "came": came, "reason": part.came.reason]
        }
        return [
            "consistent": isConsistent, "reason": reason, "coverage": coverage, "addresses": addresses,
            "accepted": accepted, "rejected": rejected, "unreachable": unreachable, "findings": findings,
            "has_known_differences": hasKnownDifferences, "answering_otherwise": answeringOtherwise,
            "exit": ExitStatus.worst(outcomes.map(ExitStatus.init)),
        ]
    }
}

extension LeafEvidence {
    var transparency: JSONObject {
        let timestamps = timestamps.map { item in
            ["log_id": item.logID.hexadecimal, "time": item.time.description] as JSONObject
        }
        return ["timestamps": timestamps, "logs": logs]
    }

    var revocation: JSONObject {
        let (word, time, problem): (String, Timestamp?, String?) =
            switch staple {
            case .none: ("none", nil, nil)
            case .good: ("good", nil, nil)
            case .revoked(let time, _): ("revoked", time, nil)
            case .unusable(let why): ("unusable", nil, why)
            }
        return ["staple": word, "revoked_at": time, "problem": problem]
    }
}

extension EndpointFacts {
    func document(verifyName: String?) -> JSONObject {
        var family: String?
        if case .ip(let address)? = address { family = address.isIPv6 ? "ipv6" : "ipv4" }
        return [
            "address": address?.description, "port": port, "family": family, "resolved_name": resolvedName,
            "sni": serverName, "verify_name": verifyName, "host": host,
        ]
    }
}

extension Proxy {
    func document(_ passage: ProxyPassage?) -> JSONObject {
        let tls = passage?.tls.map { tls -> JSONObject in
            [
                "version": tls.facts.version.name, "cipher": tls.facts.suite.name,
                "subject": tls.presented.leaf.subject, "cert_sha256": tls.presented.leaf.fingerprint.hexadecimal,
            ]
        }
        return ["url": url, "origin": origin, "address": passage?.address.description, "tls": tls]
    }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }

    /// The milliseconds, to whole microseconds.
    fileprivate var milliseconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / 1_000
    }
}

extension ConnectionFacts: JSONDocument {
    var document: JSONObject {
        ["version": version.name, "cipher": suite.name, "group": group?.name, "signature_algorithm": signature?.name]
    }
}

extension Handshake: JSONDocument {
    var document: JSONObject {
        let times: JSONObject = [
            "resolve": timings.resolve?.milliseconds, "connect": timings.connect.milliseconds,
            "proxy": timings.proxy?.milliseconds, "handshake": timings.handshake.milliseconds,
        ]
        var document = facts.document
        document.members += [
            ("alpn", alpn), ("client_certificate_requested", clientCertificateRequested),
            ("client_certificate_sent", clientCertificateSent), ("timings_ms", times),
        ]
        return document
    }
}

extension CheckedAnswer: JSONDocument {
    var response: HTTPResponse? { try? result?.get() }
    var title: String { exchange.request.title }
    var outcome: String { response?.statusLine ?? problem ?? "not asked, since the server is not accepted" }
    private var problem: String? { result?.failure?.description }

    var document: JSONObject {
        [
            "method": HTTPRequest.method, "path": exchange.request.shownPath, "host": exchange.request.authority,
            "expected": exchange.expected?.texts ?? [], "asked": result != nil, "status": response?.status,
            "status_line": response?.statusLine, "time_ms": response?.time.milliseconds, "as_expected": isAsExpected,
            "problem": problem,
        ]
    }
}

extension Pin: JSONDocument {
    var document: JSONObject {
        [
            "pin": spkiSHA256.description, "kind": certificate == nil ? "public-key" : "certificate", "origin": origin,
            "subject": certificate?.description,
        ]
    }

    var place: [String] { (certificate.map { [$0.description, $0.inShort] } ?? []) + [origin] }
}

extension Certificate {
    /// A text that tells certificates with one key apart, as in `certificate 0a1b2c3d…, to 2027-01-01`.
    var inShort: String { "certificate \(fingerprint.hexadecimal.prefix(8))…, to \(notAfter.date)" }
}

extension Report {
    var checks: [JSONObject] {
        func check(_ id: String, _ status: TraceStep.Status, _ detail: String, by client: Client? = nil) -> JSONObject {
            ["client": client?.name, "device": client?.device, "id": id, "status": status.rawValue, "detail": detail]
        }
        var checks = phases.map { check($0, $1, $2) }
        for client in clients { checks += client.trace.map { check($0.id, $0.status, $0.detail, by: client) } }
        if let answer = result.answer {
            let status: TraceStep.Status = answer.isAsExpected.map { $0 ? .pass : .fail } ?? .skip
            checks.append(check("request", status, "\(answer.title): \(answer.outcome)"))
        }
        return checks
    }

    private var phases: [(id: String, status: TraceStep.Status, detail: String)] {
        guard let connection = result.connection else { return [] }
        let error = connection.failure
        var hasFailed = false
        return ProbeError.Phase.allCases.filter { $0 != .proxy || endpoint?.proxy != nil }.map { phase in
            let id = phase.rawValue
            if let error, phase == error.phase {
                hasFailed = true
                return (id, .fail, error.escapedFact + error.advice(naming: \.flag))
            }
            if hasFailed { return (id, .skip, "not reached") }
            if phase == .resolve, let proxy = endpoint?.proxy, proxy.kind != .socks5 {
                return (id, .skip, "left to the proxy")
            }
            if phase == .resolve, endpoint?.resolvedName == nil { return (id, .skip, "an address was given") }
            return (id, .pass, "")
        }
    }
}
