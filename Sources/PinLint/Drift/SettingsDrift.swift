internal import Base
internal import Pinning

extension Drift {
    /// The settings of one host in which sources differ.
    struct Settings {
        let host: String
        /// What the sources say of it, at least one.
        let views: [HostView]

        func findings(_ pattern: HostPattern) -> [LintFinding] {
            (pattern.depth == .oneLabel ? [] : subdomains()) + expirations() + enforcements()
        }

        private func subdomains() -> [LintFinding] {
            guard let widest = views.max(by: { $0.reach < $1.reach }) else { return [] }
            return views.filter { $0.reach < widest.reach }.map { view in
                let names =
                    view.reach == .oneLabel
                    ? "names two and more labels below \(shortened(host))" : "names below \(shortened(host))"
                return LintFinding(
                    .driftSubdomains,
                    // The system has no way to say more.
                    view.isApples && view.reach == .oneLabel ? .note : nil, at: view.place, host: host,
                    "\(names) are pinned in \(shortened(widest.place.description, isPublic: true)) and not here",
                    remedy: view.isApples && view.reach == .oneLabel
                        ? "give deeper names entries of their own" : "include subdomains in both or in neither")
            }
        }

        private func expirations() -> [LintFinding] {
            guard let first = views.first(where: { $0.expiration != nil }), let date = first.expiration else {
                return []
            }
            return views.filter { $0.expiration != date }.map { view in
                LintFinding(
                    .driftExpiration, view.mayExpire ? nil : .note, at: view.place, host: host,
                    "the pins of \(shortened(host)) expire on \(date.date) in \(shortened(first.place.description, isPublic: true)) and "
                        + (view.expiration.map { "on \($0.date) here" } ?? "never here"),
                    remedy: view.mayExpire ? "give both the same date" : nil)
            }
        }

        private func enforcements() -> [LintFinding] {
            guard let first = views.first(where: \.isEnforced) else { return [] }
            return views.filter { !$0.isEnforced }.map { view in
                LintFinding(
                    .driftEnforcement, at: view.place, host: host,
                    "a mismatch for \(shortened(host)) is only reported here, and blocks the connection in "
                        + shortened(first.place.description, isPublic: true), remedy: "enforce it in both or in neither"
                )
            }
        }
    }
}
