package import PinFormats

extension Linter {
    /// Everything that is found, source by source in the order of the places, then what sources differ in.
    package func findings(in inspections: [PinInspection]) -> [LintFinding] {
        let sources = LintSource.sources(inspections)
        let scene = LintScene(self, sources)
        var findings: [LintFinding] = []
        for source in sources {
            findings += inOrder(obstacles(in: source) + Self.rules.flatMap { $0.findings(in: source, scene) })
        }
        if sources.count > 1 { findings += Drift(sources, scene).findings() }
        return distinct(findings)
    }

    private static let rules: [any LintRule] = [
        CertificateValidityRule(), LeafCertificateRule(), AppleLeafRule(), AuthorityPinRule(), WeakCryptographyRule(),
        BackupPinRule(), DuplicatePinRule(), ExpirationRule(), OverlappingHostsRule(), TrustKitRule(),
        NSPinnedDomainsRule(), TransportSecurityRule(), OkHttpPatternRule(), AndroidTrustRule(), BundleRule(),
        ClientInputRule(), ReaderNotesRule(),
    ]

    private func obstacles(in source: LintSource) -> [LintFinding] {
        source.inspections.flatMap { inspection in
            inspection.problems.map { LintFinding($0, at: LintPlace($0.place, in: source.name)) }
        }
    }

    /// The findings of one source by their places, those of one place in the order of the rules.
    private func inOrder(_ findings: [LintFinding]) -> [LintFinding] {
        findings.enumerated().sorted { left, right in
            let (first, second) = (left.element.place, right.element.place)
            let names = (first.file ?? "", second.file ?? "")
            if names.0 != names.1 { return names.0.utf8.lexicographicallyPrecedes(names.1.utf8) }
            let lines = (first.line ?? 0, second.line ?? 0)
            return lines.0 != lines.1 ? lines.0 < lines.1 : left.offset < right.offset
        }.map(\.element)
    }

    /// Each finding once: domains that share one list of pins share what is found of it.
    private func distinct(_ findings: [LintFinding]) -> [LintFinding] {
        struct Key: Hashable {
            let id: String
            let place: LintPlace
            let message: String
        }
        var seen: Set<Key> = []
        return findings.filter { seen.insert(Key(id: $0.id, place: $0.place, message: $0.message)).inserted }
    }
}
