import Base
package import Pinning
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
            throw node.problem(
                .missingValue, "has no TSKPinnedDomains, and TrustKit throws for it",
                hasDomains(node) ? "did you mean 'TSKPinnedDomains' by 'kTSKPinnedDomains'?" : nil)
        }
        let members = try pinned.dictionary()
        guard !members.isEmpty else {
            throw pinned.problem(
                .missingValue, "TrustKit throws when the app starts: kTSKPinnedDomains is empty",
                "add a domain with its TSKPublicKeyHashes")
        }
        reading.noteUnknown(
            in: node, of: "TrustKit", ["TSKPinnedDomains", "TSKSwizzleNetworkDelegates", userAnchors],
            prefixes: ["TSK", "kTSK", "kSK"])
        var entries = reading.entries(in: members, entry)
        let exemption = try node[userAnchors]?.boolValue()
        for index in entries.indices { entries[index].exemptsInstalledRoots = exemption }
        try checkRules(entries, of: pinned, into: &reading)
        reading.add(.trustKit, entries)
    }

    private static func checkRules(
        _ entries: [HostEntry], of pinned: DocumentNode, into reading: inout PinReading
    ) throws(Problem) {
        let parents = HostIndex(entries.filter(\.includesSubdomains).map { ($0.hosts, $0) })
        for entry in entries {
            let name = entry.hosts?.name ?? ""
            for violation in TrustKit.violations(of: entry, among: parents.covering(name)) {
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
                    "TrustKit throws when the app starts: \(shortened(violation.message, to: 400))", remedy)
            }
        }
    }

    private static func entry(
        _ name: String, _ settings: DocumentNode, into reading: inout PinReading
    ) throws(Problem) -> HostEntry {
        let isExcluded = try settings[exclusion]?.boolValue() ?? false
        reading.noteUnknown(in: settings, of: "TrustKit", keys, prefixes: ["TSK", "kTSK", "kSK"])
        guard !isExcluded || settings.members?.count == 1 else {
            throw settings.problem(
                .trustKitExclusionNotAlone,
                "\(exclusion) is not the only key of '\(shortened(name, to: 80))', and TrustKit throws for it",
                "remove the others")
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
            throw date.problem(
                .badDate, "TrustKit reads text here, and throws for a <date>",
                "write <string>\(shortened(text, to: 40))</string>")
        }
        do { return try date.midnight() } catch {
            let reason = "\(error.reason), and TrustKit reads none from it: the pins never expire"
            throw error.with(reason: reason, advice: error.advice)
        }
    }
}

extension TrustKit {
    /// A rule of `kTSKPinnedDomains` that a domain breaks, so that TrustKit throws an exception when the app starts.
    package typealias Violation = (kind: FindingID, message: String)

    package static func lackOfSuffix(_ name: String) -> Violation {
        (.trustKitNoRegisteredSuffix, "'\(name)' has no registered suffix: TrustKit does not take such a domain")
    }

    /// `true` if TrustKit finds a registered suffix of a name, by the system's list, and by its own of 2018-07-10 if
    /// known to differ (datatheorem/TrustKit, `Dependencies/domain_registry`, compiled and compared).
    package static func hasRegisteredSuffix(_ domain: String) -> Bool {
        let name = (try? ServerName(domain))?.description ?? domain
        let suffix = SystemPublicSuffixList.publicSuffix(of: name)
        // TrustKit's library finds no suffix for a name directly above a rule such as *.kawasaki.jp.
        let isAboveWildcard = suffix != name && SystemPublicSuffixList.publicSuffix(of: "a." + name) == "a." + name
        return suffix != nil && !isAboveWildcard && !endsAtInnerNode(name)
    }

