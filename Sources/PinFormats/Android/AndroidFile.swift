internal import Base
internal import Pinning
internal import X509

/// Android's `network_security_config.xml`, or the manifest of an app that names it.
enum AndroidFile {
    static func isFound(in text: String) -> Bool {
        text[...].holds("<network-security-config") || text[...].holds("<manifest") && text[...].holds(attribute)
    }

    private static let attribute: StaticString = "android:networkSecurityConfig"

    /// Whether the bytes are the binary form that XML has in a built app.
    static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x03, 0x00, 0x08, 0x00]) }

    static func binary(at place: PinPlace) -> Problem {
        Problem(
            .otherKind, at: place, "is XML in Android's binary form, as a built app has it, which is not read",
            remedy: "name the project's res/xml/network_security_config.xml, or decode the app first: apktool d APP.apk"
        )
    }

    /// Reads the configuration that a manifest names.
    private static func follow(
        _ manifest: XMLElement, in file: PinFile, into reading: inout PinReading
    ) throws(Problem) {
        guard let application = manifest.children(named: "application").first,
            let reference = application.attributes["\(attribute)"]
        else {
            throw Problem(
                .notAPin, at: file.place(line: manifest.line), "the manifest names no \(attribute) in <application>")
        }
        let place = file.place(line: application.line)
        guard let path = try AndroidResource(reference, beside: file).path else {
            throw Problem(
                .missingFile, at: place, "the resource '\(shortened(reference, to: 80))' is not there",
                remedy: "name its file, res/xml/….xml, instead of the manifest")
        }
        let configuration = try PinFile.load(path)
        guard configuration.text?[...].holds("<network-security-config") == true else {
            throw Problem(.wrongValue, at: configuration.place, "is not a network security configuration")
        }
        let targetSDK = targetSDK(in: manifest, of: file, into: &reading)
        try read(
            try XMLReader.root(of: configuration, mayHaveDocumentType: false), of: configuration, targetSDK, &reading)
    }

    /// The targetSdkVersion that a manifest says; build tools put it in, so that a project's need not have one.
    private static func targetSDK(in manifest: XMLElement, of file: PinFile, into reading: inout PinReading) -> Int? {
        guard let element = manifest.children(named: "uses-sdk").first,
            let text = element.attributes["android:targetSdkVersion"]
        else { return nil }
        guard let level = Int(text), level > 0 else {
            reading.note(
                .notFollowed, at: file.place(line: element.line),
                "android:targetSdkVersion '\(shortened(text, to: 40))' is not an API level; give it with the setting target-sdk"
            )
            return nil
        }
        return level
    }

    static func read(_ file: PinFile, into reading: inout PinReading) throws(Problem) {
        let root = try XMLReader.root(of: file, mayHaveDocumentType: false)
        if root.name == "manifest", file.text?[...].holds("<network-security-config") == false {
            return try follow(root, in: file, into: &reading)
        }
        try AndroidResource.refuseQualified(file.path, at: file.place)
        try read(root, of: file, nil, &reading)
    }

    private static func read(
        _ root: XMLElement, of file: PinFile, _ targetSDK: Int?, _ reading: inout PinReading
    ) throws(Problem) {
        guard root.name == "network-security-config" else {
            throw Problem(
                .wrongValue, at: file.place(line: root.line), "begins with <\(shortened(root.name, to: 60))>",
                remedy: "the first element is <network-security-config>")
        }
        var reader = AndroidReader(file: file, targetSDK: targetSDK)
        try reader.read(root, into: &reading)
        reading.add(PinConfiguration(.android, entries: reader.entries))
        reading.add(reader.trust)
    }
}

/// What Android reads in each element of a configuration; it passes over everything else.
enum AndroidWords {
    private static let domains = "domain pin-set domain-config"
    private static let settings = "trust-anchors certificateTransparency domainEncryption"
    private static let elements = [
        "network-security-config": "base-config domain-config debug-overrides", "base-config": settings,
        "domain-config": "\(domains) \(settings) trustkit-config", "debug-overrides": "trust-anchors", "domain": "",
        "pin-set": "pin", "pin": "", "trust-anchors": "certificates", "certificates": "", "certificateTransparency": "",
        "domainEncryption": "",
    ]
    private static let attributes = [
        "base-config": "cleartextTrafficPermitted hstsEnforced",
        "domain-config": "cleartextTrafficPermitted hstsEnforced", "debug-overrides": "overridePins",
        "domain": "includeSubdomains", "pin-set": "expiration", "pin": "digest", "certificates": "src overridePins",
        "certificateTransparency": "enabled", "domainEncryption": "mode",
    ]
    private static let refused = ["base-config": domains, "debug-overrides": domains + " certificateTransparency"]

