internal import Pinning

/// Apple's own pinning, `NSPinnedDomains` in an Info.plist.
///
/// Leaf and CA identities that stand together must both match, so the one that is not pinned stands there as a comment.
struct NSPinnedDomainsWriter: PinBlockWriter {
    func lines(_ groups: [PinGroup]) -> [String] {
        XMLLines.propertyList { xml in
            xml.comment("Copy the key and its dictionary into the app's Info.plist.")
            xml.line("<key>NSAppTransportSecurity</key>")
            xml.element("dict") { xml in
                xml.line("<key>NSPinnedDomains</key>")
                xml.element("dict") { xml in for group in groups { domain(group, &xml) } }
            }
        }
    }

    private func domain(_ group: PinGroup, _ xml: inout XMLLines) {
        for line in PinRemark.heading(group) { xml.comment(line) }
        let wantsBoth = group.rules?.position == .both
        let items = wantsBoth ? group.items : group.uses().map(\.item)
        let servers = items.filter { !$0.role.isAuthority }
        let authorities = items.filter(\.role.isAuthority)
        xml.line("<key>\(GeneratedText.xml(group.hostName))</key>")
        xml.element("dict") { xml in
            xml.entry("NSIncludesSubdomains", group.depth == .exact ? "<false/>" : "<true/>")
            let backup = PinRemark.backup([group])
            if !servers.isEmpty || wantsBoth { identities("NSPinnedLeafIdentities", servers, backup, &xml) }
            if !authorities.isEmpty, servers.isEmpty || wantsBoth {
                identities("NSPinnedCAIdentities", authorities, backup, &xml)
            } else if !authorities.isEmpty {
                offer(authorities, &xml)
            }
        }
    }

    private func identities(_ key: String, _ items: [PinItem], _ backup: [String], _ xml: inout XMLLines) {
        xml.line("<key>\(key)</key>")
        xml.element("array") { xml in
            for item in items {
                xml.comment(item.label)
                xml.line(Self.identity(item))
            }
            backup.forEach { xml.comment($0) }
        }
    }

    /// The same for the authorities, line by line in comments.
    private func offer(_ items: [PinItem], _ xml: inout XMLLines) {
        xml.comment("To pin the issuer, whatever key the server has, put this in place of NSPinnedLeafIdentities;")
        xml.comment("with both of them, both must match.")
        xml.line("<!-- <key>NSPinnedCAIdentities</key> <array> -->")
        for item in items {
            xml.comment(item.label)
            xml.line("<!-- \(Self.identity(item)) -->")
        }
        xml.line("<!-- </array> -->")
    }

    private static func identity(_ item: PinItem) -> String {
        "<dict><key>SPKI-SHA256-BASE64</key><string>\(item.notations.base64)</string></dict>"
    }
}
