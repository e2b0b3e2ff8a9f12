import Base
import PinChecking

/// What each client decides on each device.
extension TextRenderer {
    private static let givenAnchors = "by the anchors given, not their roots"

    /// The devices and their verdicts; nothing where no devices were named, or nothing was judged.
    func devices(_ report: Report) -> [String] {
        guard let devices = report.devices, !report.clients.isEmpty else { return [] }
        // A single verdict says it itself.
        return ["  " + judged(devices)] + (report.clients.count > 1 ? verdicts(report, on: devices) : [])
    }

    /// Who judged, in one line, where the verdicts are not told one by one.
    func devicesInShort(_ report: Report) -> [String] {
        guard let devices = report.devices, !report.clients.isEmpty else { return [] }
        let clients = Set(report.clients.map(\.name)).count
        return ["  " + (clients > 1 ? "\(clients) clients on " : "") + judged(devices)]
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

    /// Neighbours of which all is the same are one row, as in `ios-13 to ios-26`.
    private static func joined(_ rows: [[String]]) -> [[String]] {
        rows.reduce(into: []) { joined, row in
            if let last = joined.last, last.dropFirst() == row.dropFirst() {
                joined[joined.count - 1][0] = last[0].prefix { $0 != " " } + " to " + row[0]
            } else {
                joined.append(row)
            }
        }
    }

    /// Tables, one for each group of devices that run the same clients, and the reasons that their numbers stand for.
    private func verdicts(_ report: Report, on devices: Report.Devices) -> [String] {
        var reasons: [Report.Message] = []
        func number(_ reason: Report.Message) -> Int {
            if let index = reasons.firstIndex(of: reason) { return index + 1 }
            reasons.append(reason)
            return reasons.count
        }
        let rows = devices.judged.map { device in
            let judging = report.clients.filter { $0.device == device.name }
            // A client's name with long settings is cut.
            let heading = [device.platform ?? device.name] + judging.map { safe($0.nameWithSettings, length: 48) }
            let row =
                [device.name]
                + judging.map { client in
                    switch client.verdict {
                    case .accept: style.good("accept")
                    case .reject: style.bad("reject \(number(client.reason))")
                    case .none: "none \(number(client.reason))"
                    }
                }
            return (heading: heading, row: row)
        }
        return rows.grouped(by: \.heading).flatMap { heading, some in
            Table(rows: [heading] + Self.joined(some.map(\.row))).parts(columns: layout.columns).flatMap(\.lines)
        }
            + reasons.enumerated().map { index, reason in
                "    \(index + 1) \(safe(reason.id)): \(safe(reason.message, length: 200))"
            }
    }
}
