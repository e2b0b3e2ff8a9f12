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
