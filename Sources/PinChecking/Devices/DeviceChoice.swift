/// What a name behind `--device` stands for.
package enum DeviceChoice: Sendable, Hashable {
    /// This machine's roots, and each client's platform of today.
    case system
    case device(Device)

    /// The name of ``system``.
    package static let systemName = "system"
}

/// Why no device is called so.
package struct UnknownDevice: Error, Hashable, CustomStringConvertible {
    package let name: String
    /// The devices of the same system whose versions are next to that of the name, the older first; none when no system is called so.
    package let neighbours: [String]

    /// The neighbours behind a verb, as in `are ios-12 and ios-13`.
    package var neighboursInWords: String {
        (neighbours.count == 1 ? "is " : "are ") + neighbours.joined(separator: " and ")
    }

    /// One line, without a remedy where the name is not that of a system.
    package var description: String {
        guard !neighbours.isEmpty else { return "there is no device '\(name)'" }
        return "there is no list of roots for '\(name)': next to it \(neighboursInWords)"
    }
}

extension DeviceData {
    /// The names of all devices, ``DeviceChoice/systemName`` first, without their other names.
    package var names: [String] { [DeviceChoice.systemName] + devices.map(\.name) }

    package var allNames: [String] { names + devices.compactMap(\.alias) }

    /// What a name stands for.
    ///
    /// A version for which there is no list is an error, and never the one before: roots come and go within a version.
    package func choice(named name: String) throws(UnknownDevice) -> DeviceChoice {
        for name in [name, Self.canonical(name)] {
            if name == DeviceChoice.systemName { return .system }
            if let device = devices.first(where: { $0.name == name || $0.alias == name }) { return .device(device) }
        }
        throw UnknownDevice(name: name, neighbours: neighbours(of: Self.canonical(name)))
    }

    /// The newest device of the system that a word stands for, as `iphone` and `android` do; `nil` for others.
    package func newest(meantBy name: String) -> Device? { newest(of: Self.system(in: name)) }

    /// The same of a word that begins as one of them does, as `iphon` does.
    package func newest(nearlyMeantBy name: String) -> Device? {
        let word = Self.system(in: name)
        guard word.count >= 3 else { return nil }
        return newest(of: Self.systems.flatMap(\.words).first { $0.hasPrefix(word) } ?? "")
    }

    private static func system(in name: String) -> String { String(canonical(name).prefix { $0 != "-" && $0 != " " }) }

    private func newest(of system: String) -> Device? {
        guard let platform = Self.systems.first(where: { $0.words.contains(system) })?.platform else { return nil }
        return devices.last { $0.platform == platform }
    }

    private static let systems: [(platform: DevicePlatform, words: [String])] = [
        (.apple, ["ios", "iphone", "iphoneos", "ipad", "ipados", "apple", "macos", "mac", "osx"]),
        (.android, ["android", "aosp", "api", "pixel", "galaxy", "samsung", "xiaomi", "huawei"]),
        (.mozilla, ["mozilla", "firefox", "nss"]),
    ]

    /// A name as lists have it: `iOS17` and `ios17` are `ios-17`.
    private static func canonical(_ name: String) -> String {
        let name = name.lowercased()
        guard let digit = name.firstIndex(where: \.isNumber), digit > name.startIndex else { return name }
        let system = name[..<digit]
        return system.allSatisfy(\.isLetter) ? "\(system)-\(name[digit...])" : name
    }

    private func neighbours(of name: String) -> [String] {
        let parts = name.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, let version = DeviceVersion(parts[1]) else { return [] }
        let known = devices.flatMap { [$0.name, $0.alias].compactMap(\.self) }.compactMap {
            name -> (String, DeviceVersion)? in
            let known = name.split(separator: "-", maxSplits: 1)
            guard known.count == 2, known[0] == parts[0], let version = DeviceVersion(known[1]) else { return nil }
            return (name, version)
        }
        let older = known.filter { $0.1 < version }.max { $0.1 < $1.1 }
        let newer = known.filter { $0.1 > version }.min { $0.1 < $1.1 }
        return [older, newer].compactMap(\.?.0)
    }
}
