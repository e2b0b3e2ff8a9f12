import Base
import Pinning
import X509

/// Reads elements as Android's `XmlConfigSource` does; its exceptions end the app at the first TLS connection.
struct AndroidReader {
    /// The settings that a nested `<domain-config>` inherits if it has none of its own.
    private struct Inherited {
        var pins: [Pin] = []
        var expiration: Timestamp?
        /// The trust settings of the elements, innermost first.
        var levels: [NetworkSecurityConfiguration.Level] = []
        /// `true` if TrustKit also enforces the pins, so that `overridePins` has no effect.
        var isEnforcedByTrustKit = false
        var isIncomplete = false

        var isPinning: Bool { !pins.isEmpty || isIncomplete }
    }

    private let file: PinFile
    private let resources: any AndroidResources
    private(set) var entries: [HostEntry] = []
    private(set) var trust: NetworkSecurityConfiguration
    private var names: Set<String> = []
    private var pinCount = 0

    init(file: PinFile, targetSDK: Int? = nil, resources: some AndroidResources) {
        (self.file, self.resources) = (file, resources)
        trust = NetworkSecurityConfiguration(origin: file.place)
        trust.targetSDK = targetSDK
    }

    mutating func read(_ root: XMLElement, into reading: inout PinReading) throws(Problem) {
        AndroidWords.noteUnknown(in: root, of: file, into: &reading)
        refuseSecond(["base-config", "debug-overrides"], in: root, into: &reading)
        for element in root["base-config"] {
            refuse(in: element, into: &reading)
            trust.base = try level(element, into: &reading)
            trust.origin = place(element)
        }
        for element in root["domain-config"] {
            reading.attempt { (reading) throws(Problem) in try readDomains(element, Inherited(), into: &reading) }
        }
        readDebugOverrides(root, into: &reading)
    }

    private mutating func readDomains(
        _ element: XMLElement, _ inherited: Inherited, into reading: inout PinReading
    ) throws(Problem) {
        let domains = element["domain"]
        guard !domains.isEmpty else {
            throw Problem(
                .missingValue, at: place(element), "a <domain-config> has no <domain>, and Android throws for it",
                "add <domain>host</domain>")
        }
        refuseSecond(["pin-set"], in: element, into: &reading)
        refuse(in: element, into: &reading)
        for child in domains + element["pin-set"].flatMap({ $0["pin"] }) {
            refuseElements(in: child, into: &reading)
        }
        var own = inherited
        let pinSet = element["pin-set"].first
        if let pinSet { read(pinSet, &own, into: &reading) }
        let trustKit = element["trustkit-config"].last
        if let trustKit {
            // `Boolean.parseBoolean` ignores the case, and build tools ignore blanks.
            let word = trustKit.attributes["enforcePinning"]?[...].trimmingWhitespace().lowercased()
            own.isEnforcedByTrustKit = word == "true"
            reading.note(
                .trustKitConfig, at: place(trustKit),
                "<trustkit-config> does not switch the system's pins off on Android 7 and later")
        }
        // Source: TrustKit-Android, DomainPinningPolicy.java; pins and enforcement are inherited.
        if let place = (trustKit ?? pinSet).map(place), own.isEnforcedByTrustKit, !own.isIncomplete,
            Set(own.pins.map(\.spkiSHA256)).count < 2
        {
            reading.report(
                .trustKitTooFewPins, at: place,
                "TrustKit throws when the app starts: it enforces fewer than two different pins", "pin a second key")
        }
        own.levels.insert(try level(element, into: &reading), at: 0)
        for domain in domains {
            let includes = try flag("includeSubdomains", of: domain) ?? false
            let entry = reading.entry { (reading) throws(Problem) in
                try readDomain(domain, includes, own, into: &reading)
            }
            guard let entry else { continue }
            pinCount += own.pins.count
            guard pinCount <= HostEntry.mostPins else { throw .tooManyPins(at: place(domain)) }
            if own.isIncomplete { reading.incompleteEntries.insert(entry.origin) }
            entries.append(entry)
            guard let hosts = entry.hosts else { continue }
            trust.domains.append((hosts, entry.origin, own.levels, isOverridable: !own.isEnforcedByTrustKit))
        }
        for nested in element["domain-config"] {
            reading.attempt { (reading) throws(Problem) in try readDomains(nested, own, into: &reading) }
        }
    }

