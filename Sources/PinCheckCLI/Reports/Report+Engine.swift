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

extension Report {
    fileprivate static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return Double(microseconds) / 1_000
    }

    struct Endpoint: JSONDocument {
        var address: String?
        var port: Int
        var family: String?
        var resolvedName: String?
        var sni: String?
        var verifyName: String?
        var host: String

        package var document: JSONObject {
            [
                "address": address, "port": port, "family": family, "resolved_name": resolvedName, "sni": sni,
                "verify_name": verifyName, "host": host,
            ]
        }
    }

    struct Proxy: JSONDocument {
        let proxy: TLSProbe.Proxy
        let passage: ProxyPassage?

        package var document: JSONObject {
            let tls = passage?.tls.map { tls -> JSONObject in
                [
                    "version": tls.version.description, "cipher": tls.cipher, "subject": tls.leaf.subject,
                    "cert_sha256": tls.leaf.fingerprint.hexadecimal,
                ]
            }
            return ["url": proxy.url, "origin": proxy.origin, "address": passage?.address.description, "tls": tls]
        }
    }

    struct TLS: JSONDocument {
        var version: String
        var cipher: String
        var group: String?
        var alpn: String?
        var clientCertificateRequested: Bool
        var clientCertificateSent = false
        var timingsMs: (resolve: Double?, connect: Double?, proxy: Double?, handshake: Double?)

        package var document: JSONObject {
            [
                "version": version, "cipher": cipher, "group": group, "alpn": alpn,
                "client_certificate_requested": clientCertificateRequested,
                "client_certificate_sent": clientCertificateSent,
                "timings_ms": [
                    "resolve": timingsMs.resolve, "connect": timingsMs.connect, "proxy": timingsMs.proxy,
                    "handshake": timingsMs.handshake,
                ] as JSONObject,
            ]
        }
    }

    struct HTTP: JSONDocument {
        let method: String
        let path: String
        let host: String
        let expected: [String]
        let asked: Bool
        let status: Int?
        let statusLine: String?
        let timeMs: Double?
        let asExpected: Bool?
        let problem: String?

        var outcome: String { statusLine ?? problem ?? "not asked, since the server is not accepted" }

        package var document: JSONObject {
            [
                "method": method, "path": path, "host": host, "expected": expected, "asked": asked, "status": status,
                "status_line": statusLine, "time_ms": timeMs, "as_expected": asExpected, "problem": problem,
            ]
        }
    }
}

extension Report.Endpoint {
    init(_ endpoint: EndpointFacts, referenceName: ReferenceName) {
        var isIPv6: Bool?
        if case .ip(let address)? = endpoint.address { isIPv6 = address.isIPv6 }
        self.init(
            address: endpoint.address?.description, port: endpoint.port, family: isIPv6.map { $0 ? "ipv6" : "ipv4" },
            resolvedName: endpoint.resolvedName, sni: endpoint.serverName,
            verifyName: referenceName == .unchecked ? nil : referenceName.description, host: endpoint.host)
    }
}

extension Report.TLS {
    init(_ result: Handshake) {
        self.init(
            version: result.tlsVersion.description, cipher: result.cipher, group: result.group, alpn: result.alpn,
            clientCertificateRequested: result.clientCertificateRequested,
            clientCertificateSent: result.clientCertificateSent,
            timingsMs: (
                result.timings.resolve.map(Report.milliseconds), Report.milliseconds(result.timings.connect),
                result.timings.proxy.map(Report.milliseconds), Report.milliseconds(result.timings.handshake)
            ))
    }
}

extension Report.Check {
    /// The phases of a connection: passed, failed, or skipped because an earlier one failed or there was nothing to do.
    static func phases(of connection: Result<Handshake, ProbeError>, to endpoint: EndpointFacts?) -> [Report.Check] {
        var error: ProbeError?
        if case .failure(let failure) = connection { error = failure }
        var hasFailed = false
        return ProbeError.Phase.allCases.filter { $0 != .proxy || endpoint?.proxy != nil }.map { phase in
            func check(_ status: String, _ detail: String) -> Report.Check {
                Report.Check(client: nil, id: phase.rawValue, status: status, detail: detail)
            }
            if let error, phase == error.phase {
                hasFailed = true
                return check("fail", error.description)
            }
            if hasFailed { return check("skip", "not reached") }
            if phase == .resolve, let proxy = endpoint?.proxy, proxy.kind != .socks5 {
                return check("skip", "left to the proxy")
            }
            if phase == .resolve, endpoint?.resolvedName == nil { return check("skip", "an address was given") }
            return check("pass", "")
        }
    }

    init(_ http: Report.HTTP) {
        self.init(
            client: nil, id: "request", status: http.asExpected.map { $0 ? "pass" : "fail" } ?? "skip",
            detail: "\(http.method) \(http.path): \(http.outcome)")
    }
}

extension Report.HTTP {
    init(_ answer: CheckedAnswer) {
        let request = answer.exchange.request
        let result = answer.result
        let came = try? result?.get()
        var problem: String?
        if case .failure(let error)? = result { problem = error.description }
        self.init(
            method: HTTPRequest.method, path: withoutSecrets(request.path), host: request.authority,
            expected: answer.exchange.expected?.texts ?? [], asked: result != nil, status: came?.status,
            statusLine: came?.statusLine, timeMs: came.map { Report.milliseconds($0.time) },
            asExpected: answer.isAsExpected, problem: problem)
    }
}
