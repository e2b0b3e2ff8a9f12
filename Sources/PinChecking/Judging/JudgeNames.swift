/// Names clients, and the devices they judge for where some were named, as sentences do.
struct JudgeNames {
    /// One client on one device.
    struct Judge: Hashable {
        let client: String
        /// The device, `nil` where none was named.
        let device: String?
    }

    private static let longestRow = 3

    private let all: [Judge]
    /// The devices in the order of the data, each once.
    private let devices: [String]

    init(_ all: [Judge]) {
        self.all = all
        devices = Self.distinct(all.compactMap(\.device))
    }

    /// Some of them, as in `trustkit` and `afnetworking, trustkit on ios-12; okhttp on android-9`.
    func text(_ judges: [Judge], namesAllDevices: Bool = false) -> String {
        guard !devices.isEmpty else { return judges.map(\.client).joined(separator: ", ") }
        var groups: [(clients: [String], devices: [String])] = []
        for client in Self.distinct(judges.map(\.client)) {
            func devices(_ judges: [Judge]) -> [String] { judges.filter { $0.client == client }.compactMap(\.device) }
            var own = Self.distinct(devices(judges))
            if !namesAllDevices, own == Self.distinct(devices(all)) { own = [] }
            if let index = groups.firstIndex(where: { $0.devices == own }) {
                groups[index].clients.append(client)
            } else {
                groups.append(([client], own))
            }
        }
        return groups.map { group in
            let clients = group.clients.joined(separator: ", ")
            return group.devices.isEmpty ? clients : "\(clients) on \(list(group.devices))"
        }.joined(separator: groups.contains { !$0.devices.isEmpty } ? "; " : ", ")
    }

    /// Devices in their order; rows of those that were named are cut short.
    func list(_ names: [String]) -> String {
        var rows: [[String]] = []
        for (index, device) in devices.enumerated() where names.contains(device) {
            let previous = index > 0 ? devices[index - 1] : ""
            let isNext = rows.last?.last == previous && Self.system(device) == Self.system(previous)
            if isNext { rows[rows.count - 1].append(device) } else { rows.append([device]) }
        }
        return rows.map { row in
            row.count > Self.longestRow ? "\(row[0]) to \(row[row.count - 1])" : row.joined(separator: ", ")
        }.joined(separator: ", ")
    }

    private static func system(_ device: String) -> Substring { device.prefix { $0 != "-" } }

    private static func distinct(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }
}
