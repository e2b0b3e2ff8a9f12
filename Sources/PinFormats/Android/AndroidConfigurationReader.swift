internal import Base
internal import Pinning

/// Follows the elements as Android's own reader does (`XmlConfigSource`), and stops where that throws.
struct AndroidConfigurationReader {
    /// What a nested `<domain-config>` takes over where it says nothing itself.
    struct Inherited {
        var pins: [Pin] = []
        var expiration: Timestamp?
        var enforcesPinning: Bool?
        /// What the elements say of trust, the innermost first.
        var levels: [NetworkSecurityConfiguration.Level] = []
        var reportURIs: [String] = []
        /// Whether pins are left out because they are wrong.
        var isIncomplete = false

        /// Whether hosts are pinned with it.
        var isPinning: Bool { !pins.isEmpty || isIncomplete }
    }

    let file: PinFile
    private(set) var entries: [HostEntry] = []
    /// What the file says of trust.
    private(set) var trust: NetworkSecurityConfiguration
    private var places: [String: PinPlace] = [:]
    private var pinCount = 0

    /// A reader of a file of an app with this targetSdkVersion, `nil` where nothing says it.
    init(file: PinFile, targetSDK: Int? = nil) {
        self.file = file
        trust = NetworkSecurityConfiguration(origin: file.place.description)
        trust.targetSDK = targetSDK
    }

    mutating func read(_ root: XMLElement, into collector: inout PinCollector) throws(PinFormatError) {
        let structure = AndroidStructure(file: file)
        try structure.checkRoot(root, into: &collector)
        AndroidVocabulary(file: file).check(root, into: &collector)
        for element in root.children(named: "base-config") {
            try structure.check(element, as: .base, into: &collector)
            trust.base = try level(element, into: &collector)
            trust.origin = place(element).description
        }
        for element in root.children(named: "domain-config") {
            do throws(PinFormatError) { try readDomains(element, Inherited(), into: &collector) } catch {
                try collector.gather(error)
            }
        }
        let debug = AndroidDebugOverrides(in: root, of: file, into: &collector)
        trust.debugSources = debug.sources
        trust.debugObstacle = debug.obstacle
    }

    /// What an element says of trust itself.
    private func level(
        _ element: XMLElement, into collector: inout PinCollector
    ) throws(PinFormatError) -> NetworkSecurityConfiguration.Level {
        let sources = try AndroidTrustAnchors(file: file).sources(element, into: &collector)
        // The last one counts; without an attribute it switches off.
        let transparency = try element.children(named: "certificateTransparency").last.map {
            (element) throws(PinFormatError) in try AndroidStructure(file: file).flag("enabled", of: element) ?? false
        }
        return NetworkSecurityConfiguration.Level(sources: sources, isTransparencyEnabled: transparency)
    }

    private mutating func readDomains(
        _ element: XMLElement, _ inherited: Inherited, into collector: inout PinCollector
    ) throws(PinFormatError) {
        let domains = element.children(named: "domain")
        guard !domains.isEmpty else {
            throw PinFormatError(
                .missingValue, at: place(element), "a <domain-config> has no <domain>, and Android throws for it",
                remedy: "add <domain>host</domain>")
        }
        try AndroidStructure(file: file).check(element, as: .domain, into: &collector)
        var own = inherited
        if let pinSet = element.children(named: "pin-set").first { try read(pinSet, &own, into: &collector) }
        own.levels.insert(try level(element, into: &collector), at: 0)
        if let trustKit = element.children(named: "trustkit-config").first {
            let enforces = try AndroidStructure(file: file).flag("enforcePinning", of: trustKit)
            own.enforcesPinning = enforces ?? own.enforcesPinning ?? false
            own.reportURIs = trustKit.children(named: "report-uri").map { String($0.text[...].trimmingWhitespace()) }
        }
        for domain in domains {
            let includes = try AndroidStructure(file: file).flag("includeSubdomains", of: domain)
            let entry = try collector.entry { (collector) throws(PinFormatError) in
                try readDomain(domain, includes ?? false, own, into: &collector)
            }
            guard let entry else { continue }
            pinCount += own.pins.count
            guard pinCount <= HostEntry.mostPins else { throw .tooManyPins(at: place(domain)) }
            if own.isIncomplete { collector.markIncomplete(entry.origin) }
            entries.append(entry)
            if let hosts = entry.hosts {
                trust.domains.append(.init(hosts: hosts, origin: entry.origin, levels: own.levels))
            }
        }
        for nested in element.children(named: "domain-config") {
            do throws(PinFormatError) { try readDomains(nested, own, into: &collector) } catch {
                try collector.gather(error)
            }
        }
    }

