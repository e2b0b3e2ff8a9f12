internal import Base

/// The elements that Android's reader throws for where they stand (`XmlConfigSource`): the app ends at its first TLS connection.
struct AndroidStructure {
    /// A kind of element with settings.
    enum Config: String {
        case base = "base-config"
        case domain = "domain-config"
        case debug = "debug-overrides"

        /// What must not stand in it.
        var refused: [String] {
            switch self {
            case .base: ["pin-set", "domain", "domain-config"]
            case .domain: []
            case .debug: ["pin-set", "domain", "domain-config", "certificateTransparency"]
            }
        }

        /// What can stand in it once only.
        fileprivate var single: [String] { self == .domain ? ["pin-set", "trust-anchors"] : ["trust-anchors"] }
    }

    let file: PinFile

    /// Refuses what stands twice in the document.
    func checkRoot(_ root: XMLElement, into reading: inout PinReading) throws(PinFormatError) {
        try refuseSecond(["base-config", "debug-overrides"], in: root, into: &reading)
    }

    /// Refuses what does not belong into `element`, or stands there twice.
    func check(_ element: XMLElement, as config: Config, into reading: inout PinReading) throws(PinFormatError) {
        for child in element.children where config.refused.contains(child.name) {
            let error = PinFormatError(
                .wrongValue, at: file.place(line: child.line),
                "a <\(child.name)> stands in <\(config.rawValue)>, where Android takes none and throws",
                remedy: child.name == "domain-config" ? "move it out" : "put it into a <domain-config>")
            reading.report(error)
        }
        try refuseSecond(config.single, in: element, into: &reading)
        for child in element.children where child.name == "domain" { try refuseElements(in: child, into: &reading) }
        for pin in element.children(named: "pin-set").flatMap({ $0.children(named: "pin") }) {
            try refuseElements(in: pin, into: &reading)
        }
    }

    /// An attribute that is true or false, `nil` when it is not there.
    func flag(_ name: String, of element: XMLElement) throws(PinFormatError) -> Bool? {
        guard let text = element.attributes[name] else { return nil }
        guard text == "true" || text == "false" else {
            throw PinFormatError(
                .wrongValue, at: file.place(line: element.line),
                "\(name)=\"\(shortened(text, to: 40))\" is neither true nor false", remedy: "write true or false")
        }
        return text == "true"
    }

    private func refuseSecond(
        _ names: [String], in element: XMLElement, into reading: inout PinReading
    ) throws(PinFormatError) {
        for name in names {
            let found = element.children(named: name)
            guard found.count > 1 else { continue }
            let error = PinFormatError(
                .duplicate, at: file.place(line: found[1].line),
                "<\(element.name)> has \(found.count == 2 ? "two" : "\(found.count)") <\(name)>s, and Android throws for it",
                remedy: "put all into one")
            reading.report(error)
        }
    }

    private func refuseElements(in element: XMLElement, into reading: inout PinReading) throws(PinFormatError) {
        guard let child = element.children.first else { return }
        let error = PinFormatError(
            .wrongValue, at: file.place(line: child.line),
            "<\(element.name)> holds <\(shortened(child.name, to: 60))>, and Android throws for it",
            remedy: "nothing but text belongs there")
        reading.report(error)
    }
}