    /// The rules that an entry of a configuration breaks, in TrustKit's order; empty if the entry names no host.
    package static func violations(of entry: HostEntry, among entries: [HostEntry]) -> [Violation] {
        guard let domain = entry.hosts?.name else { return [] }
        var violations: [Violation] = []
        let name = (try? ServerName(domain))?.description ?? domain
        if !hasRegisteredSuffix(name) { violations.append(lackOfSuffix(domain)) }
        if entry.includesSubdomains, SystemPublicSuffixList.publicSuffix(of: name) == name {
            let words = "kTSKIncludeSubdomains cannot be set for the public suffix '\(domain)'"
            let age = "; TrustKit's list is of 2018-07-10: a suffix registered since then is none to it"
            violations.append((.trustKitPublicSuffix, words + (SystemPublicSuffixList.isRegistry(name) ? "" : age)))
        }
        guard !entry.isExcluded else {
            if !entry.pins.isEmpty || entry.expiration != nil {
                let words = "kSKExcludeSubdomainFromParentPolicy must be the only key of '\(domain)'"
                violations.append((.trustKitExclusionNotAlone, words))
            }
            let hasParent = entries.contains { parent in
                parent.includesSubdomains && parent.hosts.map { domain.hasSuffix("." + $0.name) } == true
            }
            if !hasParent {
                let words = "'\(domain)' is excluded, but no parent domain includes its subdomains"
                violations.append((.trustKitExclusionWithoutParent, words))
            }
            return violations
        }
        let count = Set(entry.pins.map(\.spkiSHA256)).count
        let needed = entry.enforcesPinning ?? true ? 2 : 1
        if count < needed {
            let words = "'\(domain)' has \(count == 1 ? "1 pin" : "\(count) different pins") and needs \(needed)"
            violations.append((.trustKitTooFewPins, words + ": add a backup pin"))
        }
        return violations
    }

    /// The rules of TrustKit's list below domains that are not suffixes, each as its labels from the last one on.
    private static let rulesBelow: [String: [[Substring]]] = {
        func rules(_ texts: String...) -> [[Substring]] {
            texts.flatMap { text in
                let words = text.split(separator: " ")
                return words.count == 1 ? words : words.dropFirst().map { words[0] + $0 }
            }.map { $0.split(separator: ".").reversed() }
        }
        let second = "ap-northeast-2 ap-south-1 ca-central-1 eu-central-1 eu-west-2 eu-west-3 us-east-2"
        let first = "ap-northeast-1 ap-southeast-1 ap-southeast-2 eu-west-1 sa-east-1 us-east-1"
        return [
            "amazonaws.com": rules(
                "s3", "us-east-1", "*.compute", "*.compute-1", "*.elb",
                "s3- ap-northeast-1 ap-northeast-2 ap-south-1 ap-southeast-1 ap-southeast-2 ca-central-1 eu-central-1 eu-west-1 "
                    + "eu-west-2 eu-west-3 external-1 fips-us-gov-west-1 sa-east-1 us-east-2 us-gov-west-1 us-west-1 us-west-2",
                "s3-website- \(first) us-west-1 us-west-2", "s3. \(second)", "s3-website. \(second)",
                "s3.dualstack. \(second) \(first)"),
            "amazonaws.com.cn": rules("s3.cn-north-1", "cn-north-1.eb", "*.compute", "*.elb"),
            "fastly.net": rules("map", "freetls", "a.prod", "global.prod", "a.ssl", "b.ssl", "global.ssl"),
        ]
    }()

    /// `true` if the name ends at a node of the list that is not a rule: the library then finds no suffix.
    private static func endsAtInnerNode(_ name: String) -> Bool {
        guard let (domain, rules) = rulesBelow.first(where: { name == $0.key || name.hasSuffix("." + $0.key) }) else {
            return false
        }
        let labels = name.dropLast(domain.utf8.count).split(separator: ".").reversed()
        func length(_ rule: [Substring]) -> Int { zip(rule, labels).prefix { $0 == "*" || $0 == $1 }.count }
        let longest = rules.map(length).max() ?? 0
        return !rules.contains { $0.count == longest && length($0) == longest }
    }
}
