/// JSON that configures hosts: TrustKit's, the two React Native packages', and a `pins.json` others are generated from.
struct JSONConfigurationFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool {
        guard let text = file.text, JSONReader.beginsObject(file) else { return false }
        let marks: [StaticString] = ["TSKPinnedDomains", "publicKeyHashes", "sha256Keys", "pincheck-pins/1"]
        return marks.contains { text[...].holds($0) } || text[...].holds("\"domains\"") && text[...].holds("\"hashes\"")
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let root = try JSONReader.root(of: file)
        if let trustKit = root["TSKConfiguration"] ?? (root["TSKPinnedDomains"] != nil ? root : nil) {
            collector.add(try TrustKitReader.configuration(in: trustKit, into: &collector))
        } else if root["schema"]?.isText("pincheck-pins/1") == true {
            try PinsReportReader.read(root, into: &collector)
        } else if root["sha256Keys"] != nil {
            collector.add(try SSLManagerReader.configuration(in: root, into: &collector))
        } else if root["domains"]?.members?.contains(where: { $0.node["hashes"] != nil }) == true {
            collector.add(try PinsJSONReader.configuration(in: root, into: &collector))
        } else if root.members?.contains(where: { $0.node["publicKeyHashes"] != nil }) == true {
            collector.add(try ReactNativeReader.configuration(in: root, into: &collector))
        } else {
            throw PinFormatError(
                .notAPin, at: file.place, "is JSON in none of the forms that hold pins",
                remedy: "known are TSKPinnedDomains, sha256Keys, domains with hashes, and hosts with publicKeyHashes")
        }
    }
}
