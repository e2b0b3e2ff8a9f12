internal import Pinning

/// TrustKit's part of an Info.plist, `TSKConfiguration`.
struct TrustKitWriter: PinBlockWriter {
    func lines(_ groups: [PinGroup]) -> [String] {
        XMLLines.propertyList { xml in
            xml.comment("Copy the key and its dictionary into the app's Info.plist.")
            xml.line("<key>TSKConfiguration</key>")
            xml.element("dict") { xml in
                xml.entry("TSKSwizzleNetworkDelegates", "<true/>")
                xml.line("<key>TSKPinnedDomains</key>")
                xml.element("dict") { xml in for group in groups { domain(group, &xml) } }
            }
        }
    }

    private func domain(_ group: PinGroup, _ xml: inout XMLLines) {
        for line in PinRemark.heading(group) { xml.comment(line) }
        xml.line("<key>\(GeneratedText.xml(group.hostName))</key>")
        xml.element("dict") { xml in
            guard group.rules?.isExcluded != true else {
                xml.entry(TrustKitReader.exclusion, "<true/>")
                return
            }
            xml.entry("TSKIncludeSubdomains", group.depth == .exact ? "<false/>" : "<true/>")
            xml.entry("TSKEnforcePinning", group.rules?.enforcesPinning == false ? "<false/>" : "<true/>")
            if let expiration = group.rules?.expiration {
                xml.entry("TSKExpirationDate", "<string>\(expiration.date)</string>")
            }
            if let reports = group.rules?.reportURIs, !reports.isEmpty {
                xml.line("<key>TSKReportUris</key>")
                xml.element("array") { xml in
                    for uri in reports { xml.line("<string>\(GeneratedText.xml(uri))</string>") }
                }
            }
            xml.line("<key>TSKPublicKeyHashes</key>")
            xml.element("array") { xml in
                let uses = group.uses()
                for (item, use) in uses {
                    xml.comment(item.label)
                    let string = "<string>\(item.notations.base64)</string>"
                    xml.line(use == .offered ? "<!-- \(string) -->" : string)
                }
                if uses.count(where: { $0.use == .pinned }) < 2 {
                    xml.comment("TrustKit refuses to start with fewer than two pins.")
                }
                PinRemark.backup([group]).forEach { xml.comment($0) }
            }
        }
    }
}
