import Base

/// Writes devices, or the roots of one, as text.
enum DevicesTextRenderer {
    static func table(_ report: DevicesReport, _ layout: TextLayout) -> [String] {
        let layout = TextLayout(columns: layout.columns, wraps: true)
        let heading = ["device", "also", "roots", "read", "rules"]
        let rows = report.devices.map { device in
            [
                device.name, device.alias ?? "", device.rootCount.map { String($0) } ?? "", device.read ?? "",
                device.rules.isEmpty ? "-" : device.rules.joined(separator: ", "),
            ]
        }
        return aligned([heading] + rows, layout)
            + [
                "", "SCTs: certificates of public roots need timestamps of Certificate Transparency",
                "leaf limits: 825 days and serverAuth, also below an app's own anchors",
                "ATS for IPs: App Transport Security holds for addresses too", "",
                "\(report.data.certificateCount) roots; the newest list was read \(report.data.date)",
                "source: \(safe(report.data.source))",
            ].map { layout.folded($0) }
    }

    static func roots(_ report: DevicesReport, _ layout: TextLayout) -> [String] {
        guard let device = report.devices.first, let roots = device.roots else { return [] }
        // A list to be read: in a pipe it is as narrow as at a terminal.
        let layout = TextLayout(columns: layout.columns, wraps: true)
        let names = [device.name, device.alias].compactMap(\.self).joined(separator: ", ")
        let count = roots.count == 1 ? "1 root" : "\(roots.count) roots"
        let heading = [
            "\(names): \(safe(device.release ?? "")), \(count), read \(device.read ?? "") at \(safe(device.url ?? ""))",
            "rules: \(device.rules.joined(separator: ", "))",
        ].map { layout.folded($0) }
        return heading
            + roots.map { root in
                let name =
                    "ends \(root.notAfter.prefix(10))  \(safe(root.name))"
                    + (root.isEverywhere ? "" : "  (\(root.availability))")
                return layout.folded(layout.joined(["  \(root.certSha256)", name], by: "  "))
            }
    }

    /// Rows whose columns are as wide as the widest field; the last goes on on the next line.
    private static func aligned(_ rows: [[String]], _ layout: TextLayout) -> [String] {
        let count = rows.map(\.count).max() ?? 0
        let widths = (0..<count).map { column in rows.map { TerminalText.cells($0[column]) }.max() ?? 0 }
        let last = widths.dropLast().reduce(0) { $0 + $1 + 2 }
        return rows.map { row in
            var line = ""
            for (field, width) in zip(row, widths) { line += TerminalText.padded(field, toCells: width + 2) }
            while line.hasSuffix(" ") { line.removeLast() }
            return layout.folded(line, indent: last)
        }
    }

    private static func safe(_ text: String) -> String { TerminalText.shown(text, to: 200) }
}
