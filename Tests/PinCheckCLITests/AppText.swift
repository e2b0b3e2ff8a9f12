/// Texts of configurations that apps ship. Names such as `$LEAF64` stand for what they do at a ``Desk``.
enum AppText {
    static func android(_ body: String) -> String { "<network-security-config>\n\(body)</network-security-config>\n" }

    static func base(_ body: String) -> String { "<base-config>\(body)</base-config>\n" }

    static func domain(_ body: String, for name: String = "$HOST", below: Bool = false) -> String {
        "<domain-config><domain\(below ? " includeSubdomains=\"true\"" : "")>\(name)</domain>\(body)</domain-config>\n"
    }

    static func pinSet(_ pins: String..., until expiration: String? = nil) -> String {
        let date = expiration.map { " expiration=\"\($0)\"" } ?? ""
        return "<pin-set\(date)>" + pins.map { "<pin digest=\"SHA-256\">\($0)</pin>" }.joined() + "</pin-set>"
    }

    static func anchors(_ sources: String..., overriding: Bool? = nil) -> String {
        let attribute = overriding.map { " overridePins=\"\($0)\"" } ?? ""
        return "<trust-anchors>" + sources.map { "<certificates src=\"\($0)\"\(attribute)/>" }.joined()
            + "</trust-anchors>"
    }

    static func debug(_ anchors: String) -> String { "<debug-overrides>\(anchors)</debug-overrides>\n" }

    static func plist(_ body: String) -> String { "<plist version=\"1.0\"><dict>\(body)</dict></plist>\n" }

    static func ats(_ body: String = "") -> String {
        plist("<key>NSAppTransportSecurity</key><dict>\n\(body)\n</dict>")
    }

    static func pinnedDomains(leaf: [String]? = nil, cas: [String]? = nil, of name: String = "$HOST") -> String {
        func list(_ key: String, _ pins: [String]?) -> String {
            guard let pins else { return "" }
            let pin = pins.map { "<dict><key>SPKI-SHA256-BASE64</key><string>\($0)</string></dict>" }
            return "<key>\(key)</key><array>\(pin.joined())</array>"
        }
        return "<key>NSPinnedDomains</key><dict><key>\(name)</key><dict><key>NSIncludesSubdomains</key><true/>"
            + "\(list("NSPinnedLeafIdentities", leaf))\(list("NSPinnedCAIdentities", cas))</dict></dict>"
    }

    static func trustKit(_ pins: [String], settings: String = "", of name: String = "$HOST") -> String {
        let hashes = pins.map { "\"\($0)\"" }.joined(separator: ", ")
        let domain = "{\"TSKIncludeSubdomains\": true, \"TSKPublicKeyHashes\": [\(hashes)]\(settings)}"
        return "{\"TSKPinnedDomains\": {\"\(name)\": \(domain)}}"
    }

    static func okHttp(_ pin: String, of name: String = "$HOST") -> String {
        "val p = CertificatePinner.Builder().add(\"\(name)\", \"\(pin)\").build()\n"
    }
}
