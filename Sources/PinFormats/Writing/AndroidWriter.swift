/// Android's Network Security Config, `res/xml/network_security_config.xml`.
struct AndroidWriter: PinBlockWriter {
    func lines(_ groups: [PinGroup]) -> [String] {
        var xml = XMLLines(["<?xml version=\"1.0\" encoding=\"utf-8\"?>"])
        xml.comment("res/xml/network_security_config.xml, named by android:networkSecurityConfig in the manifest")
        xml.element("network-security-config") { xml in
            for group in groups {
                for line in PinRemark.heading(group) { xml.comment(line) }
                xml.element("domain-config") { xml in domain(group, &xml) }
            }
        }
        return xml.lines
    }

    private func domain(_ group: PinGroup, _ xml: inout XMLLines) {
        xml.line("<domain includeSubdomains=\"false\">\(GeneratedText.xml(group.hostName))</domain>")
        xml.comment("An expiration date on the pin set would switch pinning off after it.")
        xml.element("pin-set") { xml in
            for (item, use) in group.uses(atLeast: 2) {
                xml.comment(PinRemark.label(item, use))
                let pin = "<pin digest=\"SHA-256\">\(item.notations.base64)</pin>"
                xml.line(use == .offered ? "<!-- \(pin) -->" : pin)
            }
            xml.comment(PinRemark.backup)
            xml.comment(PinRemark.howToBackup)
        }
    }
}
