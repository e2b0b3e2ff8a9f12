import Base
import Pinning

extension DeviceData {
    /// What this machine is called, with its own roots and each client's platform of today.
    package static let systemName = "system"

    /// The names of all devices, this machine's first, without their other names.
    package var names: [String] { [Self.systemName] + devices.map(\.name) }

    package var allNames: [String] { names + devices.compactMap(\.alias) }

    /// The device of a name, `nil` for this machine.
    ///
    /// A version for which there is no list is an error, and never the one before: roots come and go within a version.
    package func device(named name: String) throws(CheckError) -> Device? {
        for name in [name, Self.canonical(name)] {
            if name == Self.systemName { return nil }
            if let device = devices.first(where: { $0.name == name || $0.alias == name }) { return device }
        }
        guard !name.isEmpty else {
            throw .request(
                "the name of a device is empty: write names with one comma between, as in 'ios-17,android-14'")
        }
        let neighbours = neighbours(of: Self.canonical(name))
        guard neighbours.isEmpty else {
            throw .request(
                "there is no list of roots for \(quoted(name)), and next to it \(neighbours.count == 1 ? "is" : "are") "
                    + "\(neighbours.joined(separator: " and "))", .nameKnownDevice)
        }
        guard let nearest = newest(meantBy: name)?.name ?? Suggestion.nearest(to: name, in: allNames + ["all"]) else {
            throw .request("there is no device \(quoted(name))", .nameKnownDevice)
        }
        throw .request(
            "there is no device \(quoted(name)): did you mean \(quoted(nearest))? (devices are named by their system)")
    }

    /// The newest device of the system that a word stands for, as `iphone` and `android` do, or begins to, as `iphon` does.
    private func newest(meantBy name: String) -> Device? {
        let word = String(Self.canonical(name).prefix { $0 != "-" && $0 != " " })
        let system =
            Self.systems.first { $0.words.contains(word) }
            ?? (word.count < 3 ? nil : Self.systems.first { $0.words.contains { $0.hasPrefix(word) } })
        return system.flatMap { system in devices.last { $0.platform == system.platform } }
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
