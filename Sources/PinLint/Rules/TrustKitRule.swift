internal import Base
internal import PinFormats
internal import Pinning
internal import X509

/// What TrustKit for iOS asks of its configuration, where that is not the file's own format.
///
/// A `TSKConfiguration` that breaks a rule is malformed, and its reader says so.
struct TrustKitRule: LintRule {
    func findings(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        brokenRules(in: source, scene)
            + source.sets.flatMap { set -> [LintFinding] in
                guard set.isTrustKits || set.kind == nil && scene.isFor("trustkit") else { return [] }
                return unsupportedKeys(in: set, scene) + badReportURIs(set)
                    + [notEnforced(set), tooFewLoosePins(set)].compactMap { $0 }
            }
    }

    private func brokenRules(in source: LintSource, _ scene: LintScene) -> [LintFinding] {
        let sets = source.sets.filter { $0.kind == .reactNative }
        let domains = sets.flatMap(\.entries).compactMap { TrustKitDomain($0, enforcesPinningByDefault: true) }
        return zip(sets, domains).flatMap { set, domain in
            TrustKitConfiguration.violations(of: domain, among: domains, suffixes: scene.suffixes).compactMap {
                violation in
                if case .tooFewPins = violation, set.isIncomplete { return nil }
                guard let id = LintRuleID(rawValue: PinProblem(violation).rawValue) else { return nil }
                return LintFinding(
                    id, at: set.place, host: set.host,
                    "TrustKit, which does the pinning on iOS, throws when the app starts: "
                        + shortened(violation.message(domain.name), to: 400))
            }
        }
    }

    private func tooFewLoosePins(_ set: PinnedSet) -> LintFinding? {
        guard set.kind == nil, set.keys.count < 2, !set.isIncomplete else { return nil }
        return LintFinding(
            .trustKitTooFewPins, at: set.place, "one key is pinned, and TrustKit throws for fewer than two",
            remedy: "add a backup pin")
    }

    private func notEnforced(_ set: PinnedSet) -> LintFinding? {
        guard set.isTrustKits, !set.isExcluded, set.entries.first?.enforcesPinning == false else { return nil }
        return LintFinding(
            .trustKitNotEnforced, at: set.place, host: set.host,
            "pinning is not enforced\(set.forHost): TrustKit reports a mismatch and goes on",
            remedy: "enforce it once the reports are quiet")
    }

    private func unsupportedKeys(in set: PinnedSet, _ scene: LintScene) -> [LintFinding] {
        set.members.compactMap { member in
            guard let key = scene.publicKeys[member.pin.spkiSHA256], !TrustKitHash.isOfSubjectPublicKeyInfo(key) else {
                return nil
            }
            return LintFinding(
                .trustKitUnsupportedKey, at: member.place, host: set.host,
                "the key is \(key.algorithm), which TrustKit cannot hash: it blocks every chain with it",
                remedy: "use RSA with 2048, 3072 or 4096 bits, P-256 or P-384")
        }
    }

    /// URIs from which NSURL makes none.
    private func badReportURIs(_ set: PinnedSet) -> [LintFinding] {
        set.entries.flatMap(\.reportURIs).filter { !Self.isURL($0) }.map { uri in
            LintFinding(
                .trustKitReportURI, at: set.place, host: set.host,
                "'\(shortened(uri))' in TSKReportUris is not a URL: on iOS 16 and older TrustKit throws when the app starts",
                remedy: "write a URL such as https://reports.example.com/pin, with %20 for a space")
        }
    }

    /// Whether a text has only characters that URLs have (RFC 3986, 2).
    private static func isURL(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte) }
    }
}
