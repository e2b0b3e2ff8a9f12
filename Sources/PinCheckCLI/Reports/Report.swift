import PinChecking
import TLSProbe

/// The result for one endpoint or chain in documents and forms, not escaped; `schemas/report.json` explains its keys.
struct Report: JSONDocument {
    static let schema = "pincheck/1"
    var result: CheckResult
    var tls: Handshake?
    /// The TLS stack whose offer led to the shown handshake; `nil` if that is the first handshake.
    var offerOf: String?
    var targetReason: Reason?
    var isOfAnotherTime: Bool
    var presented: [Link]
    var built: [Link]
    var builtIsValid: Bool
    var whyUnverified: String?
    /// The other valid paths, each with the clients that accept only by it.
    var otherPaths: [(clients: [String], chain: [Link])]
    var pins: [Pin]
    var matches: [MatchedPin]
    var clients: [Client]

    var document: JSONObject {
        let monitoring = monitoring
        return [
            "schema": Self.schema, "target": target, "verdict": verdict, "reason": reason, "exit": status,
            "endpoint": endpoint?.document(verifyName: verifyName), "proxy": endpoint?.proxy?.document(tls?.proxy),
            "tls": tls, "verify_name": verifyName, "variant": variant,
            "consistency": result.consistency?.document(targetReason), "evaluated_at": evaluatedAt,
            "is_of_another_time": isOfAnotherTime, "presented": presented, "built": built,
            "built_is_valid": builtIsValid, "why_unverified": whyUnverified,
            "other_paths": otherPaths.map { ["clients": $0, "chain": $1] as JSONObject }, "pins": pinsDocument,
            "transparency": evidence?.transparency, "revocation": evidence?.revocation,
            "devices": result.policy?.devices(judgedBy: result.clients, at: result.time), "checks": checks,
            "clients": clients, "warnings": warnings, "notes": result.notes.map(\.reason), "unjudged": unjudged,
            "outlook": outlook, "next": result.next, "change": result.changes, "http": result.answer,
            "monitoring": monitoring == (status, reason, status)
                ? nil
                : ["exit": monitoring.exit, "reason": monitoring.reason, "run_exit": monitoring.runExit] as JSONObject,
        ]
    }

    private var pinsDocument: JSONObject {
        let policy = result.policy
        let entries = (policy?.entries ?? []).map { kind, entry -> JSONObject in
            [
                "kind": kind.rawValue, "hosts": entry.hosts?.description, "origin": "\(entry.origin)",
                "enforces_pinning": entry.enforcesPinning, "expires": entry.expiration?.date,
            ]
        }
        return [
            "mode": (policy?.mode ?? .none).rawValue, "configured": pins, "matched": matches, "entries": entries,
            "applied": policy?.applied ?? [],
        ]
    }

    enum VerdictWord: String, JSONValue {
        case accept, reject, none

        init(_ isAccepted: Bool?) { self = isAccepted.map { $0 ? .accept : .reject } ?? .none }
    }

    /// A certificate at its place in a chain: the presented one, or a path with its source and pins.
    @dynamicMemberLookup struct Link: JSONDocument {
        var certificate: Certificate
        var index: Int
        var role: String
        var time: Timestamp
        /// The source, `nil` in the presented chain.
        var source: String?
        /// A number above 1 if the depth does not tell a needed certificate apart.
        var path = 1
        var pins: [Int] = []
        var warnDays: Double?
        var failDays: Double?
        var origin: String?
        /// The clients that match a pin, if others do not; the key is the pin's position.
        var clients: [Int: String] = [:]

        subscript<Fact>(dynamicMember fact: KeyPath<Certificate, Fact>) -> Fact { certificate[keyPath: fact] }

        var pin: String { certificate.spkiSHA256.description }
        var key: String { certificate.publicKey.algorithm.description }
        var daysLeft: Int { time.wholeDays(to: certificate.notAfter) }
        /// The days until the certificate is valid, rounded up; 0 if it is valid.
        var daysUntilValid: Int { time < certificate.notBefore ? -certificate.notBefore.wholeDays(to: time) : 0 }
        var sourceInWords: String? { origin ?? (source == "presented" ? nil : source) }

        static func list(_ chain: [Certificate], at time: Timestamp) -> [Link] {
            chain.enumerated().map { index, certificate in
                let isRoot = index > 0 && index == chain.count - 1 && certificate.isSelfIssued
                let ofCA = isRoot ? "root" : "intermediate"
                return Link(certificate: certificate, index: index, role: index == 0 ? "leaf" : ofCA, time: time)
            }
        }

        var document: JSONObject {
            var document: JSONObject = [
                "index": index, "role": role, "subject": certificate.subject, "issuer": certificate.issuer,
                "serial": certificate.serialNumber, "not_before": certificate.notBefore,
                "not_after": certificate.notAfter, "days_left": daysLeft, "days_until_valid": daysUntilValid,
                "key": key, "spki_sha256": pin, "cert_sha256": certificate.fingerprint.hexadecimal,
                "names": certificate.names.map(\.description),
            ]
            guard let source else { return document }
            document.members += [
                ("source", source), ("pins", pins), ("warn_days", warnDays), ("fail_days", failDays),
                ("origin", origin),
            ]
            return document
        }
    }

    struct Client: JSONDocument {
        var name: String
        var device: String?
        var verdict: VerdictWord
        var reason: Reason
        var disposition: String?
        var settings: [ShownSetting]
        var trace: [TraceStep]
        var outlook: Outlook?
        var tls: ConnectionFacts?

        var document: JSONObject {
            let settings = settings.map { setting -> (String, JSONObject.Value) in
                switch setting.value {
                case .flag(let value): (snakeCase(setting.name), value)
                case .text(let value): (snakeCase(setting.name), value)
                }
            }
            return [
                "name": name, "device": device, "verdict": verdict, "reason": reason, "disposition": disposition,
                "settings": JSONObject(settings.sorted { $0.0 < $1.0 }), "outlook": outlook, "tls": tls,
            ]
        }
    }
}

private func snakeCase(_ name: String) -> String {
    name.map { $0 == "-" ? "_" : $0.isUppercase ? "_" + $0.lowercased() : String($0) }.joined()
}