    private mutating func readDomain(
        _ domain: XMLElement, _ includesSubdomains: Bool, _ own: Inherited, into collector: inout PinCollector
    ) throws(PinFormatError) -> HostEntry {
        let name = domain.text[...].trimmingWhitespace()
        let hosts: HostPattern
        do throws(PinFormatError) {
            hosts = try HostText.androidPattern(name, includesSubdomains: includesSubdomains, at: place(domain))
        } catch {
            // Android compares whatever stands there; without pins that is all one.
            guard !own.isPinning, !domain.text.isEmpty else { throw error }
            collector.note(.ignored, at: place(domain), "\(error.reason), and nothing is pinned for it")
            hosts = HostText.androidPattern(unchecked: name, includesSubdomains: includesSubdomains)
        }
        guard places.updateValue(place(domain), forKey: hosts.name) == nil else {
            throw PinFormatError(
                .duplicate, at: place(domain),
                "the domain '\(shortened(hosts.name, to: 80))' is given twice, and Android throws for it",
                remedy: "keep one of the two")
        }
        if own.isPinning { collector.noteIfUnmatchable(hosts, by: "Android", at: place(domain)) }
        var entry = HostEntry(hosts: hosts, origin: place(domain).description, identities: .anywhere(own.pins))
        entry.expiration = own.expiration
        entry.enforcesPinning = own.enforcesPinning
        let levels = own.levels + [trust.base]
        entry.hasExemptAnchors = levels.lazy.compactMap(\.sources).first?.contains(where: \.overridesPins) ?? false
        entry.reportURIs = own.reportURIs
        return entry
    }

    private func read(
        _ pinSet: XMLElement, _ own: inout Inherited, into collector: inout PinCollector
    ) throws(PinFormatError) {
        let before = collector.problemCount
        own.pins = []
        for element in pinSet.children(named: "pin") {
            do throws(PinFormatError) { own.pins.append(try pin(element)) } catch { try collector.skip(error) }
        }
        if pinSet.children(named: "pin").isEmpty {
            collector.note(.emptyPinSet, at: place(pinSet), "the <pin-set> is empty: Android pins nothing")
        }
        own.isIncomplete = collector.problemCount > before
        own.expiration = nil
        if let date = pinSet.attributes["expiration"] {
            do throws(PinFormatError) { own.expiration = try DateText.midnight(date, at: place(pinSet)) } catch {
                try collector.gather(error)
            }
        }
    }

    private func pin(_ element: XMLElement) throws(PinFormatError) -> Pin {
        let digest = element.attributes["digest"]
        // Android looks at no case here.
        guard let digest, digest.lowercased() == "sha-256" else {
            throw PinFormatError(
                .wrongAlgorithm, at: place(element),
                digest.map { "Android does not know the digest '\(shortened($0, to: 40))'" } ?? "the pin has no digest",
                remedy: "it is digest=\"SHA-256\"")
        }
        let text = String(element.text[...].trimmingWhitespace())
        return try HashText.bare(text, at: place(element))
    }

    private func place(_ element: XMLElement) -> PinPlace { file.place(line: element.line) }
}
