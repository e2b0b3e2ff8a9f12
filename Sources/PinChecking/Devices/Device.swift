import Base
package import Pinning

package struct Device: Sendable, Hashable {
    /// The name in `--device`, as in `ios-17`, `android-8.1`, `mozilla`.
    package let name: String
    /// Another name of the same list, as `macos-14` for `ios-17`; `nil` if there is none.
    package let alias: String?
    /// The platform; Mozilla's list is not a system, but comes with curl.
    package let platform: PlatformFamily
    /// The system's version; `nil` if the list is Mozilla's, which has none.
    package let version: DeviceVersion?
    /// The systems and versions of the list, in its publisher's words.
    package let release: String
    package let address: String
    package let date: Timestamp
    /// One bit for each certificate of the data, from the highest bit of the first byte on.
    var membership: [UInt8] = []

    package init?(name: String, alias: String? = nil, release: String, address: String, date: Timestamp) {
        let parts = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let platform = PlatformFamily.allCases.first(where: { $0.system == parts[0] }) else { return nil }
        version = parts.count > 1 ? DeviceVersion(parts[1]) : nil
        guard parts.count == (platform == .openssl ? 1 : 2), platform == .openssl || version != nil else { return nil }
        (self.platform, self.name, self.alias, self.release) = (platform, name, alias, release)
        (self.address, self.date) = (address, date)
    }

    package var rootCount: Int { membership.reduce(0) { $0 + $1.nonzeroBitCount } }
    func holds(_ position: Int) -> Bool { membership[position / 8] & 0x80 >> UInt8(position % 8) != 0 }

    package var platformRelease: PlatformRelease? {
        switch (platform, version) {
        // The version of iOS counts, even if the alias is a macOS.
        case (.apple, let version?): .apple(version)
        case (.android, let version?): .android(version)
        default: nil
        }
    }

    package var stack: TLSStack? { platformRelease.map { TLSStack(of: platform, on: $0) } }
}

extension PlatformFamily {
    /// The first part of a device's name; Apple's list is the same for iOS and the macOS of its year.
    package var system: String {
        switch self {
        case .apple: "ios"
        case .android: rawValue
        case .openssl: "mozilla"
        }
    }
}

extension DeviceData {
    /// The name of this machine, with its own roots and each client's newest platform.
    package static let systemName = "system"

    package var names: [String] { [Self.systemName] + devices.map(\.name) }
    package var allNames: [String] { names + devices.compactMap(\.alias) }

    /// The device of a name, `nil` if it is this machine; throws if a version has no list: roots change within one.
    package func device(named name: String) throws(Problem) -> Device? {
        if name == Self.systemName { return nil }
        if let device = devices.first(where: { $0.name == name || $0.alias == name }) { return device }
        guard !name.isEmpty else {
            throw .usage("the name of a device is empty: write names with one comma between, as in 'ios-17,android-14'")
        }
        let neighbours = neighbours(of: name)
        guard neighbours.isEmpty else {
            throw .usage(
                "there is no list of roots for \(quoted(name)), and next to it \(neighbours.count == 1 ? "is" : "are") "
                    + "\(neighbours.joined(separator: " and "))", .nameKnownDevice)
        }
        let newest = devices.last { $0.name.hasPrefix(name.lowercased()) }?.name
        guard let nearest = newest ?? Suggestion.nearest(to: name, in: allNames + ["all"]) else {
            throw .usage("there is no device \(quoted(name))", .nameKnownDevice)
        }
        throw .usage(
            "there is no device \(quoted(name)): did you mean \(quoted(nearest))? (devices are named by their system)")
    }

    private func neighbours(of name: String) -> [String] {
        let parts = name.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let version = DeviceVersion(parts[1]) else { return [] }
        let system = "\(parts[0])-"
        let known = allNames.filter { $0.hasPrefix(system) }.compactMap { DeviceVersion($0.dropFirst(system.count)) }
        return [known.filter { $0 < version }.max(), known.filter { $0 > version }.min()].compactMap(\.self).map {
            "\(system)\($0)"
        }
    }
}

extension [String] {
    /// The names in the order of `devices`; more than three neighbours become a range, as in `ios-12 to ios-17`.
    package func inRows(of devices: [String]) -> String {
        func system(_ device: String) -> Substring { device.prefix { $0 != "-" } }
        var rows: [[String]] = []
        for (index, device) in devices.enumerated() where contains(device) {
            let previous = index > 0 ? devices[index - 1] : ""
            let isNext = rows.last?.last == previous && system(device) == system(previous)
            if isNext { rows[rows.count - 1].append(device) } else { rows.append([device]) }
        }
        return rows.map { row in row.count > 3 ? "\(row[0]) to \(row[row.count - 1])" : row.joined(separator: ", ") }
            .joined(separator: ", ")
    }
}
