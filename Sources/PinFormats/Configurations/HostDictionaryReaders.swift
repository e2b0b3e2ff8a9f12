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

/// Reads react-native-ssl-manager's `ssl_config.json`: pins and settings of the hosts in two dictionaries.
enum SSLManagerReader {
    static func configuration(
        in node: DocumentNode, into collector: inout PinCollector
    ) throws(PinFormatError) -> PinConfiguration {
        var entries: [HostEntry] = []
        var settings: [String: DocumentNode] = [:]
        for (name, domain) in try node["domains"]?.dictionary() ?? [] { settings[name] = domain }
        let keys = try node["sha256Keys"]?.dictionary() ?? []
        for (name, list) in keys {
            let own = settings.removeValue(forKey: name)
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                let hosts = try list.trustKitHosts(name, includesSubdomains: own?["includeSubdomains"])
                collector.noteIfUnmatchable(hosts, by: "TrustKit, which pins on iOS,", at: list.place)
                let pins = try HashList.pins(in: list, of: hosts, at: list.place, &collector) {
                    text, place throws(PinFormatError) in try HashText.okHttp(text, at: place)
                }
                var entry = HostEntry(hosts: hosts, origin: list.place.description, identities: .anywhere(pins))
                entry.enforcesPinning = try own?["enforcePinning"]?.flag()
                entry.expiration = try own?["expirationDate"]?.midnight()
                return entry
            }
            if let entry { entries.append(entry) }
        }
        for (name, domain) in settings.sorted(by: { $0.key < $1.key }) {
            let error = PinFormatError(
                .missingValue, at: domain.place, "'\(shortened(name, to: 80))' has settings and no pins",
                remedy: "list them below sha256Keys")
            try collector.gather(error)
        }
        return PinConfiguration(.sslManager, entries: entries)
    }
}

/// Reads a `pins.json` that native configurations are generated from: hashes below `domains`, one switch for all.
enum PinsJSONReader {
    static func configuration(
        in node: DocumentNode, into collector: inout PinCollector
    ) throws(PinFormatError) -> PinConfiguration {
        let enforcesPinning = try node["enforcePinning"]?.flag()
        var entries: [HostEntry] = []
        for (name, settings) in try node["domains"]?.dictionary() ?? [] where !name.hasPrefix("_") {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                _ = try settings.dictionary()
                let hosts = try settings.hosts(name, includesSubdomains: settings["includeSubdomains"])
                let pins = try HashList.bare(settings["hashes"], of: hosts, at: settings.place, &collector)
                var entry = HostEntry(hosts: hosts, origin: settings.place.description, identities: .anywhere(pins))
                entry.enforcesPinning = enforcesPinning
                entry.expiration = try settings["expirationDate"]?.midnight()
                return entry
            }
            if let entry { entries.append(entry) }
        }
        return PinConfiguration(.pinsJSON, entries: entries)
    }
}

extension DocumentNode {
    /// The hosts that a key names, with all names below where `flag` says so.
    fileprivate func hosts(_ name: String, includesSubdomains flag: DocumentNode?) throws(PinFormatError) -> HostPattern
    { try HostText.pattern(name, try flag?.flag() ?? false ? .anyNumber : .exact, at: place) }

    /// The same where TrustKit reads the key, which compares it as it is written.
    fileprivate func trustKitHosts(
        _ name: String, includesSubdomains flag: DocumentNode?
    ) throws(PinFormatError) -> HostPattern {
        try HostText.trustKitPattern(name, includesSubdomains: try flag?.flag() ?? false, at: place)
    }
}

/// The hashes of one host.
private enum HashList {
    /// Every pin of a list of hashes in plain base64.
    static func bare(
        _ list: DocumentNode?, of hosts: HostPattern, at place: PinPlace, _ collector: inout PinCollector
    ) throws(PinFormatError) -> [Pin] {
        try pins(in: list, of: hosts, at: place, &collector) { text, place throws(PinFormatError) in
            try HashText.bare(text, at: place)
        }
    }

    /// Every pin of a list, which has at least one.
    static func pins(
        in list: DocumentNode?, of hosts: HostPattern, at place: PinPlace, _ collector: inout PinCollector,
        _ pin: (String, PinPlace) throws(PinFormatError) -> Pin
    ) throws(PinFormatError) -> [Pin] {
        let elements = try list?.array() ?? []
        guard !elements.isEmpty else {
            throw PinFormatError(
                .missingValue, at: list?.place ?? place, "'\(hosts.name)' has no pin",
                remedy: "list its hashes, or remove the host")
        }
        var pins: [Pin] = []
        for element in elements {
            do throws(PinFormatError) { pins.append(try pin(try element.text(), element.place)) } catch {
                try collector.skip(error)
            }
        }
        return pins
    }
}
