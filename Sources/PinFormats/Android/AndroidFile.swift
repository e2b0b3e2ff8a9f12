import Base
import Pinning

/// Reads Android's `network_security_config.xml`, or the manifest of an app that names it.
enum AndroidFile {
    static func isFound(in text: String) -> Bool {
        text.holds("<network-security-config") || text.holds("<manifest") && text.holds(attribute)
    }

    private static let attribute = "android:networkSecurityConfig"
    private static let element = "network-security-config"

    static func follow(
        _ manifest: XMLElement, in file: PinFile, _ resources: some AndroidResources, into reading: inout PinReading
    ) throws(Problem) {
        let application = manifest["application"].first
        if let application, application.attributes["android:debuggable"] == "true" {
            reading.note(
                .debuggableApp, at: file.place(line: application.line),
                "is a debuggable build, for which <debug-overrides> counts; judged as a release; "
                    + "--client android:debuggable judges it as it is")
        }
        guard let application, let reference = application.attributes["\(attribute)"] else {
            guard file.text == nil else {
                let reason = "the manifest names no \(attribute) in <application>"
                throw file.problem(.notAPin, line: manifest.line, reason)
            }
            // Without a configuration the app has the system's defaults.
            var trust = NetworkSecurityConfiguration(origin: file.place)
            trust.targetSDK = targetSDK(in: manifest, of: file, into: &reading)
            reading.add(.android, [])
            return reading.networkSecurity.append(trust)
        }
        let place = file.place(line: application.line)
        guard let configuration = try resources.file(for: reference) else {
            throw Problem(
                .missingFile, at: place, "the resource '\(shortened(reference, to: 80))' is not there",
                "name its file, res/xml/….xml, instead of the manifest")
        }
        let isBuilt = configuration.text == nil
        let root =
            isBuilt
            ? try BuiltXML.root(of: configuration) : try XMLReader.root(of: configuration, mayHaveDocumentType: false)
        try read(root, of: configuration, targetSDK(in: manifest, of: file, into: &reading), resources, &reading)
    }

    /// The targetSdkVersion of a manifest; a project's manifest may lack it, because build tools add it.
    private static func targetSDK(in manifest: XMLElement, of file: PinFile, into reading: inout PinReading) -> Int? {
        guard let element = manifest["uses-sdk"].first,
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
        if root.name == "manifest", file.text?.holds("<network-security-config") == false {
            return try follow(root, in: file, ResourceDirectory(file: file), into: &reading)
        }
        if !file.isInArchive { try ResourceDirectory.refuseQualified(file.path, at: file.place) }
        try read(root, of: file, nil, ResourceDirectory(file: file), &reading)
    }

    private static func read(
        _ root: XMLElement, of file: PinFile, _ targetSDK: Int?, _ resources: some AndroidResources,
        _ reading: inout PinReading
    ) throws(Problem) {
        guard root.name == element else {
            throw file.problem(
                .wrongValue, line: root.line, "begins with <\(shortened(root.name, to: 60))>",
                "the first element is <\(element)>")
        }
        var reader = AndroidReader(file: file, targetSDK: targetSDK, resources: resources)
        try reader.read(root, into: &reading)
        reading.add(.android, reader.entries)
        reading.networkSecurity.append(reader.trust)
    }
}

/// The children and attributes that Android reads in each element of a configuration; it ignores everything else.
enum AndroidWords {
    private static let domains = "domain pin-set domain-config"
    private static let settings = "trust-anchors certificateTransparency domainEncryption"
    private static let elements = [
        "network-security-config": "base-config domain-config debug-overrides", "base-config": settings,
        "domain-config": "\(domains) \(settings) trustkit-config", "debug-overrides": "trust-anchors", "domain": "",
        "pin-set": "pin", "pin": "", "trust-anchors": "certificates", "certificates": "", "certificateTransparency": "",
        "domainEncryption": "", "trustkit-config": "report-uri", "report-uri": "",
    ]
    private static let attributes = [
        "base-config": "cleartextTrafficPermitted hstsEnforced",
        "domain-config": "cleartextTrafficPermitted hstsEnforced", "debug-overrides": "overridePins",
        "domain": "includeSubdomains", "pin-set": "expiration", "pin": "digest", "certificates": "src overridePins",
        "certificateTransparency": "enabled", "domainEncryption": "mode",
        "trustkit-config": "enforcePinning disableDefaultReportUri",
    ]
    private static let refused = ["base-config": domains, "debug-overrides": domains + " certificateTransparency"]

    private static func has(_ words: [String: String], _ name: String, in element: XMLElement) -> Bool {
        words[element.name]?.split(separator: " ").contains(name[...]) == true
    }

    static func refuses(_ child: XMLElement, in element: XMLElement) -> Bool { has(refused, child.name, in: element) }

    static func noteUnknown(in element: XMLElement, of file: PinFile, into reading: inout PinReading) {
        guard elements[element.name] != nil else { return }
        func note(_ words: String, _ line: Int) { reading.note(.unknownKey, at: file.place(line: line), words) }
        for name in element.attributes.keys.sorted() where name != "xmlns" && !has(attributes, name, in: element) {
            guard !name.contains(":") || name.hasPrefix("android:") else { continue }
            note("Android ignores the attribute '\(shortened(name, to: 60))' of <\(element.name)>", element.line)
        }
        // Source of the modes: android.security.NetworkSecurityPolicy, API level 37.
        let mode = element.name == "domainEncryption" ? element.attributes["mode"] : nil
        if let mode, !["enabled", "opportunistic", "disabled"].contains(mode) {
            let what = "the mode '\(shortened(mode, to: 60))' of <domainEncryption>"
            note("\(what) is not one that Android documents", element.line)
        }
        for child in element.children where !refuses(child, in: element) {
            if has(elements, child.name, in: element) {
                noteUnknown(in: child, of: file, into: &reading)
            } else if child.name.contains(":") {
                reading.report(
                    .wrongValue, at: file.place(line: child.line),
                    "<\(shortened(child.name, to: 60))> has a prefix, and Android reads the name behind it",
                    "leave the prefix out")
            } else {
                note("Android ignores <\(shortened(child.name, to: 60))> in <\(element.name)>", child.line)
            }
        }
    }
}
