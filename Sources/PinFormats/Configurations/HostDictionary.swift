internal import Pinning

/// Dictionaries whose keys are hosts, in JSON and property lists.
extension PinCollector {
    /// The entries of a dictionary, one for each host in it.
    mutating func entries(
        in members: [(key: String, node: DocumentNode)],
        _ read: (String, DocumentNode, inout PinCollector) throws(PinFormatError) -> HostEntry
    ) throws(PinFormatError) -> [HostEntry] {
        var entries: [HostEntry] = []
        for (name, settings) in members {
            let entry = try entry { (collector) throws(PinFormatError) in
                _ = try settings.dictionary()
                return try read(name, settings, &collector)
            }
            if let entry { entries.append(entry) }
        }
        return entries
    }

    /// The pins in a list of hashes; `hash` says where in an element its hash is.
    mutating func pins(
        in elements: [DocumentNode],
        hash: (DocumentNode) throws(PinFormatError) -> DocumentNode = { (node) throws(PinFormatError) in node }
    ) throws(PinFormatError) -> [Pin] {
        var pins: [Pin] = []
        for element in elements {
            do throws(PinFormatError) {
                let hash = try hash(element)
                pins.append(try HashText.bare(try hash.text(), at: hash.place))
            } catch { try skip(error) }
        }
        return pins
    }

    /// Takes note of pins for `hosts` that `client` never applies, because no URL's host is that name.
    mutating func noteIfUnmatchable(_ hosts: HostPattern, by client: String, at place: PinPlace) {
        guard let text = HostText.whyUnmatchable(hosts, by: client) else { return }
        note(.hostNeverMatches, at: place, text)
    }
}

/// Reads the JSON of react-native-ssl-public-key-pinning: a dictionary of hosts.
enum ReactNativeReader {
    static func configuration(
        in node: DocumentNode, into collector: inout PinCollector
    ) throws(PinFormatError) -> PinConfiguration {
        let members = try node.dictionary().filter { !$0.key.hasPrefix("_") }
        let entries = try collector.entries(in: members) { (name, settings, collector) throws(PinFormatError) in
            let hosts = try HostText.trustKitPattern(
                name, includesSubdomains: try settings["includeSubdomains"]?.flag() ?? false, at: settings.place)
            let hashes = settings["publicKeyHashes"]
            let elements = try hashes?.array() ?? []
            guard !elements.isEmpty else {
                throw PinFormatError(
                    .missingValue, at: hashes?.place ?? settings.place, "'\(hosts.name)' has no pin",
                    remedy: "list its hashes, or remove the host")
            }
            let pins = try collector.pins(in: elements)
            collector.noteIfUnmatchable(hosts, by: "TrustKit, which pins on iOS,", at: settings.place)
            var entry = HostEntry(hosts: hosts, origin: settings.place.description, identities: .anywhere(pins))
            entry.expiration = try settings["expirationDate"]?.midnight()
            return entry
        }
        return PinConfiguration(.reactNative, entries: entries)
    }
}
