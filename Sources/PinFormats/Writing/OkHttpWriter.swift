/// Kotlin that builds OkHttp's `CertificatePinner`.
struct OkHttpWriter: PinBlockWriter {
    func lines(_ groups: [PinGroup]) -> [String] {
        var lines = groups.flatMap(PinRemark.heading).map { "// " + GeneratedText.comment($0) }
        lines.append("val certificatePinner = CertificatePinner.Builder()")
        for group in groups {
            for (item, use) in group.uses() {
                let host = GeneratedText.kotlin(group.hostName)
                lines.append("    // " + GeneratedText.comment(PinRemark.label(item, use)))
                lines.append(
                    (use == .offered ? "    // " : "    ") + ".add(\"\(host)\", \"\(item.notations.okhttp)\")"
                )
            }
        }
        lines.append("    // " + PinRemark.backup)
        lines.append("    // " + PinRemark.howToBackup)
        lines.append("    .build()")
        return lines
    }
}
