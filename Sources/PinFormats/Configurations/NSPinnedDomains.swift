internal import Pinning

/// Reads `NSPinnedDomains` from an Info.plist.
enum NSPinnedDomainsReader {
    private static let keys = ["NSPinnedLeafIdentities", "NSPinnedCAIdentities"]

    /// The configuration in `node`, the dictionary of domains.
    static func configuration(
        in node: DocumentNode, into reading: inout PinReading
    ) throws(PinFormatError) -> PinConfiguration {
        let entries = try reading.entries(in: node.dictionary()) { (name, settings, reading) throws(PinFormatError) in
            let includesSubdomains = try settings["NSIncludesSubdomains"]?.flag() ?? false
            let hosts = try HostText.pattern(name, includesSubdomains ? .upToOneLabel : .exact, at: settings.place)
            let leaf = try identities(settings[keys[0]], of: hosts, into: &reading)
            let authorities = try identities(settings[keys[1]], of: hosts, into: &reading)
            if leaf == nil, authorities == nil {
                reading.note(
                    .hostNotPinned, at: settings.place,
                    "\(hosts.name) has neither \(keys[0]) nor \(keys[1]): nothing is pinned for it")
            }
            return HostEntry(
                hosts: hosts, origin: settings.place.description,
                identities: .positions(leaf: leaf, authorities: authorities))
        }
        return PinConfiguration(.nsPinnedDomains, entries: entries)
    }

    /// A list of identities, `nil` when the key is absent.
    private static func identities(
        _ node: DocumentNode?, of hosts: HostPattern, into reading: inout PinReading
    ) throws(PinFormatError) -> [Pin]? {
        guard let node else { return nil }
        let pins = reading.pins(in: node.elements ?? []) { (identity) throws(PinFormatError) in
            guard let hash = identity["SPKI-SHA256-BASE64"] else {
                throw PinFormatError(
                    .missingValue, at: identity.place,
                    "an identity has no SPKI-SHA256-BASE64, and Apple's system skips it",
                    remedy: "each identity is a dictionary with that key")
            }
            return hash
        }
        if pins.isEmpty {
            reading.note(
                .pinnedToNothing, at: node.place,
                "\(hosts.name) is pinned to nothing: no certificate can match an empty list"
                    + ", and two empty lists exempt nothing from pinning either")
        }
        return pins
    }
}
