import Base
import PinFormats
import Pinning

/// The differences in hosts and pins between sources that should agree, by the rules of each source's client: an entry
/// for `**.example.com` in one is compared with one for `api.example.com` in the other.
struct Drift {
    let sources: [LintSource]

    func findings() -> [Finding] {
        let configured = sources.filter { !$0.patterns.isEmpty }
        let patterns = configured.count > 1 ? configured.flatMap(\.patterns).grouped(by: \.sample) : []
        return patterns.flatMap { findings($0.elements[0], in: configured) } + loosePins()
    }

    private func findings(_ pattern: HostPattern, in configured: [LintSource]) -> [Finding] {
        let views = configured.map { HostView(of: pattern, in: $0) }
        let present = views.compactMap { $0 }
        guard let first = present.first else { return [] }
        let host = pattern.short
        var findings: [Finding] = []
        // A broken source may have the host in a part that could not be read.
        for (source, view) in zip(configured, views)
        where view == nil && source.readings.allSatisfy(\.problems.isEmpty)
            && !first.keys.allSatisfy(source.codeKeys.contains)
        {
            findings.append(
                finding(
                    .driftHosts, at: source.place, host, "\(shortened(host)) is pinned", in: first.spot,
                    remedy: "pin it here too, or leave it out there"))
        }
        for (index, view) in present.enumerated() where view.isComplete {
            let others = present.indices.filter { $0 != index }.map { present[$0] }
            findings += missing(view.known, of: others.map { ($0.spot, $0.keys) }, at: view.spot, host: host)
        }
        return findings + (pattern.depth == .oneLabel ? [] : subdomains(host, present))
    }

    private func missing(
        _ keys: [SHA256Digest], of others: [(spot: PinPlace, keys: [SHA256Digest])], at spot: PinPlace, host: String?
    ) -> [Finding] {
        let own = Set(keys)
        let lacking = others.map { other in (spot: other.spot, keys: other.keys.filter { !own.contains($0) }) }
        guard let other = lacking.first(where: { !$0.keys.isEmpty }) else { return [] }
        let names = listed(other.keys.lazy.map(\.description), first: 3)
        return [
            finding(
                .driftPins, at: spot, host,
                "\(names) \(other.keys.count == 1 ? "is" : "are") pinned"
                    + (host.map { " for \(shortened($0))" } ?? ""), in: other.spot,
                remedy: "pin the same keys in both")
        ]
    }

    private func finding(
        _ kind: FindingID, _ level: Finding.Level = .warning, at spot: PinPlace, _ host: String?, _ sentence: String,
        in other: PinPlace, remedy: String
    ) -> Finding {
        Finding(
            kind, level, "\(sentence) in \(shortened(other.description, isPublic: true)) and not here", at: spot,
            of: host, remedy: .advice(remedy))
    }

    private func subdomains(_ host: String, _ views: [HostView]) -> [Finding] {
        guard let widest = views.max(by: { $0.reach < $1.reach }) else { return [] }
        return views.filter { $0.reach < widest.reach }.map { view in
            let names = "names \(view.reach == .oneLabel ? "two and more labels " : "")below \(shortened(host))"
            // Apple's NSIncludesSubdomains covers names one label below a host and no deeper ones.
            let isAllItCan = view.isApples && view.reach == .oneLabel
            return finding(
                .driftSubdomains, isAllItCan ? .note : .warning, at: view.spot, host, "\(names) are pinned",
                in: widest.spot,
                remedy: isAllItCan
                    ? "give deeper names entries of their own" : "include subdomains in both or in neither")
        }
    }

    /// Compares pins for any host with the pins for all hosts of the other sources.
    private func loosePins() -> [Finding] {
        let pinned = sources.filter { !$0.sets.isEmpty || !$0.codeKeys.isEmpty }
        guard pinned.contains(where: \.patterns.isEmpty), pinned.count > 1 else { return [] }
        let keys = pinned.map { ($0.sets.flatMap(\.keys) + $0.codeKeys).distinct }
        return pinned.indices.flatMap { index -> [Finding] in
            let source = pinned[index]
            guard !source.sets.contains(where: \.isIncomplete) else { return [] }
            let others = pinned.indices.filter { other in
                pinned[other].name != source.name && (source.patterns.isEmpty || pinned[other].patterns.isEmpty)
            }
            return missing(keys[index], of: others.map { (pinned[$0].place, keys[$0]) }, at: source.place, host: nil)
        }
    }
}

/// The pins of one source for one host, by the rules of its clients.
private struct HostView {
    enum Reach: Comparable { case nameAlone, oneLabel, anyNumber }

    let spot: PinPlace
    let keys: [SHA256Digest]
    /// The keys, and those in the source's code, which may be for the hosts.
    let known: [SHA256Digest]
    /// `true` if every pin could be read, so that ``keys`` is complete.
    let isComplete: Bool
    let reach: Reach
    let isApples: Bool

    /// The view of the hosts of `pattern`; `nil` if `source` pins nothing for them.
    init?(of pattern: HostPattern, in source: LintSource) {
        let policies = source.policies(for: pattern.sample)
        let entries = policies.flatMap(\.policy).filter { entry in
            if entry.isExcluded { return false }
            // An empty list is a rule, too: it accepts no certificate.
            if case .positions(let leaf, let authorities) = entry.identities {
                return leaf != nil || authorities != nil
            }
            return !entry.pins.isEmpty
        }
        guard let first = entries.first else { return nil }
        spot = first.origin.named(source.name)
        keys = entries.flatMap(\.pins).map(\.spkiSHA256).distinct
        known = keys + source.codeKeys
        isComplete = entries.allSatisfy { entry in
            !source.readings.contains { $0.incompleteEntries.contains(entry.origin) }
        }
        reach =
            entries.compactMap(\.hosts).map { hosts in
                switch hosts.depth {
                case .anyNumber: .anyNumber
                case .oneLabel, .upToOneLabel: hosts.name == pattern.name ? .oneLabel : .nameAlone
                case .exact: .nameAlone
                }
            }.max() ?? .nameAlone
        isApples = policies.map(\.kind) == [.nsPinnedDomains]
    }
}
