import Base
import Pinning
import X509

extension ServedEvidence {
    /// What deserves attention beside the verdicts.
    ///
    /// - Parameter isRefused: whether every client refuses the leaf, so that a revocation needs no words besides.
    /// - Returns: a warning for each.
    func findings(isRefused: Bool) -> [Finding] {
        damages.map { error in .warning(id: "damaged-scts", message: "\(error): none of them counts") }
            + (unreadable > 0 ? [unreadableFinding] : []) + signatureFindings + responseFindings(isRefused)
            + (usabilityFinding.map { [$0] } ?? [])
    }

    private var unreadableFinding: Finding {
        .warning(
            id: "damaged-scts",
            message: unreadable == 1
                ? "1 SCT is damaged, of another version or behind too many others, and does not count"
                : "\(unreadable) SCTs are damaged, of another version or behind too many others, and do not count")
    }

    private var signatureFindings: [Finding] {
        var logs: [String] = []
        for item in timestamps where item.isSigned == false {
            let name = item.log?.name ?? "a log"
            if !logs.contains(name) { logs.append(name) }
        }
        return logs.map { name in
            .warning(
                id: "bad-sct-signature",
                message: "the SCT of \(name) is not signed by the log's key, and does not count")
        }
    }

    /// That no timestamp is of a log which the list has as usable, `nil` where one is or nobody gave a list.
    private var usabilityFinding: Finding? {
        guard let logs, !timestamps.isEmpty,
            !timestamps.contains(where: { item in
                item.isSigned != false && item.log?.counts(item.timestamp, at: time) == true
            })
        else { return nil }
        let date = logs.date.map { " of \($0.date)" } ?? ""
        return .warning(
            id: "ct-log-not-usable",
            message: "no SCT is from a log that the list\(date) has as usable at \(time): a platform with this list "
                + "would not count any of them")
    }

    private func responseFindings(_ isRefused: Bool) -> [Finding] {
        let finding: Finding? =
            switch response {
            case .none: nil
            case .withoutIssuer:
                .warning(
                    id: "unusable-staple",
                    message:
                        "the OCSP staple cannot be verified: the certificate's issuer is neither presented nor trusted")
            case .unusable(let error):
                .warning(id: "unusable-staple", message: "\(error); it says nothing about the certificate")
            case .outdated(let staple):
                .warning(
                    id: "staple-expired",
                    message: staple.thisUpdate > time
                        ? "the OCSP staple is not valid before \(staple.thisUpdate): it says nothing about the certificate"
                        : "the OCSP staple expired at \(staple.nextUpdate.map(\.description) ?? "an unknown time"): "
                            + "it says nothing about the certificate")
            case .current(let staple): finding(of: staple.status, isRefused)
            }
        return finding.map { [$0] } ?? []
    }

    private func finding(of status: Staple.Status, _ isRefused: Bool) -> Finding? {
        switch status {
        case .good: nil
        case .unknown:
            .warning(
                id: "staple-unknown", message: "the OCSP staple says that the issuer does not know the certificate")
        case .revoked(let time, _):
            isRefused
                ? nil
                : .warning(
                    id: "certificate-revoked",
                    message:
                        "the certificate was revoked at \(time), by the server's own OCSP staple: not every client looks"
                )
        }
    }
}
