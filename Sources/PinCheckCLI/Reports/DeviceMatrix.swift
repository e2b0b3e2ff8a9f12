import Base

/// What each client decides on each device, as tables: one for each group of devices that run the same clients.
struct DeviceMatrix {
    /// Devices that run the same clients.
    struct Table {
        /// What stands above the devices: `ios`, `android`, or what a device is called that is alone.
        let title: String
        let clients: [String]
        var rows: [(device: String, cells: [Cell])]
    }

    /// One verdict, and the number of the reason where it is none to be glad of.
    struct Cell {
        let verdict: Report.VerdictWord
        let reason: Int?

        /// As in `accept` and `reject 2`.
        var text: String { verdict.rawValue + (reason.map { " \($0)" } ?? "") }
    }

    /// The tables in the order of the devices.
    private(set) var tables: [Table] = []
    /// The reasons in the order of their numbers, from 1.
    private(set) var reasons: [Report.Message] = []

    /// The verdicts of a report; `nil` where no devices were named, and for a single verdict, which says it itself.
    init?(_ report: Report) {
        guard let devices = report.devices, report.clients.count > 1 else { return nil }
        for device in devices.judged {
            let judging = report.clients.filter { $0.device == device.name }
            let names = judging.map(\.nameWithSettings)
            let cells = judging.map { client in
                Cell(verdict: client.verdict, reason: client.verdict == .accept ? nil : number(client.reason))
            }
            let title = device.platform ?? device.name
            if let index = tables.firstIndex(where: { $0.title == title && $0.clients == names }) {
                tables[index].rows.append((device.name, cells))
            } else {
                tables.append(Table(title: title, clients: names, rows: [(device.name, cells)]))
            }
        }
    }

    private mutating func number(_ reason: Report.Message) -> Int {
        if let index = reasons.firstIndex(of: reason) { return index + 1 }
        reasons.append(reason)
        return reasons.count
    }
}

extension DeviceMatrix.Table {
    /// The table in parts of some clients each, so that none is wider than `width` columns.
    ///
    /// - Returns: at least one part, each with one client at least.
    func parts(width: Int, gap: Int, longest: Int) -> [DeviceMatrix.Table] {
        let first = rows.map { TerminalText.cells($0.device) }.max() ?? 0
        var parts: [Range<Int>] = []
        var used = 0
        for index in clients.indices {
            let cells = rows.map { TerminalText.cells($0.cells[index].text) }
            let column = max(min(TerminalText.cells(clients[index]), longest), cells.max() ?? 0) + gap
            if let last = parts.last, used + column <= width {
                parts[parts.count - 1] = last.lowerBound..<index + 1
                used += column
            } else {
                parts.append(index..<index + 1)
                used = max(first, TerminalText.cells(title)) + column
            }
        }
        return parts.map { part in
            DeviceMatrix.Table(
                title: title, clients: Array(clients[part]), rows: rows.map { ($0.device, Array($0.cells[part])) })
        }
    }
}
