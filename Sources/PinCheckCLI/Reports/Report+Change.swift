import Pinning
import Rotation

extension Report {
    /// What changed since a baseline.
    struct Change: Encodable, Sendable {
        /// The file with the baseline.
        var baseline: String
        /// `unchanged`, `allowed` when every change is, `changed` otherwise.
        var status: String
        /// The address whose recorded state it was compared with, where the baseline has the target at other addresses only.
        @ExplicitNull var comparedWith: String? = nil
        /// At least one; `unchanged` alone when there is no change.
        var classes: [Class]

        struct Class: Encodable, Sendable {
            /// The kind of change, as `--allow` takes it.
            var id: String
            /// What was, in words.
            @ExplicitNull var old: String? = nil
            /// What is, in words.
            @ExplicitNull var new: String? = nil
            /// The certificate that was, `nil` where the change is about none.
            @ExplicitNull var oldCertificate: Certificate? = nil
            /// The certificate that is.
            @ExplicitNull var newCertificate: Certificate? = nil
            var allowed: Bool
        }

        /// What is recorded of a certificate.
        struct Certificate: Encodable, Sendable {
            var subject: String
            var issuer: String
            /// As in `EC P-256`.
            var key: String
            var spkiSha256: String
            var certSha256: String
            var notBefore: String
            var notAfter: String
            var names: [String]
        }
    }

    /// Adds what changed, and ends otherwise where that is not allowed.
    mutating func add(_ changes: [Rotation.Change], since baseline: Baseline, comparedWith place: String? = nil) {
        let refused = changes.filter { !baseline.policy.allows($0) }
        let isUnchanged = changes.allSatisfy { $0.kind == .unchanged }
        change = Change(
            baseline: baseline.path,
            status: isUnchanged ? "unchanged" : refused.isEmpty ? "allowed" : "changed",
            comparedWith: place,
            classes: changes.map { change in
                Change.Class(
                    id: change.kind.rawValue,
                    old: change.old,
                    new: change.new,
                    oldCertificate: change.oldCertificate.map(Change.Certificate.init),
                    newCertificate: change.newCertificate.map(Change.Certificate.init),
                    allowed: baseline.policy.allows(change)
                )
            }
        )
        guard status == .pass || status == .warn else { return }
        if !refused.isEmpty {
            demote(to: .changed, Message(id: "changed", message: "\(Self.list(refused)) since \(baseline.path)"))
        } else if verdict == .none {
            reason =
                isUnchanged
                ? Message(id: "unchanged", message: "unchanged since \(baseline.path)")
                : Message(id: "changed-as-allowed", message: "\(Self.list(changes)) since \(baseline.path), as allowed")
        }
    }

    private static func list(_ changes: [Rotation.Change]) -> String {
        var ids: [String] = []
        for change in changes where !ids.contains(change.kind.rawValue) { ids.append(change.kind.rawValue) }
        return ids.joined(separator: ", ")
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
