import PinChecking
import Pinning
import X509

extension Report {
    struct Transparency: Encodable, Sendable {
        var timestamps: [SCT]
        /// How many logs they are from.
        var logs: Int
        /// How many could not be read.
        var unreadable: Int
    }

    struct SCT: Encodable, Sendable {
        /// What the log is known by, the SHA-256 of its key in hexadecimal digits.
        var logId: String
        /// What `--ct-logs` calls the log, `nil` where it does not have it.
        @ExplicitNull var log: String?
        var time: String
        /// `certificate`, `handshake` or `staple`.
        var source: String
        /// Whether the log's key made the signature, `nil` where the key is not known.
        @ExplicitNull var signatureIsValid: Bool?
    }

    struct Revocation: Encodable, Sendable {
        /// `none`, `good`, `revoked`, `unknown`, `outdated` or `unusable`.
        var staple: String
        @ExplicitNull var thisUpdate: String? = nil
        @ExplicitNull var nextUpdate: String? = nil
        @ExplicitNull var revokedAt: String? = nil
        /// Why it says nothing about the certificate.
        @ExplicitNull var problem: String? = nil
    }
}

extension Report.Transparency {
    /// Reports the timestamps.
    init(_ served: ServedEvidence) {
        self.init(
            timestamps: served.timestamps.map { item in
                Report.SCT(
                    logId: item.timestamp.logID.hexadecimal,
                    log: item.log?.name,
                    time: item.timestamp.time.description,
                    source: item.timestamp.source.rawValue,
                    signatureIsValid: item.isSigned
                )
            },
            logs: Set(served.timestamps.map(\.timestamp.logID)).count,
            unreadable: served.unreadable
        )
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
            staple: isCurrent ? status : "outdated",
            thisUpdate: response.thisUpdate.description,
            nextUpdate: response.nextUpdate?.description,
            revokedAt: revokedAt?.description
        )
    }
}
