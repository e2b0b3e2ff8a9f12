package import PinFormats
package import Pinning
internal import X509

/// Judges sources of pins without a network: each by itself, and all against each other.
package struct Linter: Sendable {
    /// The moment to judge by.
    package let now: Timestamp
    /// An end of which less is left than this is near.
    package let warnBefore: Threshold
    /// The clients that ship the pins, as they are named elsewhere; empty when nobody said.
    package let clients: Set<String>

    /// A linter for one moment.
    package init(now: Timestamp, warnBefore: Threshold, clients: Set<String> = []) {
        self.now = now
        self.warnBefore = warnBefore
        self.clients = clients
    }

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
        BackupPinRule(),
        DuplicatePinRule(),
        ExpirationRule(), OverlappingHostsRule(), TrustKitRule(), TrustKitAndroidRule(), NSPinnedDomainsRule(),
        OkHttpPatternRule(), BundleRule(), ClientInputRule(), ReaderNotesRule(),
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

/// What rules know beside the source they look at.
struct LintScene {
    let linter: Linter
    let suffixes = SystemPublicSuffixList()
    /// The whole keys behind pins, from whichever source has them.
    let publicKeys: [SHA256Digest: PublicKey]

    init(_ linter: Linter, _ sources: [LintSource]) {
        self.linter = linter
        var keys: [SHA256Digest: PublicKey] = [:]
        for inspection in sources.flatMap(\.inspections) {
            keys.merge(inspection.publicKeys) { old, _ in old }
            for certificate in inspection.pins.compactMap(\.certificate) {
                keys[certificate.publicKey.spkiSHA256] = certificate.publicKey
            }
        }
        publicKeys = keys
    }

    /// Whether `time` is past.
    func isPast(_ time: Timestamp) -> Bool { time < linter.now }

    /// Whether the end of a certificate is to come and near.
    func isNearEnd(of certificate: Certificate) -> Bool {
        !isPast(certificate.notAfter)
            && linter.warnBefore.isReached(at: linter.now, from: certificate.notBefore, to: certificate.notAfter)
    }

    /// Whether a date from which on pins do not count is to come and near; they have no beginning to be a part of.
    func isNear(expiration time: Timestamp) -> Bool {
        guard case .seconds = linter.warnBefore else { return false }
        return !isPast(time) && linter.warnBefore.isReached(at: linter.now, from: linter.now, to: time)
    }

    /// Whether the user said that one of these clients ships the pins.
    func isFor(_ clients: String...) -> Bool { clients.contains { linter.clients.contains($0) } }
}

/// One rule, or rules of one subject.
protocol LintRule: Sendable {
    /// What the rule finds in one source.
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding]
}
