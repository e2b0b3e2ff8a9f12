internal import Base
internal import Pinning

/// JSON that configures hosts: TrustKit's, and the options of react-native-ssl-public-key-pinning.
enum JSONFile {
    /// Whether JSON has something that a client reads.
    static func isFound(in text: String) -> Bool {
        text[...].holds("TSKPinnedDomains") || text[...].holds("publicKeyHashes")
    }

    static func read(_ root: DocumentNode, of file: PinFile, into collector: inout PinCollector) throws(PinFormatError)
    {
        if let trustKit = root["TSKConfiguration"] ?? (root["TSKPinnedDomains"] != nil ? root : nil) {
            collector.add(try TrustKitReader.configuration(in: trustKit, into: &collector))
        } else if root.members?.contains(where: { $0.node["publicKeyHashes"] != nil }) == true {
            collector.add(try ReactNativeReader.configuration(in: root, into: &collector))
        } else {
            throw PinFormatError(
                .notAPin, at: file.place, "is JSON in none of the forms that hold pins",
                remedy: "known are TSKPinnedDomains, and hosts with publicKeyHashes")
        }
    }
}
