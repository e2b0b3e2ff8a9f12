internal import Base
internal import Pinning

/// The dates of pinned certificates, which certificate mode goes by.
struct CertificateValidityRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        source.sets.flatMap { set in
            let certificates = set.certificates
            guard let last = certificates.max(by: { $0.certificate.notAfter < $1.certificate.notAfter }) else {
                return [LintFinding]()
            }
            var findings = certificates.compactMap { finding($0.certificate, $0.place, last.certificate, scene) }
            let end = last.certificate.notAfter
            if set.kind == nil, !scene.isPast(end), !scene.isNearEnd(of: last.certificate) {
                findings.append(
                    LintFinding(
                        .certificateModeEnds, at: last.place,
                        "an app in certificate mode stops working on \(end.date)"
                            + (certificates.count > 1 ? ", with the last of \(certificates.count) certificates" : ""),
                        remedy: "ship its successor before"))
            }
            return findings
        }
    }

    private func finding(
        _ certificate: Certificate, _ place: LintPlace, _ last: Certificate, _ scene: LintScene
    ) -> LintFinding? {
        let name = shortened(certificate.description)
        let end = certificate.notAfter
        let isLast = last.notAfter == end
        if scene.isPast(end) {
            return LintFinding(
                .pinnedCertificateExpired, isLast ? .error : .warning, at: place,
                "\(name) expired on \(end.date)"
                    + (isLast ? ": an app in certificate mode has stopped working" : ", and others are still valid"),
                remedy: isLast ? "pin its successor, or keys" : "remove it")
        }
        if scene.isNearEnd(of: certificate) {
            return LintFinding(
                .pinnedCertificateExpiresSoon, at: place,
                isLast
                    ? "an app in certificate mode stops working on \(end.date), when \(name) expires"
                    : "\(name) expires on \(end.date)", remedy: "ship its successor beside it")
        }
        guard scene.linter.now < certificate.notBefore else { return nil }
        return LintFinding(
            .pinnedCertificateNotYetValid, at: place, "\(name) is valid from \(certificate.notBefore.date) on",
            remedy: "keep what it succeeds until then")
    }
}
