internal import Pinning

/// Reads `NSPinnedDomains` from an Info.plist.
enum NSPinnedDomainsReader {
    private static let keys = ["NSPinnedLeafIdentities", "NSPinnedCAIdentities"]

    /// The configuration in `node`, the dictionary of domains.
    static func configuration(
        in node: DocumentNode, into collector: inout PinCollector
    ) throws(PinFormatError) -> PinConfiguration {
        var entries: [HostEntry] = []
        for (name, settings) in try node.dictionary() {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                try self.entry(name, settings, into: &collector)
            }
            if let entry { entries.append(entry) }
        }
        return PinConfiguration(.nsPinnedDomains, entries: entries)
    }

    private static func entry(
        _ name: String, _ settings: DocumentNode, into collector: inout PinCollector
    ) throws(PinFormatError) -> HostEntry {
        let includesSubdomains = try settings["NSIncludesSubdomains"]?.flag() ?? false
        let hosts = try HostText.pattern(name, includesSubdomains ? .upToOneLabel : .exact, at: settings.place)
        guard settings.members != nil else { throw settings.wrong("a dictionary") }
        let leaf = try identities(settings[keys[0]], of: hosts, into: &collector)
        let authorities = try identities(settings[keys[1]], of: hosts, into: &collector)
        if leaf == nil, authorities == nil {
            collector.note(
                .hostNotPinned, at: settings.place,
                "\(hosts.name) has neither \(keys[0]) nor \(keys[1]): nothing is pinned for it")
        }
        return HostEntry(
            hosts: hosts, origin: settings.place.description,
            identities: .positions(leaf: leaf, authorities: authorities))
    }

    /// A list of identities, `nil` when the key is absent.
    private static func identities(
        _ node: DocumentNode?, of hosts: HostPattern, into collector: inout PinCollector
    ) throws(PinFormatError) -> [Pin]? {
        guard let node else { return nil }
        var pins: [Pin] = []
        for identity in node.elements ?? [] {
            do throws(PinFormatError) {
                guard let hash = identity["SPKI-SHA256-BASE64"] else {
                    throw PinFormatError(
                        .missingValue, at: identity.place,
                        "an identity has no SPKI-SHA256-BASE64, and Apple's system skips it",
                        remedy: "each identity is a dictionary with that key")
                }
                pins.append(try HashText.bare(try hash.text(), at: hash.place))
            } catch { try collector.skip(error) }
        }
        if pins.isEmpty {
            collector.note(
                .pinnedToNothing, at: node.place,
                "\(hosts.name) is pinned to nothing: no certificate can match an empty list"
                    + ", and two empty lists exempt nothing from pinning either")
        }
        return pins
    }
}
