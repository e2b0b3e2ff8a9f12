/// Apple's property lists, XML or binary, with `NSPinnedDomains` or TrustKit's configuration: an Info.plist, or a part of one.
struct PropertyListFormat: PinFileFormat {
    private static let marks = ["NSPinnedDomains", "TSKPinnedDomains"]

    func recognises(_ file: PinFile) -> Bool {
        guard BinaryPropertyList.begins(file.bytes) || file.text.map({ $0[...].holds("<plist") }) == true else {
            return false
        }
        return Self.marks.contains { file.bytes.holds(Array($0.utf8)) }
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let root =
            BinaryPropertyList.begins(file.bytes)
            ? try BinaryPropertyList.root(of: file) : try XMLPropertyList.root(of: file)
        guard root.members != nil else { throw root.wrong("a dictionary") }
        let apple = root["NSAppTransportSecurity"]?["NSPinnedDomains"] ?? root["NSPinnedDomains"]
        let trustKit = root["TSKConfiguration"] ?? (root["TSKPinnedDomains"] != nil ? root : nil)
        if let apple { collector.add(try NSPinnedDomainsReader.configuration(in: apple, into: &collector)) }
        if let trustKit { collector.add(try TrustKitReader.configuration(in: trustKit, into: &collector)) }
        guard apple != nil || trustKit != nil else {
            throw PinFormatError(
                .notAPin,
                at: file.place,
                "is a property list without pins where the clients look for them",
                remedy: "NSPinnedDomains belongs into NSAppTransportSecurity, TSKPinnedDomains into TSKConfiguration"
            )
        }
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
