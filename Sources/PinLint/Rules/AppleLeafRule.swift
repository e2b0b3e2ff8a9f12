internal import Base
internal import Pinning

/// Pinned servers' certificates that Apple's platforms refuse from the first day on.
///
/// The certificates of an app are anchors of its own, or end at one that was installed by hand: the limits for public roots are
/// stricter still, and for their authorities to keep.
struct AppleLeafRule: LintRule {
    /// Clients that do not run on Apple's platforms.
    private static let others: Set = ["okhttp", "android", "curl", "hpkp"]

    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        let clients = scene.linter.clients
        guard clients.isEmpty || !clients.isSubset(of: Self.others) else { return [] }
        return source.sets.filter { $0.kind == nil || $0.kind == .appBundle }.flatMap { set in
            set.certificates.filter { !$0.certificate.isAuthority }.flatMap { leaf in
                Platform.apple().objections(toLeaf: leaf.certificate, endingAt: .own).compactMap { failure in
                    finding(failure, leaf.place, set.host)
                }
            }
        }
    }

    private func finding(_ failure: TrustFailure, _ place: LintPlace, _ host: String?) -> LintFinding? {
        let name = shortened(failure.certificate.description)
        switch failure.reason {
        case .lifetimeTooLong(let days, let limit):
            return LintFinding(
                .lifetimeTooLong, at: place, host: host,
                "\(name) is valid for \(days == .max ? "endless" : "\(days)") days and Apple's platforms take \(limit): "
                    + "apps on them fail from the first day on", remedy: "issue it for \(limit) days or fewer")
        case .noServerAuth:
            return LintFinding(
                .noServerAuth, at: place, host: host,
                "\(name) does not say serverAuth (extended key usage): apps on Apple's platforms that make it or its authority "
                    + "an anchor fail from the first day on", remedy: "issue it with extendedKeyUsage = serverAuth")
        default: return nil
        }
    }
}
