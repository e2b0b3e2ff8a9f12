internal import Base
internal import Pinning

/// Apple's property lists, XML or binary, with `NSPinnedDomains`, App Transport Security or TrustKit's configuration: an Info.plist, or
/// a part of one.
enum PropertyListFile {
    private static let marks = ["NSPinnedDomains", "TSKPinnedDomains", TransportSecurityReader.key]

    /// Whether a property list has something that a client reads.
    static func isFound(in file: PinFile) -> Bool { marks.contains { file.bytes.holds(Array($0.utf8)) } }

    private static func root(of file: PinFile) throws(PinFormatError) -> DocumentNode {
        let root =
            BinaryPropertyList.begins(file.bytes)
            ? try BinaryPropertyList.root(of: file) : try XMLPropertyList.root(of: file)
        guard root.members != nil else { throw root.wrong("a dictionary") }
        return root
    }

    /// Reads the Info.plist of an app, which App Transport Security binds whether or not it says anything.
    static func readInfo(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        // Its bytes may spell the keys in some other way: what it says is known once it is taken apart.
        let root = try root(of: file)
        guard try add(root, into: &collector) else {
            collector.add(TransportSecurity(origin: file.place.description))
            return
        }
    }

    static func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        guard try add(root(of: file), into: &collector) else { throw withoutPins(at: file.place) }
    }

    /// Notes keys of an app's property list that pin or bind nothing where they stand.
    private static func noteMisplaced(_ root: DocumentNode, into collector: inout PinCollector) {
        for (key, node) in root.members ?? [] {
            switch key {
            case "NSPinnedDomains":
                collector.note(
                    .unknownKey, at: node.place, "'\(key)' pins nothing here: put it into NSAppTransportSecurity")
            case "TSKPinnedDomains":
                collector.note(.unknownKey, at: node.place, "'\(key)' pins nothing here: put it into TSKConfiguration")
            case _ where ["-", "~"].contains { key.hasPrefix(TransportSecurityReader.key + $0) }:
                collector.note(
                    .unknownKey, at: node.place,
                    "'\(shortened(key, to: 60))' is for some devices, which take it in place of "
                        + "\(TransportSecurityReader.key); it is not judged")
            default: break
            }
        }
    }

    /// A property list that has nothing a client reads.
    static func withoutPins(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .notAPin, at: place,
            "is a property list with neither NSPinnedDomains (in NSAppTransportSecurity) nor TSKConfiguration: it pins nothing",
            remedy: "name the configuration, the .cer files or the source that pins")
    }

    /// Adds what a property list says, and says whether that is anything.
    private static func add(_ root: DocumentNode, into collector: inout PinCollector) throws(PinFormatError) -> Bool {
        let isOfAnApp = TransportSecurityReader.isOfAnApp(root)
        // In an app's nobody looks for these at the top; a part of one that was cut out is meant.
        let apple = root["NSAppTransportSecurity"]?["NSPinnedDomains"] ?? (isOfAnApp ? nil : root["NSPinnedDomains"])
        let trustKit = root["TSKConfiguration"] ?? (!isOfAnApp && root["TSKPinnedDomains"] != nil ? root : nil)
        if isOfAnApp { noteMisplaced(root, into: &collector) }
        if let apple { collector.add(try NSPinnedDomainsReader.configuration(in: apple, into: &collector)) }
        if let trustKit { collector.add(try TrustKitReader.configuration(in: trustKit, into: &collector)) }
        if isOfAnApp { collector.add(try TransportSecurityReader.settings(in: root, into: &collector)) }
        return apple != nil || trustKit != nil || isOfAnApp
    }
}

extension [UInt8] {
    /// Whether `part` occurs in the bytes, at least one.
    func holds(_ part: [UInt8]) -> Bool {
        withUnsafeBufferPointer { bytes in
            var start = 0
            while start + part.count <= bytes.count {
                if bytes[start] == part[0], part.indices.allSatisfy({ bytes[start + $0] == part[$0] }) { return true }
                start += 1
            }
            return false
        }
    }
}
