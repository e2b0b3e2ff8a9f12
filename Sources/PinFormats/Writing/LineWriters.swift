internal import Base
internal import Pinning

/// The value of curl's `--pinnedpubkey`, in a command.
///
/// curl compares the key of the leaf and no other.
struct CurlWriter: PinBlockWriter {
    func lines(_ groups: [PinGroup]) -> [String] {
        groups.flatMap { group in
            var lines = PinRemark.heading(group).map { "# " + GeneratedText.comment($0) }
            var pins: [String] = []
            for (item, _) in group.uses() {
                lines.append("# " + GeneratedText.comment(item.label))
                if item.role.isAuthority {
                    lines.append("#   \(item.notations.curl)  (curl compares the server's own key only)")
                } else {
                    pins.append(item.notations.curl)
                }
            }
            guard !pins.isEmpty else { return lines + ["# No key here is a server's: curl cannot pin an authority."] }
            if let backup = PinRemark.backup([group]).first {
                lines.append("# " + backup)
                lines.append("# Separate it by ';' and nothing else. " + PinRemark.howToBackup)
            }
            let host = group.hostName.contains(":") ? "[\(group.hostName)]" : group.hostName
            let url = "https://\(host)\(group.port == 443 ? "" : ":\(group.port)")/"
            lines.append("curl --pinnedpubkey '\(pins.joined(separator: ";"))' \(GeneratedText.shellWord(url))")
            return lines
        }
    }
}

/// TLSA records for a DNS zone (RFC 6698, RFC 7671).
struct TLSAWriter: PinBlockWriter {
    func lines(_ groups: [PinGroup]) -> [String] {
        groups.flatMap { group in
            var lines = PinRemark.heading(group).map { "; " + GeneratedText.comment($0) }
            let isAddress = group.hostName.contains(":") || group.hostName.allSatisfy { $0.isNumber || $0 == "." }
            if isAddress { lines.append("; An address has no TLSA record: write the server's name for it.") }
            let name = isAddress ? PinGroup.hostPlaceholder : group.hostName
            let owner = "_\(group.port)._tcp.\(GeneratedText.zoneName(name))."
            let records = group.rules?.records ?? []
            lines += records.map { "\(owner) IN TLSA \($0)" }
            for (item, use) in group.uses() where records.isEmpty {
                lines.append("; " + GeneratedText.comment(item.label))
                lines.append((use == .offered ? "; " : "") + "\(owner) IN TLSA \(item.notations.tlsa)")
            }
            lines.append(
                "; Publish the record of the next key before the server uses it, and keep both until the TTL is over.")
            lines.append("; Clients believe these records only in a zone signed with DNSSEC.")
            return lines
        }
    }
}

/// The value of the header `Public-Key-Pins` (RFC 7469).
struct HPKPWriter: PinBlockWriter {
    /// An address as it may stand in a quoted string of a header.
    private static func quotable(_ uri: String) -> String {
        GeneratedText.visible(uri).replacingBytes(["\"": "", "\\": ""])
    }

    func lines(_ groups: [PinGroup]) -> [String] {
        groups.flatMap { group in
            var lines = PinRemark.heading(group).map { "# " + GeneratedText.comment($0) }
            var directives: [String] = []
            for (item, use) in group.uses() {
                lines.append("# " + GeneratedText.comment(item.label))
                if use == .offered {
                    lines.append("#   " + item.notations.hpkp)
                } else {
                    directives.append(item.notations.hpkp)
                }
            }
            guard !directives.isEmpty else {
                return lines + ["# No pin here is the hash of a key: a header has nothing to say."]
            }
            if !PinRemark.backup([group]).isEmpty {
                lines.append(
                    "# A client ignores the header unless one pin is on no certificate of the chain (RFC 7469, 2.5):")
                lines.append("# add the pin of a second key that you keep in reserve. " + PinRemark.howToBackup)
            }
            directives.append("max-age=5184000")
            if group.depth == .anyNumber { directives.append("includeSubDomains") }
            if let uri = group.rules?.reportURIs.first { directives.append("report-uri=\"\(Self.quotable(uri))\"") }
            return lines + [directives.joined(separator: "; ")]
        }
    }
}
