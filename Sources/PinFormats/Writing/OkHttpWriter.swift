internal import Pinning

/// Kotlin that builds OkHttp's `CertificatePinner`.
struct OkHttpWriter: PinBlockWriter {
    func lines(_ groups: [PinGroup]) -> [String] {
        var lines = groups.flatMap(PinRemark.heading).map { "// " + GeneratedText.comment($0) }
        lines.append("val certificatePinner = CertificatePinner.Builder()")
        for group in groups {
            for (item, use) in group.uses() {
                lines.append("    // " + GeneratedText.comment(item.label))
                lines += Self.patterns(group).map { pattern in
                    (use == .offered ? "    // " : "    ") + ".add(\"\(pattern)\", \"\(item.notations.okhttp)\")"
                }
            }
        }
        lines += PinRemark.backup(groups).map { "    // " + $0 }
        lines.append("    .build()")
        return lines
    }

    /// OkHttp's patterns for the hosts of a group.
    private static func patterns(_ group: PinGroup) -> [String] {
        let host = GeneratedText.kotlin(group.hostName)
        return switch group.depth {
        case .exact: [host]
        case .oneLabel: ["*.\(host)"]
        case .upToOneLabel: [host, "*.\(host)"]
        case .anyNumber: ["**.\(host)"]
        }
    }
}
