import Base
import Pinning

enum LineBlocks {
    static func okHttp(_ groups: [PinGroup]) -> [String] {
        var lines = groups.flatMap(PinRemark.heading).map { "// " + GeneratedText.comment($0) }
        lines.append("val certificatePinner = CertificatePinner.Builder()")
        for group in groups {
            let host = GeneratedText.kotlin(group.hostName)
            let patterns =
                switch group.depth {
                case .exact: [host]
                case .oneLabel: ["*.\(host)"]
                case .upToOneLabel: [host, "*.\(host)"]
                case .anyNumber: ["**.\(host)"]
                }
            for (item, isPinned) in group.uses() {
                lines.append("    // " + GeneratedText.comment(item.label))
                lines += patterns.map { pattern in
                    (isPinned ? "    " : "    // ") + ".add(\"\(pattern)\", \"\(item[.okhttp])\")"
                }
            }
        }
        lines += PinRemark.backup(groups).map { "    // " + $0 }
        lines.append("    .build()")
        return lines
    }

    /// A command with curl's `--pinnedpubkey`; curl compares only the key of the leaf.
    static func curl(_ groups: [PinGroup]) -> [String] {
        groups.flatMap { group in
            var lines = PinRemark.heading(group).map { "# " + GeneratedText.comment($0) }
            var pins: [String] = []
            for (item, _) in group.uses() {
                lines.append("# " + GeneratedText.comment(item.label))
                if item.role.isAuthority {
                    lines.append("#   \(item[.curl])  (curl compares the server's own key only)")
                } else {
                    pins.append(item[.curl])
                }
            }
            guard !pins.isEmpty else { return lines + ["# No key here is a server's, and curl compares no CA's."] }
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

    /// The names of certificate files for the bundle of an app with AFNetworking.
    static func afNetworking(_ groups: [PinGroup]) -> [String] {
        var lines: [String] = []
        for group in groups {
            lines += PinRemark.heading(group).map { "// " + GeneratedText.comment($0) }
            for (item, isPinned) in group.uses() {
                lines.append("// " + GeneratedText.comment(item.label))
                var file = "a key without a certificate: AFNetworking pins certificates only"
                if let certificate = item.certificate {
                    let name = GeneratedText.comment(CertificateFileName.name(of: certificate, role: item.role))
                    file = name + (isPinned ? ": add to the bundle" : ": do not add (it would be pinned too)")
                }
                lines.append("//   \(item[.okhttp])  \(file)")
            }
        }
        lines += [
            "// Save the files with 'pincheck pins … --save DIR' and add them to the app target: AFNetworking loads every",
            "// DER file named .cer from the bundle, and no other. AFSSLPinningModePublicKey outlives a renewed certificate.",
        ]
        let certificates = groups.map { group in
            var group = group
            group.items.removeAll { $0.certificate == nil }
            return group
        }
        if let backup = PinRemark.backup(groups).first {
            lines.append("// " + backup)
        } else if certificates != groups, !PinRemark.backup(certificates).isEmpty {
            lines.append(
                "// The key in reserve needs a certificate before AFNetworking can pin it: sign one with the key itself."
            )
        }
        return lines
    }
}
