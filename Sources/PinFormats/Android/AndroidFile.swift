internal import Base
internal import Pinning

/// Android's `network_security_config.xml`, with TrustKit's additions, or the manifest of an app that names it.
enum AndroidFile {
    /// Whether XML is one of the two.
    static func isFound(in text: String) -> Bool {
        text[...].holds("<network-security-config") || text[...].holds("<manifest") && text[...].holds(attribute)
    }

    private static let attribute: StaticString = "android:networkSecurityConfig"

    /// Whether the bytes are the binary form that XML has in a built app.
    static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x03, 0x00, 0x08, 0x00]) }

    static func binary(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .otherKind, at: place, "is XML in Android's binary form, as a built app has it, which is not read",
            remedy: "name the project's res/xml/network_security_config.xml, or decode the app first: apktool d APP.apk"
        )
    }

    /// Reads the configuration that a manifest names.
    private static func follow(
        _ manifest: XMLElement, in file: PinFile, into collector: inout PinCollector
    ) throws(PinFormatError) {
        guard let application = manifest.children(named: "application").first,
            let reference = application.attributes["\(attribute)"]
        else {
            throw PinFormatError(
                .notAPin, at: file.place(line: manifest.line), "the manifest names no \(attribute) in <application>")
        }
        let place = file.place(line: application.line)
        guard let path = try AndroidResource(reference, beside: file).path else {
            throw PinFormatError(
                .missingFile, at: place, "the resource '\(shortened(reference, to: 80))' is not there",
                remedy: "name its file, res/xml/….xml, instead of the manifest")
        }
        let configuration = try PinFile.load(path)
        guard configuration.text?[...].holds("<network-security-config") == true else {
            throw PinFormatError(.wrongValue, at: configuration.place, "is not a network security configuration")
        }
        let targetSDK = targetSDK(in: manifest, of: file, into: &collector)
        try read(
            try XMLReader.root(of: configuration, mayHaveDocumentType: false), of: configuration, targetSDK, &collector)
    }

    /// The targetSdkVersion that a manifest says; build tools put it in, so that a project's need not have one.
    private static func targetSDK(in manifest: XMLElement, of file: PinFile, into collector: inout PinCollector) -> Int?
    {
        guard let element = manifest.children(named: "uses-sdk").first,
            let text = element.attributes["android:targetSdkVersion"]
        else { return nil }
        guard let level = Int(text), level > 0 else {
            collector.note(
                .notFollowed, at: file.place(line: element.line),
                "android:targetSdkVersion '\(shortened(text, to: 40))' is not an API level; give it with the setting target-sdk"
            )
            return nil
        }
        return level
    }

    static func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let root = try XMLReader.root(of: file, mayHaveDocumentType: false)
        if root.name == "manifest", file.text?[...].holds("<network-security-config") == false {
            return try follow(root, in: file, into: &collector)
        }
        try read(root, of: file, nil, &collector)
    }

    private static func read(
        _ root: XMLElement, of file: PinFile, _ targetSDK: Int?, _ collector: inout PinCollector
    ) throws(PinFormatError) {
        guard root.name == "network-security-config" else {
            throw PinFormatError(
                .wrongValue, at: file.place(line: root.line), "begins with <\(shortened(root.name, to: 60))>",
                remedy: "the first element is <network-security-config>")
        }
        var reader = AndroidConfigurationReader(file: file, targetSDK: targetSDK)
        try reader.read(root, into: &collector)
        collector.add(PinConfiguration(.android, entries: reader.entries))
        collector.add(reader.trust)
    }
}
