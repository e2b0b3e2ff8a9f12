internal import Pinning

/// Android's `network_security_config.xml`, with TrustKit's additions, or the manifest of an app that names it.
struct AndroidConfigurationFormat: PinFileFormat {
    func recognises(_ file: PinFile) -> Bool {
        guard let text = file.text else { return false }
        return text[...].holds("<network-security-config")
            || text[...].holds("<manifest") && text[...].holds(Self.attribute)
    }

    private static let attribute: StaticString = "android:networkSecurityConfig"

    /// Whether the bytes are the binary form that XML has in a built app.
    static func isBinary(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x03, 0x00, 0x08, 0x00]) }

    static func binary(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .otherKind,
            at: place,
            "is XML in Android's binary form, as a built app has it, which is not read",
            remedy: "name the project's res/xml/network_security_config.xml, or decode the app first: apktool d APP.apk"
        )
    }

    /// Reads the configuration that a manifest names.
    private func follow(
        _ manifest: XMLElement,
        in file: PinFile,
        into collector: inout PinCollector
    ) throws(PinFormatError) {
        guard let application = manifest.children(named: "application").first,
            let reference = application.attributes["\(Self.attribute)"]
        else {
            throw PinFormatError(
                .notAPin,
                at: file.place(line: manifest.line),
                "the manifest names no \(Self.attribute) in <application>"
            )
        }
        let place = file.place(line: application.line)
        guard let path = AndroidResource(reference, beside: file).path else {
            throw PinFormatError(
                .missingFile,
                at: place,
                "the resource '\(shortened(reference, to: 80))' is not there",
                remedy: "name its file, res/xml/….xml, instead of the manifest"
            )
        }
        let configuration = try PinFileReader.load(path)
        guard configuration.text?[...].holds("<network-security-config") == true else {
            throw PinFormatError(.wrongValue, at: configuration.place, "is no network security configuration")
        }
        try read(configuration, into: &collector)
    }

    func read(_ file: PinFile, into collector: inout PinCollector) throws(PinFormatError) {
        let root = try XMLReader.root(of: file, mayHaveDocumentType: false)
        if root.name == "manifest", file.text?[...].holds("<network-security-config") == false {
            return try follow(root, in: file, into: &collector)
        }
        guard root.name == "network-security-config" else {
            throw PinFormatError(
                .wrongValue,
                at: file.place(line: root.line),
                "begins with <\(shortened(root.name, to: 60))>",
                remedy: "the first element is <network-security-config>"
            )
        }
        var reader = AndroidConfigurationReader(file: file)
        try reader.read(root, into: &collector)
        collector.add(PinConfiguration(.android, entries: reader.entries))
    }
}

/// Follows the elements as Android's own reader does, and stops where that throws.
private struct AndroidConfigurationReader {
    /// What a nested `<domain-config>` takes over where it says nothing itself.
    struct Inherited {
        var pins: [Pin] = []
        var expiration: Timestamp?
        var enforcesPinning: Bool?
        var exemptAnchors: [Certificate] = []
        var reportURIs: [String] = []
        /// Whether pins are left out because they are wrong.
        var isIncomplete = false
    }

    let file: PinFile
    private(set) var entries: [HostEntry] = []
    private var places: [String: PinPlace] = [:]
    private var pinCount = 0

    init(file: PinFile) {
        self.file = file
    }

    mutating func read(_ root: XMLElement, into collector: inout PinCollector) throws(PinFormatError) {
        var inherited = Inherited()
        for element in root.children(named: "base-config") {
            if let pinSet = element.children(named: "pin-set").first {
                let error = PinFormatError(
                    .wrongValue,
                    at: place(pinSet),
                    "a <pin-set> stands in <base-config>, where Android takes none",
                    remedy: "put it into a <domain-config>"
                )
                try collector.gather(error)
            }
            inherited.exemptAnchors = try exemptAnchors(element, into: &collector) ?? []
        }
        for element in root.children(named: "domain-config") {
            do throws(PinFormatError) {
                try readDomains(element, inherited, into: &collector)
            } catch {
                try collector.gather(error)
            }
        }
        if let element = root.children(named: "debug-overrides").first {
            collector.note(
                .debugOverrides,
                at: place(element),
                "<debug-overrides> is for debuggable builds, where its anchors override pins; left out here"
            )
        }
        for element in root.children
        where !["base-config", "domain-config", "debug-overrides"].contains(element.name) {
            collector.note(
                .notFollowed,
                at: place(element),
                "<\(shortened(element.name, to: 60))> is nothing that Android reads here"
            )
        }
    }

