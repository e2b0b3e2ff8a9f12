import PinChecking
import Pinning

extension Report {
    struct Transparency: DocumentObject {
        var timestamps: [SCT]
        var logs: Int
    }

    struct SCT: DocumentObject {
        /// What the log is known by, the SHA-256 of its key in hexadecimal digits.
        var logId: String
        var time: String
    }

    struct Revocation: DocumentObject {
        /// `none`, `good`, `revoked` or `unusable`.
        var staple: String
        var revokedAt: String?
        /// Why it does not say that the certificate is good.
        var problem: String?
    }
}

extension Report.Transparency {
    init(_ evidence: LeafEvidence) {
        self.init(
            timestamps: evidence.timestamps.map { item in
                Report.SCT(logId: item.logID.hexadecimal, time: item.time.description)
            }, logs: evidence.logs)
    }
}

extension Report.Revocation {
    init(_ staple: LeafEvidence.Staple) {
        switch staple {
        case .none: self.init(staple: "none")
        case .good: self.init(staple: "good")
        case .revoked(let time, _): self.init(staple: "revoked", revokedAt: time.description)
        case .unusable(let why): self.init(staple: "unusable", problem: why)
        }
    }
}

// The keys of the document.

extension Report.Transparency {
    static let definition: String? = "transparency"

    static let fields: DocumentFields<Report.Transparency> = [
        DocumentField("timestamps", \.timestamps),
        DocumentField("logs", \.logs, "How many logs they are from.", as: .atLeast(0)),
    ]
}

extension Report.SCT {
    static let fields: DocumentFields<Report.SCT> = [
        DocumentField("log_id", \.logId, as: .sha256), DocumentField("time", \.time, as: .time),
    ]
}

extension Report.Revocation {
    static let definition: String? = "revocation"

    static let fields: DocumentFields<Report.Revocation> = [
        DocumentField("staple", \.staple, as: .words(["none", "good", "revoked", "unusable"])),
        DocumentField("revoked_at", \.revokedAt, as: .time),
        DocumentField("problem", \.problem, "Why it does not say that the certificate is good."),
    ]
}