    private mutating func readDomain(
        _ domain: XMLElement, _ includesSubdomains: Bool, _ own: Inherited, into reading: inout PinReading
    ) throws(Problem) -> HostEntry {
        let name = domain.text[...].trimmingWhitespace()
        do { _ = try HostText.name(name, at: place(domain)) } catch {
            // Android compares hosts as text in lower case, so a wrong one matters only if it has pins.
            guard !own.isPinning, !domain.text.isEmpty else { throw error }
            reading.note(.ignored, at: place(domain), "\(error.reason), and nothing is pinned for it")
        }
        let hosts = HostPattern(text: shortened(name.lowercased(), to: 253), includesSubdomains ? .anyNumber : .exact)
        guard names.insert(hosts.name).inserted else {
            throw Problem(
                .duplicate, at: place(domain),
                "the domain '\(shortened(hosts.name, to: 80))' is given twice, and Android throws for it",
                "keep one of the two")
        }
        if own.isPinning { reading.noteIfUnmatchable(hosts, by: "Android", at: place(domain)) }
        var entry = HostEntry(hosts: hosts, origin: place(domain), identities: .anywhere(own.pins))
        entry.expiration = own.expiration
        let sources = (own.levels + [trust.base]).lazy.compactMap(\.sources).first
        entry.hasExemptAnchors = sources?.contains(where: \.overridesPins) ?? false
        return entry
    }

    private func read(_ pinSet: XMLElement, _ own: inout Inherited, into reading: inout PinReading) {
        let before = reading.problemCount
        let elements = pinSet["pin"]
        own.pins = elements.compactMap { element in reading.attempt { (_) throws(Problem) in try pin(element) } }
        if elements.isEmpty {
            reading.note(.emptyPinSet, at: place(pinSet), "the <pin-set> is empty: Android pins nothing")
        }
        own.isIncomplete = reading.problemCount > before
        own.expiration = nil
        if let date = pinSet.attributes["expiration"] {
            let read = reading.attempt { (_) throws(Problem) in try TimeText.android(date, at: place(pinSet)) }
            own.expiration = read?.day
            if let rest = read?.rest, !rest.isEmpty {
                let words = "Android ignores '\(shortened(rest, to: 40))' behind the date"
                reading.note(.ignored, .note, at: place(pinSet), words)
            }
        }
    }

    private func pin(_ element: XMLElement) throws(Problem) -> Pin {
        let digest = element.attributes["digest"]
        // Android ignores the case.
        guard let digest, digest.lowercased() == "sha-256" else {
            throw Problem(
                .wrongAlgorithm, at: place(element),
                digest.map { "Android does not know the digest '\(shortened($0, to: 40))'" } ?? "the pin has no digest",
                "it is digest=\"SHA-256\"")
        }
        return try HashText.bare(String(element.text[...].trimmingWhitespace()), at: place(element))
    }

    private func level(
        _ element: XMLElement, into reading: inout PinReading
    ) throws(Problem) -> NetworkSecurityConfiguration.Level {
        let sources = sources(element, into: &reading)
        // Only the last element counts; without the attribute it means false.
        let transparency = try element["certificateTransparency"].last.map {
            (element) throws(Problem) in try flag("enabled", of: element) ?? false
        }
        var level = NetworkSecurityConfiguration.Level(sources: sources, isTransparencyEnabled: transparency)
        level.userAnchors = element["trust-anchors"].flatMap { $0["certificates"] }
            .first { $0.attributes["src"] == "user" }.map(place)
        return level
    }

    /// The sources of anchors that an element names; `nil` if it inherits those of the elements around it.
    private func sources(
        _ element: XMLElement, isDebug: Bool = false, into reading: inout PinReading
    ) -> [NetworkSecurityConfiguration.Source]? {
        let lists = element["trust-anchors"]
        guard let first = lists.first else { return nil }
        let elements = lists.flatMap { $0["certificates"] }
        if elements.isEmpty, !isDebug {
            reading.note(
                .trustsNothing, at: place(first), "<trust-anchors> is empty: Android trusts no server for these hosts")
        }
        var sources: [NetworkSecurityConfiguration.Source] = []
        for element in elements {
            reading.attempt { (reading) throws(Problem) in
                let overrides = try flag("overridePins", of: element)
                sources.append(.init(try source(element), overridesPins: overrides ?? isDebug))
                guard overrides == true else { return }
                let anchor = shortened(element.attributes["src"] ?? "", to: 80)
                let words = "overridePins=\"true\": a chain that ends at '\(anchor)' is accepted without a pin"
                reading.note(.pinsOverridden, at: place(element), words)
            }
        }
        return sources
    }

