import PinChecking
import Pinning
import Rotation

extension Report {
    /// What changed since a baseline.
    struct Change: Encodable, Sendable {
        /// The file with the baseline.
        let baseline: String
        /// `unchanged`, `allowed` when every change is, `changed` otherwise.
        let status: String
        /// The address whose recorded state it was compared with, where the baseline has the target at other addresses only.
        @ExplicitNull var comparedWith: String? = nil
        /// At least one; `unchanged` alone when there is no change.
        let classes: [Class]

        struct Class: Encodable, Sendable {
            /// The kind of change, as `--allow` takes it.
            let id: String
            /// What was, in words.
            @ExplicitNull var old: String? = nil
            /// What is, in words.
            @ExplicitNull var new: String? = nil
            /// The certificate that was, `nil` where the change is about none.
            @ExplicitNull var oldCertificate: Certificate? = nil
            /// The certificate that is.
            @ExplicitNull var newCertificate: Certificate? = nil
            let allowed: Bool
        }

        /// What is recorded of a certificate.
        struct Certificate: Encodable, Sendable {
            let subject: String
            let issuer: String
            /// As in `EC P-256`.
            let key: String
            let spkiSha256: String
            let certSha256: String
            let notBefore: String
            let notAfter: String
            let names: [String]
        }
    }
}

extension Report.Change {
    /// Reports what changed.
    init(_ changes: BaselineChanges) {
        self.init(
            baseline: changes.baseline,
            status: changes.status.rawValue,
            comparedWith: changes.comparedWith,
            classes: changes.changes.map { change in
                Class(
                    id: change.kind.rawValue,
                    old: change.old,
                    new: change.new,
                    oldCertificate: change.oldCertificate.map(Certificate.init),
                    newCertificate: change.newCertificate.map(Certificate.init),
                    allowed: changes.policy.allows(change)
                )
            }
        )
    }
}

extension Report.Change.Certificate {
    fileprivate init(_ certificate: Snapshot.Certificate) {
        self.init(
            subject: certificate.subject,
            issuer: certificate.issuer,
            key: certificate.key,
            spkiSha256: certificate.spkiSHA256,
            certSha256: certificate.certificateSHA256,
            notBefore: certificate.notBefore.description,
            notAfter: certificate.notAfter.description,
            names: certificate.names
        )
    }
}
