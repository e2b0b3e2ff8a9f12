import Text

/// Writes devices, or the roots of one, as text.
enum DevicesTextRenderer {
    /// The table of all devices.
    static func table(_ report: DevicesReport) -> [String] {
        let heading = ["device", "also", "roots", "read", "rules"]
        let rows = report.devices.map { device in
            [
                device.name, device.alias ?? "", device.rootCount.map { String($0) } ?? "", device.read ?? "",
                device.rules.isEmpty ? "-" : device.rules.joined(separator: ", "),
            ]
        }
        return aligned([heading] + rows) + [
            "",
            "SCTs: certificates of public roots need timestamps of Certificate Transparency",
            "leaf limits: 825 days and serverAuth, also below an app's own anchors",
            "ATS for IPs: App Transport Security holds for addresses too",
            "",
            "\(report.data.certificateCount) roots; the newest list was read \(report.data.date)",
            "source: \(safe(report.data.source))",
        ]
    }

    /// The roots of the first device, by name.
    static func roots(_ report: DevicesReport) -> [String] {
        guard let device = report.devices.first, let roots = device.roots else { return [] }
        let names = [device.name, device.alias].compactMap(\.self).joined(separator: ", ")
        let heading = [
            "\(names): \(safe(device.release ?? "")), \(roots.count) roots, read \(device.read ?? "") at \(safe(device.url ?? ""))",
            "rules: \(device.rules.joined(separator: ", "))",
        ]
        return heading
            + roots.map { root in
                "  \(root.certSha256)  ends \(root.notAfter.prefix(10))  \(safe(root.name))"
                    + (root.availability == "on all" ? "" : "  (\(root.availability))")
            }
    }

    /// Rows whose columns are as wide as the widest field.
    private static func aligned(_ rows: [[String]]) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (field, width) in zip(row, widths) {
                line += field + String(repeating: " ", count: width - field.count + 2)
            }
            while line.hasSuffix(" ") { line.removeLast() }
            return line
        }
    }

    private static func safe(_ text: String) -> String {
        TerminalText.shown(text, to: 200)
    }
}
