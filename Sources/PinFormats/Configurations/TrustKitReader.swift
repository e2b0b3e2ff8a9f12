internal import Pinning
internal import X509

/// Reads `TSKConfiguration`, from a property list or JSON, and stops where TrustKit throws when the app starts.
struct TrustKitReader {
    /// The configuration in `node`, a dictionary with `TSKPinnedDomains`.
    static func configuration(
        in node: DocumentNode,
        into collector: inout PinCollector
    ) throws(PinFormatError) -> PinConfiguration {
        guard let pinned = node["TSKPinnedDomains"] else {
            throw PinFormatError(.missingValue, at: node.place, "has no TSKPinnedDomains, and TrustKit throws for it")
        }
        var entries: [HostEntry] = []
        var domains: [TrustKitDomain] = []
        for (name, settings) in try pinned.dictionary() {
            let (entry, domain) = try read(name, settings, into: &collector)
            entries.append(entry)
            domains.append(domain)
        }
        do {
            _ = try TrustKitConfiguration(domains: domains, suffixes: SystemPublicSuffixList())
        } catch {
            // The message names the domain; its place is that of its entry.
            let culprit = zip(domains, entries).first { error.message.contains("'\($0.0.name)'") }
            let place = culprit.flatMap { pair in
                pinned.members?.first { $0.key.lowercased() == pair.0.name }?.node.place
            }
            throw PinFormatError(
                .clientRule,
                at: place ?? pinned.place,
                "TrustKit throws when the app starts: \(shortened(error.message, to: 400))"
            )
        }
        return PinConfiguration(.trustKit, entries: entries)
    }

    private static func read(
        _ name: String,
        _ settings: DocumentNode,
        into collector: inout PinCollector
    ) throws(PinFormatError) -> (HostEntry, TrustKitDomain) {
        let keys = Set(try settings.dictionary().map(\.key))
        let isExcluded = try settings["TSKExcludeSubdomainFromParentPolicy"]?.flag() ?? false
        guard !isExcluded || keys.count == 1 else {
            throw PinFormatError(
                .clientRule,
                at: settings.place,
                "TSKExcludeSubdomainFromParentPolicy is not the only key of '\(shortened(name, to: 80))', "
                    + "and TrustKit throws for it",
                remedy: "remove the others"
            )
        }
        let includesSubdomains = try settings["TSKIncludeSubdomains"]?.flag() ?? false
        let hosts = try HostText.pattern(
            name,
            includesSubdomains || isExcluded ? .anyNumber : .exact,
            at: settings.place
        )
        var pins: [Pin] = []
        for hash in try settings["TSKPublicKeyHashes"]?.array() ?? [] {
            do throws(PinFormatError) {
                pins.append(try HashText.bare(try hash.text(), at: hash.place))
            } catch {
                try collector.skip(error)
            }
        }
        if let algorithms = settings["TSKPublicKeyAlgorithms"] {
            collector.note(
                .ignored,
                "\(algorithms.place): TSKPublicKeyAlgorithms means nothing since TrustKit 1.6: remove it"
            )
        }
        var entry = HostEntry(hosts: hosts, origin: settings.place.description, identities: .anywhere(pins))
        entry.enforcesPinning = try settings["TSKEnforcePinning"]?.flag() ?? true
        entry.expiration = try settings["TSKExpirationDate"]?.midnight()
        entry.isExcluded = isExcluded
        let domain = TrustKitDomain(
            name: hosts.name,
            includesSubdomains: includesSubdomains,
            enforcesPinning: entry.enforcesPinning ?? true,
            hashes: pins.map(\.spkiSHA256),
            expiration: entry.expiration,
            isExcluded: isExcluded
        )
        return (entry, domain)
    }
}
