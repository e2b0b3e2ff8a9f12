internal import Base
internal import Pinning

/// Reads the JSON of react-native-ssl-public-key-pinning: a dictionary of hosts.
enum ReactNativeReader {
    static func configuration(
        in node: DocumentNode, into collector: inout PinCollector
    ) throws(PinFormatError) -> PinConfiguration {
        var entries: [HostEntry] = []
        for (name, settings) in try node.dictionary() where !name.hasPrefix("_") {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                _ = try settings.dictionary()
                let hosts = try settings.trustKitHosts(name, includesSubdomains: settings["includeSubdomains"])
                let pins = try HashList.bare(settings["publicKeyHashes"], of: hosts, at: settings.place, &collector)
                collector.noteIfUnmatchable(hosts, by: "TrustKit, which pins on iOS,", at: settings.place)
                var entry = HostEntry(hosts: hosts, origin: settings.place.description, identities: .anywhere(pins))
                entry.expiration = try settings["expirationDate"]?.midnight()
                return entry
            }
            if let entry { entries.append(entry) }
        }
        return PinConfiguration(.reactNative, entries: entries)
    }
}

extension DocumentNode {
    /// The hosts that a key names, with all names below where `flag` says so, as TrustKit compares them.
    fileprivate func trustKitHosts(
        _ name: String, includesSubdomains flag: DocumentNode?
    ) throws(PinFormatError) -> HostPattern {
        try HostText.trustKitPattern(name, includesSubdomains: try flag?.flag() ?? false, at: place)
    }
}

/// The hashes of one host.
private enum HashList {
    /// Every pin of a list of hashes in plain base64, which has at least one.
    static func bare(
        _ list: DocumentNode?, of hosts: HostPattern, at place: PinPlace, _ collector: inout PinCollector
    ) throws(PinFormatError) -> [Pin] {
        let elements = try list?.array() ?? []
        guard !elements.isEmpty else {
            throw PinFormatError(
                .missingValue, at: list?.place ?? place, "'\(hosts.name)' has no pin",
                remedy: "list its hashes, or remove the host")
        }
        var pins: [Pin] = []
        for element in elements {
            do throws(PinFormatError) { pins.append(try HashText.bare(try element.text(), at: element.place)) } catch {
                try collector.skip(error)
            }
        }
        return pins
    }
}
