internal import Pinning

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
        let rules = group.rules
        let isExcluded = rules?.isExcluded == true
        let includes = group.depth != .exact
        xml.line("<domain includeSubdomains=\"\(includes)\">\(GeneratedText.xml(group.hostName))</domain>")
        guard !isExcluded else {
            xml.comment("No pin-set: what is said of its parent domain does not count here.")
            return
        }
        var attributes = ""
        if let expiration = rules?.expiration {
            attributes = " expiration=\"\(expiration.date)\""
            xml.comment("From that day on Android pins nothing.")
        } else if rules == nil {
            xml.comment("An expiration date on the pin set would switch pinning off after it.")
        }
        xml.element("pin-set", attributes: attributes) { xml in
            for (item, use) in group.uses() {
                xml.comment(item.label)
                let pin = "<pin digest=\"SHA-256\">\(item.notations.base64)</pin>"
                xml.line(use == .offered ? "<!-- \(pin) -->" : pin)
            }
            PinRemark.backup([group]).forEach { xml.comment($0) }
        }
        if let rules { trustKit(rules, &xml) }
    }

    /// What TrustKit for Android reads of the rules, which it enforces only when told to.
    private func trustKit(_ rules: PinRules, _ xml: inout XMLLines) {
        guard rules.enforcesPinning != nil || !rules.reportURIs.isEmpty else { return }
        xml.comment("Only TrustKit reads this; Android itself enforces every pin.")
        xml.element("trustkit-config", attributes: " enforcePinning=\"\(rules.enforcesPinning ?? true)\"") { xml in
            for uri in rules.reportURIs { xml.line("<report-uri>\(GeneratedText.xml(uri))</report-uri>") }
        }
    }
}
