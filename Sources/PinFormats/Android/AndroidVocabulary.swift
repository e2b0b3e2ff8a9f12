internal import Base

/// What Android and TrustKit read of a network security configuration; Android passes over everything else without a word.
struct AndroidVocabulary {
    private struct Words {
        var elements: [String] = []
        var attributes: [String] = []
    }

    private static let words: [String: Words] = [
        "network-security-config": Words(elements: ["base-config", "domain-config", "debug-overrides"]),
        "base-config": Words(
            elements: ["trust-anchors", "certificateTransparency", "domainEncryption"],
            attributes: ["cleartextTrafficPermitted", "hstsEnforced"]),
        "domain-config": Words(
            elements: [
                "domain", "pin-set", "trust-anchors", "domain-config", "trustkit-config", "certificateTransparency",
                "domainEncryption",
            ], attributes: ["cleartextTrafficPermitted", "hstsEnforced"]),
        "debug-overrides": Words(elements: ["trust-anchors"], attributes: ["overridePins"]),
        "domain": Words(attributes: ["includeSubdomains"]),
        "pin-set": Words(elements: ["pin"], attributes: ["expiration"]), "pin": Words(attributes: ["digest"]),
        "trust-anchors": Words(elements: ["certificates"]), "certificates": Words(attributes: ["src", "overridePins"]),
        "certificateTransparency": Words(attributes: ["enabled"]), "domainEncryption": Words(attributes: ["mode"]),
        "trustkit-config": Words(elements: ["report-uri"], attributes: ["enforcePinning", "disableDefaultReportUri"]),
        "report-uri": Words(),
    ]

    let file: PinFile

    /// Notes what in `element` and below nobody reads.
    func check(_ element: XMLElement, into reading: inout PinReading) {
        guard let words = Self.words[element.name] else { return }
        let plain = element.attributes.keys.filter { !$0.contains(":") && $0 != "xmlns" }
        for name in plain.sorted() where !words.attributes.contains(name) {
            note(
                "the attribute '\(shortened(name, to: 60))' of <\(element.name)>", name, words.attributes, element.line,
                &reading)
        }
        // Those that Android throws for where they stand, which is said there.
        let refused = AndroidStructure.Config(rawValue: element.name)?.refused ?? []
        for child in element.children where !refused.contains(child.name) {
            if words.elements.contains(child.name) {
                check(child, into: &reading)
            } else {
                let what = "<\(shortened(child.name, to: 60))> in <\(element.name)>"
                note(what, child.name, words.elements, child.line, &reading)
            }
        }
    }

    private func note(_ what: String, _ name: String, _ known: [String], _ line: Int, _ reading: inout PinReading) {
        let remedy = Suggestion.nearest(to: name, in: known).map { "; did you mean '\($0)'?" } ?? ""
        reading.note(.unknownKey, at: file.place(line: line), "Android passes over \(what)" + remedy)
    }
}
