import PinChecking
import Pinning

extension Report {
    /// What changed since a baseline.
    struct Change: DocumentObject {
        let baseline: String
        /// `unchanged`, `allowed` when every change is, `changed` otherwise.
        let status: String
        /// The address whose recorded state it was compared with, where the baseline has the target at other addresses only.
        var comparedWith: String?
        /// None where nothing changed.
        let classes: [Class]

        struct Class: DocumentObject {
            /// The kind of change, as `--allow` takes it.
            let id: String
            var old: String?
            var new: String?
            /// The certificate that was, `nil` where the change is about none.
            var oldCertificate: Certificate?
            var newCertificate: Certificate?
            let allowed: Bool
        }

        struct Certificate: DocumentObject {
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
    init(_ changes: BaselineChanges) {
        self.init(
            baseline: changes.baseline, status: changes.status.rawValue, comparedWith: changes.comparedWith,
            classes: changes.changes.map { change in
                Class(
                    id: change.kind.rawValue, old: change.old, new: change.new,
                    oldCertificate: change.oldCertificate.map(Certificate.init),
                    newCertificate: change.newCertificate.map(Certificate.init),
                    allowed: changes.allowed.contains(change.kind))
            })
    }
}

extension Report.Change.Certificate {
    fileprivate init(_ certificate: Snapshot.Certificate) {
        self.init(
            subject: certificate.subject, issuer: certificate.issuer, key: certificate.key,
            spkiSha256: certificate.spkiSHA256, certSha256: certificate.certificateSHA256,
            notBefore: certificate.notBefore.description, notAfter: certificate.notAfter.description,
            names: certificate.names)
    }
}

// The keys of the document.

extension Report.Change {
    static let definition: String? = "change"
    static let meaning: String? = "What changed since a baseline; null without one."

    static let fields: DocumentFields<Report.Change> = [
        DocumentField("baseline", \.baseline, "The file with the baseline."),
        DocumentField("status", \.status, as: .words(BaselineChanges.Status.allCases.map(\.rawValue))),
        DocumentField(
            "compared_with", \.comparedWith,
            "The recorded address it was compared with; null where its own is recorded."),
        DocumentField("classes", \.classes),
    ]
}

extension Report.Change.Class {
    static let fields: DocumentFields<Report.Change.Class> = [
        DocumentField("id", \.id, as: .words(PinChecking.Change.Kind.allCases.map(\.rawValue))),
        DocumentField("old", \.old, "What was, in words."), DocumentField("new", \.new, "What is, in words."),
        DocumentField(
            "old_certificate", \.oldCertificate, "The certificate that was; null where the change is about none."),
        DocumentField("new_certificate", \.newCertificate), DocumentField("allowed", \.allowed),
    ]
}

extension Report.Change.Certificate {
    static let definition: String? = "changedCertificate"

    static let fields: DocumentFields<Report.Change.Certificate> = [
        DocumentField("subject", \.subject), DocumentField("issuer", \.issuer),
        DocumentField("key", \.key, "As in EC P-256."), DocumentField("spki_sha256", \.spkiSha256, as: .pin),
        DocumentField("cert_sha256", \.certSha256), DocumentField("not_before", \.notBefore, as: .time),
        DocumentField("not_after", \.notAfter, as: .time), DocumentField("names", \.names),
    ]
}
