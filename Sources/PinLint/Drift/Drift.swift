internal import Base
internal import PinFormats
internal import Pinning

/// The pins, hosts and settings in which sources differ that should say the same.
///
/// Hosts are looked up in each source by the rules of its client, so that `**.example.com` in one and an entry for
/// `api.example.com` in the other are compared for what they mean.
struct Drift {
    private let sources: [LintSource]
    private let scene: LintScene

    init(_ sources: [LintSource], _ scene: LintScene) {
        self.sources = sources
        self.scene = scene
    }

    /// Every difference, host by host in the order of the sources.
    func findings() -> [LintFinding] {
        let configured = sources.filter { !$0.index.patterns.isEmpty }
        var findings: [LintFinding] = []
        if configured.count > 1 {
            var seen: Set<ServerName> = []
            for pattern in configured.flatMap(\.index.patterns) where seen.insert(pattern.sample).inserted {
                findings += self.findings(pattern, in: configured)
            }
        }
        return findings + loosePins()
    }

    private func findings(_ pattern: HostPattern, in configured: [LintSource]) -> [LintFinding] {
        let views = configured.map { HostView(of: pattern, in: $0, scene) }
        let present = views.compactMap { $0 }
        guard let first = present.first else { return [] }
        let host = pattern.short
        var findings: [LintFinding] = []
        for (source, view) in zip(configured, views) where view == nil {
            // A source that is broken may well have the host where it could not be read.
            guard source.inspections.allSatisfy(\.problems.isEmpty) else { continue }
            findings.append(
                LintFinding(
                    .driftHosts, at: source.place, host: host,
                    "\(shortened(host)) is pinned in \(shortened(first.place.description, isPublic: true)) and not here",
                    remedy: "pin it here too, or leave it out there"))
        }
        return findings + missingPins(host, present) + Settings(host: host, views: present).findings(pattern)
    }

    private func missingPins(_ host: String, _ views: [HostView]) -> [LintFinding] {
        views.enumerated().compactMap { index, view in
            guard view.isComplete else { return nil }
            let others = views.indices.filter { $0 != index }.map { views[$0] }
            return missing(
                view.keys, of: others.map { (name: $0.place.description, keys: $0.keys) }, at: view.place, host: host)
        }
    }

    /// What `keys` lack that others have.
    private func missing(
        _ keys: [SHA256Digest], of others: [(name: String, keys: [SHA256Digest])], at place: LintPlace, host: String?
    ) -> LintFinding? {
        let own = Set(keys)
        let lacking = others.map { (name: $0.name, keys: $0.keys.filter { !own.contains($0) }) }
        guard let other = lacking.first(where: { !$0.keys.isEmpty }) else { return nil }
        let names = listed(other.keys.lazy.map(\.description), first: 3)
        return LintFinding(
            .driftPins, at: place, host: host,
            "\(names) \(other.keys.count == 1 ? "is" : "are") pinned" + (host.map { " for \(shortened($0))" } ?? "")
                + " in \(shortened(other.name, isPublic: true)) and not here", remedy: "pin the same keys in both")
    }

    /// Pins for whatever host, held against those that all hosts of the others have together.
    private func loosePins() -> [LintFinding] {
        let pinned = sources.filter { !$0.sets.isEmpty }
        guard pinned.contains(where: \.isLoose), pinned.count > 1 else { return [] }
        return pinned.compactMap { source in
            guard !source.sets.contains(where: \.isIncomplete) else { return nil }
            let others = pinned.filter { $0.name != source.name && (source.isLoose || $0.isLoose) }
            return missing(source.keys, of: others.map { (name: $0.name, keys: $0.keys) }, at: source.place, host: nil)
        }
    }
}

extension LintSource {
    /// Whether it configures no host.
    fileprivate var isLoose: Bool { index.patterns.isEmpty }

    /// The different keys of all its sets, in their order.
    fileprivate var keys: [SHA256Digest] {
        var seen: Set<SHA256Digest> = []
        return sets.flatMap(\.keys).filter { seen.insert($0).inserted }
    }
}
