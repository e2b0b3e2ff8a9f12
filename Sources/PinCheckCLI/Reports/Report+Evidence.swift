import PinChecking
import Pinning
import X509

extension Report {
    struct Transparency: DocumentObject {
        var timestamps: [SCT]
        /// How many logs they are from.
        var logs: Int
        /// How many could not be read.
        var unreadable: Int
    }

    struct SCT: DocumentObject {
        /// What the log is known by, the SHA-256 of its key in hexadecimal digits.
        var logId: String
        /// What `--ct-logs` calls the log, `nil` where it does not have it.
        var log: String?
        var time: String
        /// `certificate`, `handshake` or `staple`.
        var source: String
        /// Whether the log's key made the signature, `nil` where the key is not known.
        var signatureIsValid: Bool?
    }

    struct Revocation: DocumentObject {
        /// `none`, `good`, `revoked`, `unknown`, `outdated` or `unusable`.
        var staple: String
        var thisUpdate: String?
        var nextUpdate: String?
        var revokedAt: String?
        /// Why it says nothing about the certificate.
        var problem: String?
    }
}

extension Report.Transparency {
    /// Reports the timestamps.
    init(_ served: ServedEvidence) {
        self.init(
            timestamps: served.timestamps.map { item in
                Report.SCT(
                    logId: item.timestamp.logID.hexadecimal, log: item.log?.name, time: item.timestamp.time.description,
                    source: item.timestamp.source.rawValue, signatureIsValid: item.isSigned)
            }, logs: Set(served.timestamps.map(\.timestamp.logID)).count, unreadable: served.unreadable)
    }
}

extension Report.Revocation {
    /// Reports a response.
    init(_ response: ServedEvidence.Response) {
        switch response {
        case .none: self.init(staple: "none")
        case .current(let staple): self.init(staple, isCurrent: true)
        case .outdated(let staple): self.init(staple, isCurrent: false)
        case .unusable(let error): self.init(staple: "unusable", problem: error.description)
        case .withoutIssuer: self.init(staple: "unusable", problem: "the certificate's issuer is not at hand")
        }
    }

    private init(_ response: Staple, isCurrent: Bool) {
        var revokedAt: Timestamp?
        let status: String
        switch response.status {
        case .good: status = "good"
        case .unknown: status = "unknown"
        case .revoked(let time, _):
            status = "revoked"
            revokedAt = time
        }
        self.init(
            staple: isCurrent ? status : "outdated", thisUpdate: response.thisUpdate.description,
            nextUpdate: response.nextUpdate?.description, revokedAt: revokedAt?.description)
    }
}

// The keys of the document.

extension Report.Transparency {
    static let definition: String? = "transparency"

    static let fields: DocumentFields<Report.Transparency> = [
        DocumentField("timestamps", \.timestamps),
        DocumentField("logs", \.logs, "How many logs they are from.", as: .atLeast(0)),
        DocumentField("unreadable", \.unreadable, as: .atLeast(0)),
    ]
}

extension Report.SCT {
    static let fields: DocumentFields<Report.SCT> = [
        DocumentField("log_id", \.logId, as: .sha256),
        DocumentField("log", \.log, "The name in --ct-logs; null without one."),
        DocumentField("time", \.time, as: .time),
        DocumentField("source", \.source, as: .words(["certificate", "handshake", "staple"])),
        DocumentField(
            "signature_is_valid", \.signatureIsValid, "Whether the log's key made it; null where the key is not known."),
    ]
}

extension Report.Revocation {
    static let definition: String? = "revocation"

    static let fields: DocumentFields<Report.Revocation> = [
        DocumentField("staple", \.staple, as: .words(["none", "good", "revoked", "unknown", "outdated", "unusable"])),
        DocumentField("this_update", \.thisUpdate, as: .time), DocumentField("next_update", \.nextUpdate, as: .time),
        DocumentField("revoked_at", \.revokedAt, as: .time),
        DocumentField("problem", \.problem, "Why it says nothing about the certificate."),
    ]
}