    private mutating func readDomains(
        _ element: XMLElement,
        _ inherited: Inherited,
        into collector: inout PinCollector
    ) throws(PinFormatError) {
        let domains = element.children(named: "domain")
        guard !domains.isEmpty else {
            throw PinFormatError(
                .missingValue,
                at: place(element),
                "a <domain-config> has no <domain>, and Android throws for it",
                remedy: "add <domain>host</domain>"
            )
        }
        var own = inherited
        let pinSets = element.children(named: "pin-set")
        if pinSets.count > 1 {
            let error = PinFormatError(
                .duplicate,
                at: place(pinSets[1]),
                "a <domain-config> has two <pin-set>s, and Android throws for it",
                remedy: "put all pins into one"
            )
            try collector.gather(error)
        }
        if let pinSet = pinSets.first {
            let before = collector.problemCount
            own.pins = try pins(in: pinSet, into: &collector)
            own.isIncomplete = collector.problemCount > before
            own.expiration = nil
            if let date = pinSet.attributes["expiration"] {
                do throws(PinFormatError) {
                    own.expiration = try DateText.midnight(date, at: place(pinSet))
                } catch {
                    try collector.gather(error)
                }
            }
        }
        if let anchors = try exemptAnchors(element, into: &collector) { own.exemptAnchors = anchors }
        if let trustKit = element.children(named: "trustkit-config").first {
            own.enforcesPinning = try flag("enforcePinning", of: trustKit) ?? false
            own.reportURIs = trustKit.children(named: "report-uri").map { String($0.text[...].trimmingWhitespace()) }
        }
        for (index, domain) in domains.enumerated() {
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                try readDomain(domain, own, isLast: index == domains.count - 1)
            }
            guard let entry else { continue }
            pinCount += own.pins.count
            guard pinCount <= HostEntry.mostPins else { throw .tooManyPins(at: place(domain)) }
            if own.isIncomplete { collector.markIncomplete(entry.origin) }
            entries.append(entry)
        }
        for nested in element.children(named: "domain-config") {
            do throws(PinFormatError) {
                try readDomains(nested, own, into: &collector)
            } catch {
                try collector.gather(error)
            }
        }
    }

    private mutating func readDomain(
        _ domain: XMLElement,
        _ own: Inherited,
        isLast: Bool
    ) throws(PinFormatError) -> HostEntry {
        let name = domain.text[...].trimmingWhitespace()
        let includesSubdomains = try flag("includeSubdomains", of: domain) ?? false
        let hosts = try HostText.pattern(name, includesSubdomains ? .anyNumber : .exact, at: place(domain))
        guard places.updateValue(place(domain), forKey: hosts.name) == nil else {
            throw PinFormatError(
                .duplicate,
                at: place(domain),
                "the domain '\(hosts.name)' is given twice, and Android throws for it",
                remedy: "keep one of the two"
            )
        }
        var entry = HostEntry(
            hosts: hosts,
            origin: place(domain).description,
            identities: .anywhere(own.pins)
        )
        entry.expiration = own.expiration
        entry.enforcesPinning = own.enforcesPinning
        entry.exemptAnchors = own.exemptAnchors
        entry.reportURIs = own.reportURIs
        entry.isReadByTrustKitAndroid = isLast
        return entry
    }

    private func pins(in pinSet: XMLElement, into collector: inout PinCollector) throws(PinFormatError) -> [Pin] {
        var pins: [Pin] = []
        for element in pinSet.children(named: "pin") {
            do throws(PinFormatError) {
                let digest = element.attributes["digest"]
                guard digest == "SHA-256" else {
                    throw PinFormatError(
                        .wrongAlgorithm,
                        at: place(element),
                        digest.map { "the digest '\(shortened($0, to: 40))' is none that Android knows" }
                            ?? "the pin has no digest",
                        remedy: "it is digest=\"SHA-256\""
                    )
                }
                let text = String(element.text[...].trimmingWhitespace())
                pins.append(try HashText.bare(text, at: place(element)))
            } catch {
                try collector.skip(error)
            }
        }
        if pinSet.children(named: "pin").isEmpty {
            collector.note(.emptyPinSet, at: place(pinSet), "the <pin-set> is empty: Android pins nothing")
        }
        return pins
    }

    /// The anchors of `element` that are exempt from pinning; `nil` when it has none of its own.
    private func exemptAnchors(
        _ element: XMLElement,
        into collector: inout PinCollector
    ) throws(PinFormatError) -> [Certificate]? {
        let lists = element.children(named: "trust-anchors")
        guard !lists.isEmpty else { return nil }
        var exempt: [Certificate] = []
        for source in lists.flatMap({ $0.children(named: "certificates") }) {
            guard let text = source.attributes["src"] else {
                throw PinFormatError(
                    .missingValue,
                    at: place(source),
                    "<certificates> has no src",
                    remedy: "it is src=\"system\", \"user\" or \"@raw/name\""
                )
            }
            let overridesPins = try flag("overridePins", of: source) ?? false
            if text.hasPrefix("@") {
                let resource = AndroidResource(text, beside: file)
                guard let path = resource.path else {
                    throw PinFormatError(
                        .missingFile,
                        at: place(source),
                        "the resource '\(shortened(text, to: 80))' is not there",
                        remedy: "put its file beside the configuration, or into ../raw as in an app's res"
                    )
                }
                if overridesPins { exempt += try AndroidResource.certificates(inFileAt: path) }
                collector.note(
                    .notFollowed,
                    at: place(source),
                    "the app trusts '\(shortened(text, to: 80))'; to judge by it give --anchors "
                        + PinFile.shellWord(path)
                )
            } else if text != "system" {
                collector.note(
                    .notFollowed,
                    at: place(source),
                    "the app trusts the '\(shortened(text, to: 80))' store"
                        + (overridesPins ? ", whose roots override pins" : "")
                        + "; to judge by it use a client's setting user-roots with --extra-root"
                )
            }
            if overridesPins {
                collector.note(
                    .pinsOverridden,
                    at: place(source),
                    "overridePins=\"true\": a chain that ends at '\(shortened(text, to: 80))' is accepted without a pin"
                )
            }
        }
        return exempt
    }

    private func flag(_ name: String, of element: XMLElement) throws(PinFormatError) -> Bool? {
        guard let text = element.attributes[name] else { return nil }
        guard text == "true" || text == "false" else {
            throw PinFormatError(
                .wrongValue,
                at: place(element),
                "\(name)=\"\(shortened(text, to: 40))\" is neither true nor false",
                remedy: "write true or false"
            )
        }
        return text == "true"
    }

    private func place(_ element: XMLElement) -> PinPlace { file.place(line: element.line) }
}
