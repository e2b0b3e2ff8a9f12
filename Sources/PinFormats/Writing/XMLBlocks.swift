import Pinning

/// Blocks of XML: two parts of an Info.plist, and Android's configuration.
enum XMLBlocks {
    static func trustKit(_ groups: [PinGroup]) -> [String] {
        propertyList { xml in
            xml.element("dict", key: "TSKConfiguration") { xml in
                xml.entry("TSKSwizzleNetworkDelegates", "<true/>")
                if let exemption = groups.lazy.compactMap(\.entry?.exemptsInstalledRoots).first {
                    xml.entry(TrustKitReader.userAnchors, exemption ? "<true/>" : "<false/>")
                }
                xml.element("dict", key: "TSKPinnedDomains") { xml in for group in groups { trustKit(group, &xml) } }
            }
        }
    }

    private static func trustKit(_ group: PinGroup, _ xml: inout XMLLines) {
        xml.heading(group)
        xml.element("dict", key: GeneratedText.xml(group.hostName)) { xml in
            guard !group.isExempt else { return xml.entry(TrustKitReader.exclusion, "<true/>") }
            xml.entry("TSKIncludeSubdomains", group.depth == .exact ? "<false/>" : "<true/>")
            xml.entry("TSKEnforcePinning", group.entry?.enforcesPinning == false ? "<false/>" : "<true/>")
            if let expiration = group.entry?.expiration {
                xml.entry("TSKExpirationDate", "<string>\(expiration.date)</string>")
            }
            if let reports = group.entry?.reportURIs, !reports.isEmpty {
                xml.element("array", key: "TSKReportUris") { xml in
                    for uri in reports { xml.line("<string>\(GeneratedText.xml(uri))</string>") }
                }
            }
            xml.element("array", key: "TSKPublicKeyHashes") { xml in
                xml.pins(group) { "<string>\($0)</string>" }
                if group.uses().count(where: \.isPinned) < 2 {
                    xml.comment("TrustKit refuses to start with fewer than two pins.")
                }
                PinRemark.backup([group]).forEach { xml.comment($0) }
            }
        }
    }

    /// Apple's `NSPinnedDomains`; CA identities are a comment next to leaf identities, because both lists must match.
    static func pinnedDomains(_ groups: [PinGroup]) -> [String] {
        propertyList { xml in
            xml.element("dict", key: "NSAppTransportSecurity") { xml in
                xml.element("dict", key: "NSPinnedDomains") { xml in for group in groups { pinnedDomain(group, &xml) } }
            }
        }
    }

    private static func pinnedDomain(_ group: PinGroup, _ xml: inout XMLLines) {
        let wantsBoth = group.position == .both
        let items = wantsBoth ? group.items : group.uses().map(\.item)
        let servers = items.filter { !$0.role.isAuthority }
        let authorities = items.filter(\.role.isAuthority)
        xml.heading(group)
        xml.element("dict", key: GeneratedText.xml(group.hostName)) { xml in
            xml.entry("NSIncludesSubdomains", group.depth == .exact ? "<false/>" : "<true/>")
            let backup = PinRemark.backup([group])
            if !servers.isEmpty || wantsBoth { identities("NSPinnedLeafIdentities", servers, backup, &xml) }
            if !authorities.isEmpty, servers.isEmpty || wantsBoth {
                identities("NSPinnedCAIdentities", authorities, backup, &xml)
            } else if !authorities.isEmpty {
                xml.comment(
                    "To pin the issuer, whatever key the server has, put this in place of NSPinnedLeafIdentities;")
                xml.comment("with both of them, both must match.")
                xml.line("<!-- <key>NSPinnedCAIdentities</key> <array> -->")
                for item in authorities {
                    xml.comment(item.label)
                    xml.line("<!-- \(identity(item)) -->")
                }
                xml.line("<!-- </array> -->")
            }
        }
    }

    private static func identities(_ key: String, _ items: [PinItem], _ backup: [String], _ xml: inout XMLLines) {
        xml.element("array", key: key) { xml in
            for item in items {
                xml.comment(item.label)
                xml.line(identity(item))
            }
            backup.forEach { xml.comment($0) }
        }
    }

    private static func identity(_ item: PinItem) -> String {
        "<dict><key>SPKI-SHA256-BASE64</key><string>\(item[.base64])</string></dict>"
    }

    private static func propertyList(_ contents: (inout XMLLines) -> Void) -> [String] {
        var xml = XMLLines([
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">",
            "<plist version=\"1.0\">",
        ])
        xml.element("dict") { xml in
            xml.comment("Copy the key and its dictionary into the app's Info.plist.")
            contents(&xml)
        }
        return xml.lines + ["</plist>"]
    }

    static func android(_ groups: [PinGroup]) -> [String] {
        var xml = XMLLines(["<?xml version=\"1.0\" encoding=\"utf-8\"?>"])
        xml.comment("res/xml/network_security_config.xml, named by android:networkSecurityConfig in the manifest")
        xml.element("network-security-config") { xml in
            for group in groups {
                xml.heading(group)
                xml.element("domain-config") { xml in android(group, &xml) }
            }
        }
        return xml.lines
    }

    private static func android(_ group: PinGroup, _ xml: inout XMLLines) {
        let host = GeneratedText.xml(group.hostName)
        xml.line("<domain includeSubdomains=\"\(group.depth != .exact)\">\(host)</domain>")
        guard !group.isExempt else {
            return xml.comment("No pin-set: the pins of its parent domain do not apply here.")
        }
        var attributes = ""
        if let expiration = group.entry?.expiration {
            attributes = " expiration=\"\(expiration.date)\""
            xml.comment("From that day on Android pins nothing.")
        } else if group.entry == nil {
            xml.comment("An expiration date on the pin set would switch pinning off after it.")
        }
        xml.element("pin-set", attributes: attributes) { xml in
            xml.pins(group) { "<pin digest=\"SHA-256\">\($0)</pin>" }
            PinRemark.backup([group]).forEach { xml.comment($0) }
        }
    }
}

private struct XMLLines {
    private(set) var lines: [String]
    private var depth = 0

    init(_ prologue: [String]) { lines = prologue }

    /// Appends a line of markup, in which untrusted text is escaped already.
    mutating func line(_ markup: String) { lines.append(String(repeating: "    ", count: depth) + markup) }
    mutating func comment(_ text: String) { line("<!-- \(GeneratedText.comment(text)) -->") }

    /// Appends an element, below its key in a dictionary; `attributes` are escaped already.
    mutating func element(
        _ name: String, key: String? = nil, attributes: String = "", _ contents: (inout XMLLines) -> Void
    ) {
        if let key { line("<key>\(key)</key>") }
        line("<\(name)\(attributes)>")
        depth += 1
        contents(&self)
        depth -= 1
        line("</\(name)>")
    }

    mutating func entry(_ key: String, _ value: String) {
        line("<key>\(key)</key>")
        line(value)
    }

    mutating func heading(_ group: PinGroup) { PinRemark.heading(group).forEach { comment($0) } }

    /// Appends the hashes of a group, each below its owner; a key that is only offered is a comment.
    mutating func pins(_ group: PinGroup, _ element: (String) -> String) {
        for (item, isPinned) in group.uses() {
            comment(item.label)
            line(isPinned ? element(item[.base64]) : "<!-- \(element(item[.base64])) -->")
        }
    }
}
