import Base
import PinChecking
import PinFormats
import Pinning
import TLSProbe

extension ExitStatus: JSONDocument { package var document: JSONObject { ["code": Int(rawValue), "name": name] } }
extension Timestamp: JSONValue { package func write(to output: inout JSONRenderer) { description.write(to: &output) } }
extension Outlook.Finding.Level: JSONValue {}
extension Finding.Level: JSONValue {}
extension BaselineChanges.Status: JSONValue {}
extension HostPolicy.Trust: JSONValue {}
extension NextItem.Kind: JSONValue {}

extension PinMatch: JSONDocument { package var document: JSONObject { ["pin": pinIndex, "depth": depth] } }

extension AppliedConfiguration: JSONDocument {
    package var document: JSONObject {
        ["kind": kind, "clients": clients, "hosts": hosts, "origin": origin, "settings": settings]
    }
}

extension NextDeployment: JSONDocument {
    var pin: SHA256Digest { item.item.spkiSHA256 }

    package var document: JSONObject {
        ["kind": item.kind, "pin": pin.description, "assumed": assumedIssuers != nil, "issuers": assumedIssuers ?? []]
    }
}

extension Outlook: JSONDocument {
    package var document: JSONObject {
        let pins = pins.enumerated().map { index, pin -> JSONObject in
            [
                "pin": index, "depth": pin.depth, "until": pin.until, "compared": pin.isCompared,
                "backup": backups.contains(index),
            ]
        }
        let findings = findings.map { finding -> JSONObject in
            [
                "id": finding.id, "level": finding.level, "message": TerminalText.escaped(finding.message),
                "is_told": finding.isTold,
            ]
        }
        return [
            "level": level, "valid_until": validUntil, "renewal_point": renewalPoint,
            "pins_match_until": pinsMatchUntil, "pins_end": end?.rawValue, "no_pin_after": noPinAfter,
            "pins_expire": pinsExpire, "has_backup": hasBackup, "pins": pins, "findings": findings,
        ]
    }
}

extension BaselineChanges: JSONDocument {
    package var document: JSONObject {
        let classes = changes.map { change -> JSONObject in
            [
                "id": change.kind.rawValue, "old": change.old, "new": change.new,
                "old_certificate": change.oldCertificate.map(Self.certificate),
                "new_certificate": change.newCertificate.map(Self.certificate),
                "allowed": allowed.contains(change.kind),
            ]
        }
        return ["baseline": baseline, "status": status, "compared_with": comparedWith, "classes": classes]
    }

    private static func certificate(_ certificate: Snapshot.Certificate) -> JSONObject {
        [
            "subject": certificate.subject, "issuer": certificate.issuer, "key": certificate.key,
            "spki_sha256": certificate.spkiSHA256, "cert_sha256": certificate.certificateSHA256,
            "not_before": certificate.notBefore, "not_after": certificate.notAfter, "names": certificate.names,
        ]
    }
}

extension Variant: JSONDocument {
    var name: String { label ?? "ordinary" }

    package var document: JSONObject {
        var keyType: String?
        if case .keyType(let type) = self { keyType = type.rawValue }
        return ["label": name, "key_type": keyType, "counts": counts, "rank": rank]
    }
}

extension AddressComparison: JSONDocument {
    var exit: ExitStatus { .worst(outcomes.map(ExitStatus.init)) }

    var hasVerdicts: Bool { accepted + rejected > 0 }

    func says(_ warning: Report.Message) -> Bool { findings.contains { Report.Message($0.reason) == warning } }

    package var document: JSONObject {
        let findings = findings.map { finding -> JSONObject in
            let message = Report.Message(finding.reason)
            return ["id": message.id, "level": finding.level, "message": message.message]
        }
        return [
            "consistent": isConsistent, "addresses": addresses, "accepted": accepted, "rejected": rejected,
            "unreachable": unreachable, "findings": findings, "has_known_differences": hasKnownDifferences,
            "answering_otherwise": answeringOtherwise, "exit": exit,
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

    /// What the staple says; where it does not say that the certificate is good, why.
    var revocation: JSONObject {
        switch staple {
        case .none: ["staple": "none", "revoked_at": nil, "problem": nil]
        case .good: ["staple": "good", "revoked_at": nil, "problem": nil]
        case .revoked(let time, _): ["staple": "revoked", "revoked_at": time.description, "problem": nil]
        case .unusable(let why): ["staple": "unusable", "revoked_at": nil, "problem": why]
        }
    }
}