    private static func has(_ words: [String: String], _ name: String, in element: XMLElement) -> Bool {
        words[element.name]?.split(separator: " ").contains(name[...]) == true
    }

    static func refuses(_ child: XMLElement, in element: XMLElement) -> Bool { has(refused, child.name, in: element) }

    /// Notes what Android does not read in `element` and below.
    static func noteUnknown(in element: XMLElement, of file: PinFile, into reading: inout PinReading) {
        guard elements[element.name] != nil else { return }
        for name in element.attributes.keys.sorted()
        where (!name.contains(":") || name.hasPrefix("android:")) && name != "xmlns"
            && !has(attributes, name, in: element)
        {
            let what = "the attribute '\(shortened(name, to: 60))' of <\(element.name)>"
            reading.note(.unknownKey, at: file.place(line: element.line), "Android passes over \(what)")
        }
        for child in element.children where !refuses(child, in: element) {
            guard !has(elements, child.name, in: element) else {
                noteUnknown(in: child, of: file, into: &reading)
                continue
            }
            let what = "<\(shortened(child.name, to: 60))> in <\(element.name)>"
            reading.note(.unknownKey, at: file.place(line: child.line), "Android passes over \(what)")
        }
    }
}

/// A reference such as `@raw/my_root` from one resource of an Android app to another.
struct AndroidResource {
    /// The file it names, `nil` when there is none.
    let path: String?

    /// Looks where an app's `res` directory has it, seen from within and from the manifest, and beside the file.
    init(_ reference: String, beside file: PinFile) throws(Problem) {
        let parts = reference.dropFirst().split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let isPlain =
            parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            }
        guard isPlain else {
            path = nil
            return
        }
        let directory = PathParts(file.path).directory
        let folder = directory.isEmpty ? "./" : directory
        for candidate in ["\(folder)../\(parts[0])/", "\(folder)res/\(parts[0])/", folder] {
            guard let names = try? RegularFile.names(inDirectory: candidate) else { continue }
            // A resource is named by what stands before the first point of its file's name.
            // A build takes one file of a name and fails for two.
            let found = names.filter { $0.prefix { $0 != "." } == parts[1] && candidate + $0 != file.path }
            if found.count > 1 {
                throw Problem(
                    .duplicate, at: file.place,
                    "\(reference) is '\(shortened(found[0], isPublic: true))' as well as "
                        + "'\(shortened(found[1], isPublic: true))' in \(candidate)",
                    remedy: "keep the one that the app ships")
            }
            if let name = found.first {
                path = candidate + name
                try Self.refuseQualified(candidate + name, at: file.place)
                return
            }
        }
        path = nil
    }

    /// Refuses a resource that some devices take from a directory of their own, such as `xml-v31`.
    static func refuseQualified(_ path: String, at place: PinPlace) throws(Problem) {
        let parts = PathParts(path)
        let folder = parts.directory.isEmpty ? "./" : parts.directory
        let names = ((try? RegularFile.names(inDirectory: folder + "..")) ?? []).filter { name in
            ["xml", "raw"].contains { name == $0 || name.hasPrefix($0 + "-") }
        }
        let identity = FileIdentity(of: folder)
        guard let own = names.first(where: { FileIdentity(of: "\(folder)../\($0)") == identity }) else { return }
        let resource = parts.name.prefix { $0 != "." }
        for other in names where other != own && other.prefix(3) == own.prefix(3) {
            let files = (try? RegularFile.names(inDirectory: "\(folder)../\(other)")) ?? []
            guard files.contains(where: { $0.prefix { $0 != "." } == resource }) else { continue }
            throw Problem(
                .duplicate, at: place,
                "'\(shortened(resource, isPublic: true))' is in '\(shortened(other, isPublic: true))' for some devices "
                    + "and in '\(own)' for others",
                remedy: "name the configuration of the devices that are meant, in a directory of its own")
        }
    }

    static func certificates(inFileAt path: String) throws(Problem) -> [Certificate] {
        let file = try PinFile.load(path)
        do throws(X509Error) { return try CertificateReader.plainCertificates(pemOrDER: file.bytes) } catch {
            throw Problem(.brokenCertificate, at: file.place, "holds no readable certificate: \(error)")
        }
    }
}
