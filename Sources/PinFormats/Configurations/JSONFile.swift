import Base
import Pinning

/// JSON that configures hosts: of TrustKit, of react-native-ssl-public-key-pinning, or Expo's `app.json` (`infoPlist`).
enum JSONFile {
    static func isFound(in text: String) -> Bool {
        text.holds("TSKPinnedDomains") || text.holds("publicKeyHashes") || text.holds("infoPlist")
    }

    static func read(_ root: DocumentNode, of file: PinFile, into reading: inout PinReading) throws(Problem) {
        if let info = root["expo"]?["ios"]?["infoPlist"] {
            try refusePins(in: root, outsideOf: info)
            let before = reading.configurations.count
            _ = try PropertyListFile.add(info, isOfAnApp: true, into: &reading)
            guard reading.configurations.count > before else { throw PropertyListFile.withoutPins(at: info.place) }
        } else if let trustKit = root["TSKConfiguration"] ?? (TrustKitReader.hasDomains(root) ? root : nil) {
            try refusePins(in: root, outsideOf: root["TSKConfiguration"] ?? root["TSKPinnedDomains"] ?? root)
            try TrustKitReader.read(trustKit, into: &reading)
        } else if root.members?.contains(where: { $0.node["publicKeyHashes"] != nil }) == true {
            try readReactNative(root, into: &reading)
        } else {
            throw file.problem(
                .notAPin, "is JSON in none of the forms that hold pins",
                "known are TSKPinnedDomains, expo.ios.infoPlist, and hosts with publicKeyHashes")
        }
    }

    private static func refusePins(in node: DocumentNode, outsideOf part: DocumentNode) throws(Problem) {
        guard node.key != part.key else { return }
        if let text = node.string, PinText(text[...], at: node.place, isArgument: false).holdsPin {
            throw node.problem(
                .notation, "a pin stands outside of '\(part.key)' here, where it is not read",
                "give it in a file of its own")
        }
        for child in node.members?.map(\.node) ?? node.elements ?? [] { try refusePins(in: child, outsideOf: part) }
    }

    private static func readReactNative(_ node: DocumentNode, into reading: inout PinReading) throws(Problem) {
        let members = try node.dictionary().filter { !$0.key.hasPrefix("_") }
        let entries = reading.entries(in: members) { (name, settings, reading) throws(Problem) in
            let includesSubdomains = try settings["includeSubdomains"]?.flag() ?? false
            let hosts = try HostText.pattern(name, includesSubdomains ? .anyNumber : .exact, at: settings.place)
            guard hosts.name == name else {
                throw settings.problem(
                    .badHost, "'\(shortened(name))' is not how a URL names the host",
                    "write \(hosts.name): TrustKit compares names as text")
            }
            reading.noteUnknown(
                in: settings, of: "react-native-ssl-public-key-pinning",
                ["includeSubdomains", "publicKeyHashes", "expirationDate"], prefixes: [""])
            let hashes = settings["publicKeyHashes"]
            let elements = try hashes?.array() ?? []
            guard !elements.isEmpty else {
                throw Problem(
                    .missingValue, at: hashes?.place ?? settings.place, "'\(hosts.name)' has no pin",
                    "list its hashes, or remove the host")
            }
            let pins = reading.pins(in: elements)
            var entry = HostEntry(hosts: hosts, origin: settings.place, identities: .anywhere(pins))
            entry.expiration = try settings["expirationDate"]?.midnight()
            return entry
        }
        reading.add(.reactNative, entries)
    }
}

extension PinReading {
    mutating func entries(
        in members: [(key: String, node: DocumentNode)],
        _ read: (String, DocumentNode, inout PinReading) throws(Problem) -> HostEntry
    ) -> [HostEntry] {
        members.compactMap { name, settings in
            entry { (reading) throws(Problem) in
                _ = try settings.dictionary()
                return try read(name, settings, &reading)
            }
        }
    }

    /// Notes keys with one of the `prefixes` that `reader` does not know.
    mutating func noteUnknown(in node: DocumentNode, of reader: String, _ known: [String], prefixes: [String] = ["NS"])
    {
        for (key, node) in node.members ?? [] where prefixes.contains(where: key.hasPrefix) && !known.contains(key) {
            let remedy = Suggestion.nearest(to: key, in: known).map { "; did you mean '\($0)'?" } ?? ""
            let words = "\(reader) has no key '\(shortened(key, to: 60))' here that is known\(remedy)"
            note(.unknownKey, at: node.place, words)
        }
    }

    mutating func pins(
        in elements: [DocumentNode], hash: (DocumentNode) throws(Problem) -> DocumentNode = { $0 }
    ) -> [Pin] {
        elements.compactMap { element in
            attempt { (_) throws(Problem) in
                let hash = try hash(element)
                return try HashText.bare(try hash.text(), at: hash.place)
            }
        }
    }
}
