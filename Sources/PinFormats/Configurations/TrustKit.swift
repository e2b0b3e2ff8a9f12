import Base
import Pinning
import X509

/// Reads `TSKConfiguration` of a property list or JSON; reports mistakes for which TrustKit throws when the app starts.
struct TrustKitReader {
    /// The value of kTSKExcludeSubdomainFromParentPolicy, which lacks the T in every version (TSKTrustKitConfig.m).
    static let exclusion = "kSKExcludeSubdomainFromParentPolicy"
    /// The key that exempts user-installed roots from pinning on macOS; its default is true.
    static let userAnchors = "TSKIgnorePinningForUserDefinedTrustAnchors"
    private static let keys = [
        "TSKIncludeSubdomains", "TSKEnforcePinning", "TSKPublicKeyHashes", "TSKPublicKeyAlgorithms",
        "TSKExpirationDate", "TSKReportUris", "TSKDisableDefaultReportUri", "TSKAdditionalTrustAnchors", exclusion,
    ]

    /// `true` if a dictionary has domains, even under `kTSKPinnedDomains`, the name of the constant in code.
    static func hasDomains(_ node: DocumentNode) -> Bool {
        node["TSKPinnedDomains"] != nil || node["kTSKPinnedDomains"] != nil
    }

    static func read(_ node: DocumentNode, into reading: inout PinReading) throws(Problem) {
        guard let pinned = node["TSKPinnedDomains"] else {
            throw Problem(
                .missingValue, at: node.place, "has no TSKPinnedDomains, and TrustKit throws for it",
                remedy: hasDomains(node) ? "did you mean 'TSKPinnedDomains' by 'kTSKPinnedDomains'?" : nil)
        }
        let members = try pinned.dictionary()
        guard !members.isEmpty else {
            throw Problem(
                .missingValue, at: pinned.place, "TrustKit throws when the app starts: kTSKPinnedDomains is empty",
                remedy: "add a domain with its TSKPublicKeyHashes")
        }
        reading.noteUnknown(
            in: node, of: "TrustKit", ["TSKPinnedDomains", "TSKSwizzleNetworkDelegates", userAnchors],
            prefixes: ["TSK", "kTSK", "kSK"])
        var entries = reading.entries(in: members, entry)
        let exemption = try node[userAnchors]?.boolValue()
        for index in entries.indices { entries[index].exemptsInstalledRoots = exemption }
        try checkRules(entries, of: pinned, into: &reading)
        reading.configurations.append(PinConfiguration(.trustKit, entries: entries))
    }

    private static func checkRules(
        _ entries: [HostEntry], of pinned: DocumentNode, into reading: inout PinReading
    ) throws(Problem) {
        let parents = HostIndex(entries.filter(\.includesSubdomains).map { ($0.hosts, $0) })
        for entry in entries {
            let name = entry.hosts?.name ?? ""
            let violations = TrustKit.violations(
                of: entry, among: parents.covering(name), publicSuffix: SystemPublicSuffixList.publicSuffix,
                isRegistry: SystemPublicSuffixList.isRegistry)
            for violation in violations {
                var remedy: String?
                if violation.kind == .trustKitTooFewPins {
                    // An entry with a wrong pin already has its own problem.
                    if reading.incompleteEntries.contains(entry.origin) { continue }
                    let unknown = (pinned[name]?.members ?? []).filter { !keys.contains($0.key) }
                    remedy = unknown.lazy.compactMap {
                        Suggestion.nearest(to: $0.key, in: ["TSKPublicKeyHashes", exclusion])
                    }.first.map { "did you mean '\($0)'?" }
                }
                reading.report(
                    violation.kind, at: entry.origin,
                    "TrustKit throws when the app starts: \(shortened(violation.message, to: 400))",
                    remedy: remedy)
            }
        }
    }

    private static func entry(
        _ name: String, _ settings: DocumentNode, into reading: inout PinReading
    ) throws(Problem) -> HostEntry {
        let isExcluded = try settings[exclusion]?.boolValue() ?? false
        reading.noteUnknown(in: settings, of: "TrustKit", keys, prefixes: ["TSK", "kTSK", "kSK"])
        guard !isExcluded || settings.members?.count == 1 else {
            throw Problem(
                .trustKitExclusionNotAlone, at: settings.place,
                "\(exclusion) is not the only key of '\(shortened(name, to: 80))', and TrustKit throws for it",
                remedy: "remove the others")
        }
        let includesSubdomains = try settings["TSKIncludeSubdomains"]?.boolValue() ?? false
        // The exclusion covers one name: names below it keep the policy of a parent that includes its subdomains.
        // TrustKit compares a name as it is written.
        _ = try HostText.name(name, at: settings.place)
        let hosts = HostPattern(text: name, includesSubdomains ? .anyNumber : .exact)
        if !isExcluded { reading.noteIfUnmatchable(hosts, by: "TrustKit", at: settings.place) }
        let pins = reading.pins(in: try settings["TSKPublicKeyHashes"]?.array() ?? [])
        if let algorithms = settings["TSKPublicKeyAlgorithms"] {
            reading.note(
                .ignored, at: algorithms.place, "TSKPublicKeyAlgorithms means nothing since TrustKit 1.6: remove it")
        }
        var entry = HostEntry(hosts: hosts, origin: settings.place, identities: .anywhere(pins))
        entry.enforcesPinning = try settings["TSKEnforcePinning"]?.boolValue() ?? true
        entry.expiration = try settings["TSKExpirationDate"].map(expiration)
        entry.isExcluded = isExcluded
        for uri in try settings["TSKReportUris"]?.array() ?? [] { entry.reportURIs.append(try uri.text()) }
        return entry
    }

    /// Reads a date; TrustKit ignores a malformed string and throws for other types (`parse_configuration.m`).
    private static func expiration(_ date: DocumentNode) throws(Problem) -> Timestamp {
        if let text = date.dateElement {
            throw Problem(
                .badDate, at: date.place, "TrustKit reads text here, and throws for a <date>",
                remedy: "write <string>\(shortened(text, to: 40))</string>")
        }
        do { return try date.midnight() } catch {
            let reason = "\(error.reason), and TrustKit reads none from it: the pins never expire"
            throw error.with(reason: reason, advice: error.advice)
        }
    }
}
