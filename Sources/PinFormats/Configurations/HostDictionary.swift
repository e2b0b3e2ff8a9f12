internal import Pinning

/// Dictionaries whose keys are hosts, in JSON and property lists.
extension PinReading {
    /// The entries of a dictionary, one for each host in it.
    mutating func entries(
        in members: [(key: String, node: DocumentNode)],
        _ read: (String, DocumentNode, inout PinReading) throws(PinFormatError) -> HostEntry
    ) -> [HostEntry] {
        members.compactMap { name, settings in
            entry { (reading) throws(PinFormatError) in
                _ = try settings.dictionary()
                return try read(name, settings, &reading)
            }
        }
    }

    /// The pins in a list of hashes; `hash` says where in an element its hash is.
    mutating func pins(
        in elements: [DocumentNode],
        hash: (DocumentNode) throws(PinFormatError) -> DocumentNode = { (node) throws(PinFormatError) in node }
    ) -> [Pin] {
        elements.compactMap { element in
            attempt { (_) throws(PinFormatError) in
                let hash = try hash(element)
                return try HashText.bare(try hash.text(), at: hash.place)
            }
        }
    }
}

/// Reads the JSON of react-native-ssl-public-key-pinning: a dictionary of hosts.
enum ReactNativeReader {
    static func configuration(
        in node: DocumentNode, into reading: inout PinReading
    ) throws(PinFormatError) -> PinConfiguration {
        let members = try node.dictionary().filter { !$0.key.hasPrefix("_") }
        let entries = reading.entries(in: members) { (name, settings, reading) throws(PinFormatError) in
            let hosts = try HostText.trustKitPattern(
                name, includesSubdomains: try settings["includeSubdomains"]?.flag() ?? false, at: settings.place)
            let hashes = settings["publicKeyHashes"]
            let elements = try hashes?.array() ?? []
            guard !elements.isEmpty else {
                throw PinFormatError(
                    .missingValue, at: hashes?.place ?? settings.place, "'\(hosts.name)' has no pin",
                    remedy: "list its hashes, or remove the host")
            }
            let pins = reading.pins(in: elements)
            reading.noteIfUnmatchable(hosts, by: "TrustKit, which pins on iOS,", at: settings.place)
            var entry = HostEntry(hosts: hosts, origin: settings.place.description, identities: .anywhere(pins))
            entry.expiration = try settings["expirationDate"]?.midnight()
            return entry
        }
        return PinConfiguration(.reactNative, entries: entries)
    }
}
