import Base

/// Writes what each client decides on each device as lines of text, tables of which are no wider than there is room.
struct DeviceTextRenderer {
    let style: TextStyle
    let layout: TextLayout

    private static let indent = "  "
    /// A client's name with long settings is cut.
    private static let longestName = 48

    private static let givenAnchors = "by the anchors given, not their roots"

    /// The devices and their verdicts; nothing where no devices were named, or nothing was judged.
    func lines(_ report: Report) -> [String] {
        guard let devices = report.devices, !report.clients.isEmpty else { return [] }
        guard let matrix = DeviceMatrix(report) else { return [Self.indent + judged(devices)] }
        return [Self.indent + judged(devices)] + matrix.tables.flatMap(lines)
            + matrix.reasons.enumerated().map { index, reason in
                Self.indent + "  \(index + 1) \(safe(reason.id)): \(safe(reason.message, length: 200))"
            }
    }

    /// Who judged, in one line, where the verdicts are not told one by one.
    func summary(_ report: Report) -> [String] {
        guard let devices = report.devices, !report.clients.isEmpty else { return [] }
        let clients = Set(report.clients.map(\.name)).count
        let judges = clients > 1 ? "\(clients) clients on " : ""
        return [Self.indent + judges + judged(devices)]
    }

    /// The devices, and of when their roots are: of one its own, of several the newest.
    private func judged(_ devices: Report.Devices) -> String {
        guard devices.judged.count == 1, let device = devices.judged.first else {
            return "\(devices.judged.count) devices, "
                + (devices.useGivenAnchorsAlone ? Self.givenAnchors : "roots as read up to \(devices.date)")
        }
        if devices.useGivenAnchorsAlone { return "device: \(safe(device.name)), \(Self.givenAnchors)" }
        return "device: \(safe(device.name))" + (device.read.map { ", roots as read on \(safe($0))" } ?? "")
    }

    private func lines(_ table: DeviceMatrix.Table) -> [String] {
        let first = ([table.title] + table.rows.map(\.device)).map { TerminalText.cells($0) }.max() ?? 0
        let parts = table.parts(width: layout.columns - Self.indent.count, gap: 2, longest: Self.longestName)
        return parts.flatMap { part in
            let names = part.clients.map { safe($0, length: Self.longestName) }
            let widths = part.clients.indices.map { index in
                ([names[index]] + part.rows.map { $0.cells[index].text }).map { TerminalText.cells($0) }.max() ?? 0
            }
            func line(_ name: String, _ cells: [(text: String, shown: String)]) -> String {
                var line = Self.indent + name
                var missing = first - TerminalText.cells(name)
                for (cell, width) in zip(cells, widths) {
                    line += String(repeating: " ", count: missing + 2) + cell.shown
                    missing = width - TerminalText.cells(cell.text)
                }
                return line
            }
            let heading = line(part.title, names.map { ($0, $0) })
            return [heading] + part.rows.map { row in line(row.device, row.cells.map { ($0.text, shown($0)) }) }
        }
    }

    private func shown(_ cell: DeviceMatrix.Cell) -> String {
        switch cell.verdict {
        case .accept: style.good(cell.text)
        case .reject: style.bad(cell.text)
        case .none: cell.text
        }
    }

    private func safe(_ text: String, length: Int = 256) -> String { TerminalText.shown(text, to: length) }
}
