import Base
import PinChecking
import PinFormats
import Pinning
import TLSProbe

/// What is judged for, what is ahead, what changed, and what connections differ in.
extension Report {
    struct Devices: Encodable {
        let file: String?
        let source: String
        let date: String
        let ageDays: Int
        let isStale: Bool
        let judged: [Device]

        /// Whether the devices' own roots play no part, so that their date says nothing.
        var useGivenAnchorsAlone: Bool { judged.allSatisfy { $0.trust == .anchors } }
    }

    struct Device: Encodable {
        let name: String
        let platform: String?
        let release: String?
        let read: String?
        let trust: HostPolicy.Trust
        let verdict: VerdictWord
    }

    /// What is about to be deployed.
    struct Next: Encodable {
        let kind: NextItem.Kind
        let pin: String
        let assumed: Bool
        let issuers: [String]
    }
}

extension Report {
    /// How long the verdict will last, as far as can be told.
    struct Outlook: Encodable {
        let level: PinChecking.Outlook.Finding.Level
        var validUntil: Timestamp?
        var renewalPoint: Timestamp?
        var pinsMatchUntil: Timestamp?
        var pinsEnd: String?
        var noPinAfter: Timestamp?
        var pinsExpire: Timestamp?
        let hasBackup: Bool
        let pins: [Standing]
        let findings: [Finding]

        struct Standing: Encodable {
            let pin: Int
            var depth: Int?
            var until: Timestamp?
            let compared: Bool
            let backup: Bool
        }

        struct Finding: Encodable {
            let id: String
            let level: PinChecking.Outlook.Finding.Level
            let message: String
            /// Whether the reason of the result says it.
            let isTold: Bool
        }
    }

    /// What changed since a baseline.
    struct Change: Encodable {
        let baseline: String
        let status: BaselineChanges.Status
        let comparedWith: String?
        let classes: [Class]

        struct Class: Encodable {
            let id: String
            let old: String?
            let new: String?
            let oldCertificate: JSONObject?
            let newCertificate: JSONObject?
            let allowed: Bool
        }
    }

    /// Which of a target's variants a report is about.
    struct Variant: Encodable {
        let label: String
        var keyType: String?
        let counts: Bool
        /// Where it stands among others, whatever the order they came in.
        var rank = 0
    }

    /// What the variants of a target have in common and where they differ.
    struct Consistency: Encodable {
        var consistent: Bool?
        let addresses: Int
        let accepted: Int
        let rejected: Int
        let unreachable: Int
        let findings: [Finding]
        /// Whether some differ as a baseline has recorded them.
        let hasKnownDifferences: Bool
        /// How many of the accepted gave another answer than expected.
        var answeringOtherwise = 0
        let exit: ExitStatus

        /// Whether any variant was judged rather than only recorded.
        var hasVerdicts: Bool { accepted + rejected > 0 }

        func says(_ warning: Message) -> Bool {
            findings.contains { $0.id == warning.id && $0.message == warning.message }
        }

        struct Finding: Encodable {
            let id: String
            let level: PinChecking.Finding.Level
            let message: String
        }
    }
}

// Words of the engine that are written as they are.
extension PinChecking.Outlook.Finding.Level: Encodable {}
extension PinChecking.Finding.Level: Encodable {}
extension BaselineChanges.Status: Encodable {}
extension HostPolicy.Trust: Encodable {}
extension NextItem.Kind: Encodable {}

extension Report.Devices {
    /// Reports the devices of a result, `nil` where none was named.
    init?(_ result: CheckResult) {
        guard let policy = result.policy, let lists = policy.lists else { return nil }
        self.init(
            file: lists.file, source: lists.data.source, date: lists.data.date.date,
            ageDays: lists.data.age(at: result.time), isStale: lists.data.isStale(at: result.time),
            judged: policy.devices.map { device in
                let verdicts = result.clients.filter { $0.device == device.name }.map(\.isAccepted)
                return Report.Device(
                    name: device.name, platform: device.device?.platform.rawValue, release: device.device?.release,
                    read: device.device?.date.date, trust: device.trust,
                    verdict: verdicts.contains(false) ? .reject : verdicts.contains(true) ? .accept : .none)
            })
    }
}

extension Report.Next {
    init(_ next: NextDeployment) {
        self.init(
            kind: next.item.kind, pin: next.item.item.spkiSHA256.description, assumed: next.assumedIssuers != nil,
            issuers: next.assumedIssuers ?? [])
    }
}

extension Report.Outlook {
    init(_ outlook: PinChecking.Outlook, told: PinChecking.Outlook.Finding? = nil) {
        let backups = Set(outlook.backups)
        self.init(
            level: outlook.level, validUntil: outlook.validUntil, renewalPoint: outlook.renewalPoint,
            pinsMatchUntil: outlook.pinsMatchUntil, pinsEnd: outlook.end?.rawValue, noPinAfter: outlook.noPinAfter,
            pinsExpire: outlook.pinsExpire, hasBackup: outlook.hasBackup,
            pins: outlook.pins.enumerated().map { index, pin in
                Standing(
                    pin: index, depth: pin.depth, until: pin.until, compared: pin.isCompared,
                    backup: backups.contains(index))
            },
            findings: outlook.findings.map { finding in
                Finding(
                    id: finding.id, level: finding.level, message: TerminalText.escaped(finding.message),
                    isTold: finding == told)
            })
    }
}

extension Report.Change {
    init(_ changes: BaselineChanges) {
        self.init(
            baseline: changes.baseline, status: changes.status, comparedWith: changes.comparedWith,
            classes: changes.changes.map { change in
                Class(
                    id: change.kind.rawValue, old: change.old, new: change.new,
                    oldCertificate: change.oldCertificate.map(Self.certificate),
                    newCertificate: change.newCertificate.map(Self.certificate),
                    allowed: changes.allowed.contains(change.kind))
            })
    }

    private static func certificate(_ certificate: Snapshot.Certificate) -> JSONObject {
        [
            "subject": certificate.subject, "issuer": certificate.issuer, "key": certificate.key,
            "spki_sha256": certificate.spkiSHA256, "cert_sha256": certificate.certificateSHA256,
            "not_before": certificate.notBefore, "not_after": certificate.notAfter, "names": certificate.names,
        ]
    }
}

extension Report.Variant {
    init(_ variant: Variant) {
        var keyType: String?
        if case .keyType(let type) = variant { keyType = type.rawValue }
        self.init(label: variant.label ?? "ordinary", keyType: keyType, counts: variant.counts, rank: variant.rank)
    }
}

extension Report.Consistency {
    init(_ consistency: AddressComparison) {
        self.init(
            consistent: consistency.isConsistent, addresses: consistency.addresses, accepted: consistency.accepted,
            rejected: consistency.rejected, unreachable: consistency.unreachable,
            findings: consistency.findings.map { finding in
                let message = Report.Message(finding.reason)
                return Finding(id: message.id, level: finding.level, message: message.message)
            }, hasKnownDifferences: consistency.hasKnownDifferences, answeringOtherwise: consistency.answeringOtherwise,
            exit: .worst(consistency.outcomes.map(ExitStatus.init)))
    }
}