    private func source(_ element: XMLElement) throws(Problem) -> NetworkSecurityConfiguration.Source.Origin {
        let known = "it is src=\"system\", \"user\" or \"@raw/name\""
        guard let text = element.attributes["src"] else {
            let reason = "<certificates> has no src, and Android throws for it"
            throw Problem(.missingValue, at: place(element), reason, known)
        }
        if text == "system" { return .system }
        if text == "user" { return .user }
        guard text.hasPrefix("@") else {
            throw Problem(
                .wrongValue, at: place(element),
                "src=\"\(shortened(text, to: 80))\" is not a source that Android knows, and it throws", known)
        }
        guard let resource = try resources.file(for: text) else {
            throw Problem(
                .missingFile, at: place(element), "the resource '\(shortened(text, to: 80))' is not there",
                "put its file beside the configuration, or into ../raw as in an app's res")
        }
        return .resource(name: shortened(text, to: 80), try certificates(in: resource))
    }

    private func certificates(in file: PinFile) throws(Problem) -> [Certificate] {
        do {
            return try CertificateReader.plainCertificates(pemOrDER: file.bytes, mayHaveText: false)
        } catch {
            guard KeyFile.isPEM(file) || DERShape(file.bytes) != .certificate else {
                throw .broken(.certificate, at: file.place, file.bytes, detail: error.detail)
            }
            throw file.problem(.brokenCertificate, "holds no readable certificate: \(error)")
        }
    }

    /// Reads the first `<debug-overrides>`; release builds ignore it, so a mistake in it fails debuggable builds only.
    private mutating func readDebugOverrides(_ root: XMLElement, into reading: inout PinReading) {
        guard let element = root["debug-overrides"].first else {
            do {
                trust.debugObstacle = try resources.debugTwin(of: file).map { name in
                    "a debuggable build reads \(shortened(name, isPublic: true)) beside \(file.place), too: name that file"
                }
            } catch { trust.debugObstacle = "a debuggable build throws: \(error)" }
            return
        }
        reading.note(
            .debugOverrides, at: place(element),
            "<debug-overrides> is for debuggable builds, where its anchors override pins; it counts with the setting "
                + "debuggable alone")
        var own = PinReading()
        refuse(in: element, into: &own)
        trust.debugSources = sources(element, isDebug: true, into: &own)
        trust.debugObstacle = own.problems.first.map { "a debuggable build throws: \($0)" }
        for problem in own.problems {
            reading.note(.debugBuildThrows, at: problem.place, "in debuggable builds: \(problem.reason)")
        }
    }

    /// Refuses elements that must not be in `element`, and a second `<trust-anchors>`.
    private func refuse(in element: XMLElement, into reading: inout PinReading) {
        for child in element.children where AndroidWords.refuses(child, in: element) {
            reading.report(
                .wrongValue, at: place(child), "<\(child.name)> is not allowed in <\(element.name)>: Android throws",
                child.name == "domain-config" ? "move it out" : "put it into a <domain-config>")
        }
        refuseSecond(["trust-anchors"], in: element, into: &reading)
    }

    private func refuseSecond(_ names: [String], in element: XMLElement, into reading: inout PinReading) {
        for name in names {
            let found = element[name]
            guard found.count > 1 else { continue }
            let count = found.count == 2 ? "two" : "\(found.count)"
            reading.report(
                .duplicate, at: place(found[1]), "<\(element.name)> has \(count) <\(name)>s, and Android throws for it",
                "put all into one")
        }
    }

    private func refuseElements(in element: XMLElement, into reading: inout PinReading) {
        guard let child = element.children.first else { return }
        reading.report(
            .wrongValue, at: place(child),
            "<\(element.name)> holds <\(shortened(child.name, to: 60))>, and Android throws for it",
            "only text is allowed there")
    }

    private func flag(_ name: String, of element: XMLElement) throws(Problem) -> Bool? {
        guard let text = element.attributes[name] else { return nil }
        // Android's XmlBlock.getAttributeBooleanValue does not convert text.
        guard !element.texts.contains(name) else {
            throw Problem(
                .wrongValue, at: place(element), "\(name) is a text in the built app, and Android takes the default",
                "build the app with aapt2, which makes a flag of it")
        }
        guard text == "true" || text == "false" else {
            throw Problem(
                .wrongValue, at: place(element), "\(name)=\"\(shortened(text, to: 40))\" is neither true nor false",
                "write true or false")
        }
        return text == "true"
    }

    private func place(_ element: XMLElement) -> PinPlace { file.place(line: element.line) }
}
