import Base

/// Names clients, and the devices they judge on where some were named, as sentences do.
struct ClientNames {
    private static let longestRow = 3

    private let all: [ClientVerdict]
    /// The devices in their order, each once.
    private let devices: [String]

    init(_ all: [ClientVerdict]) {
        self.all = all
        devices = all.compactMap(\.device).distinct
    }

    /// Some of them, as in `trustkit` and `afnetworking, trustkit on ios-12; okhttp on android-9`.
    func text(_ some: [ClientVerdict], namesAllDevices: Bool = false) -> String {
        guard !devices.isEmpty else { return some.map(\.name).joined(separator: ", ") }
        var groups: [(clients: [String], devices: [String])] = []
        for client in some.map(\.name).distinct {
            func devices(_ some: [ClientVerdict]) -> [String] { some.filter { $0.name == client }.compactMap(\.device) }
            var own = devices(some).distinct
            if !namesAllDevices, own == devices(all).distinct { own = [] }
            if let index = groups.firstIndex(where: { $0.devices == own }) {
                groups[index].clients.append(client)
            } else {
                groups.append(([client], own))
            }
        }
        return groups.map { group in
            let clients = group.clients.joined(separator: ", ")
            return group.devices.isEmpty ? clients : "\(clients) on \(Self.list(group.devices, of: devices))"
        }.joined(separator: groups.contains { !$0.devices.isEmpty } ? "; " : ", ")
    }

    /// Some of `devices` in their order; long rows of neighbours are cut short.
    static func list(_ names: [String], of devices: [String]) -> String {
        var rows: [[String]] = []
        for (index, device) in devices.enumerated() where names.contains(device) {
            let previous = index > 0 ? devices[index - 1] : ""
            let isNext = rows.last?.last == previous && system(device) == system(previous)
            if isNext { rows[rows.count - 1].append(device) } else { rows.append([device]) }
        }
        return rows.map { row in
            row.count > longestRow ? "\(row[0]) to \(row[row.count - 1])" : row.joined(separator: ", ")
        }.joined(separator: ", ")
    }

    private static func system(_ device: String) -> Substring { device.prefix { $0 != "-" } }
}
