internal import Base
internal import Pinning

/// JSON that configures hosts: TrustKit's, the options of react-native-ssl-public-key-pinning, and Expo's `app.json`, which holds
/// what goes into the Info.plist.
enum JSONFile {
    /// Whether JSON has something that a client reads.
    static func isFound(in text: String) -> Bool {
        text[...].holds("TSKPinnedDomains") || text[...].holds("publicKeyHashes") || text[...].holds("infoPlist")
    }

    static func read(_ root: DocumentNode, of file: PinFile, into reading: inout PinReading) throws(PinFormatError) {
        if let info = root["expo"]?["ios"]?["infoPlist"] {
            let before = reading.configurations.count
            _ = try PropertyListFile.add(info, isOfAnApp: true, into: &reading)
            guard reading.configurations.count > before else {
                throw PinFormatError(
                    .notAPin, at: info.place,
                    "has neither NSPinnedDomains (in NSAppTransportSecurity) nor TSKConfiguration: it pins nothing")
            }
        } else if let trustKit = root["TSKConfiguration"] ?? (root["TSKPinnedDomains"] != nil ? root : nil) {
            reading.add(try TrustKitReader.configuration(in: trustKit, into: &reading))
        } else if root.members?.contains(where: { $0.node["publicKeyHashes"] != nil }) == true {
            reading.add(try ReactNativeReader.configuration(in: root, into: &reading))
        } else {
            throw PinFormatError(
                .notAPin, at: file.place, "is JSON in none of the forms that hold pins",
                remedy: "known are TSKPinnedDomains, expo.ios.infoPlist, and hosts with publicKeyHashes")
        }
    }
}
