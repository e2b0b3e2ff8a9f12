import Base
package import Pinning

/// A version of a system with its list of roots.
package struct Device: Sendable, Hashable {
    /// What `--device` calls it: `ios-17`, `android-8.1`, `mozilla`.
    package let name: String
    /// Another name of the same list, as `macos-14` for `ios-17`; `nil` when it has none.
    package let alias: String?
    package let platform: DevicePlatform
    /// The system's version; `nil` for Mozilla, whose list has none.
    package let version: DeviceVersion?
    /// The systems and versions in words, as the list's publisher writes them.
    package let release: String
    package let address: String
    package let date: Timestamp
    /// One bit for each certificate of the data, the highest of the first byte for the first.
    var membership: [UInt8] = []

    /// A device that is called `name`: `ios-17`, `android-8.1` or `mozilla`; `nil` for any other name.
    package init?(name: String, alias: String? = nil, release: String, address: String, date: Timestamp) {
        let parts = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let platform = DevicePlatform(rawValue: String(parts[0])) else { return nil }
        version = parts.count > 1 ? DeviceVersion(parts[1]) : nil
        guard parts.count == (platform == .mozilla ? 1 : 2), platform == .mozilla || version != nil else { return nil }
        (self.platform, self.name, self.alias, self.release) = (platform, name, alias, release)
        (self.address, self.date) = (address, date)
    }

    package var rootCount: Int { membership.reduce(0) { $0 + $1.nonzeroBitCount } }
    func holds(_ position: Int) -> Bool { membership[position / 8] & 0x80 >> UInt8(position % 8) != 0 }
}

/// Whose list of roots a device has.
package enum DevicePlatform: String, Sendable, Hashable, CaseIterable {
    /// Apple's, the same for iOS and the macOS of its year; named after iOS.
    case apple = "ios"
    /// AOSP's, which manufacturers may add to.
    case android
    /// Mozilla's root program, which has no versions.
    case mozilla

    /// Whether a client of a platform is at home there: Mozilla's list belongs to no system, and curl brings it along.
    package func runs(_ platform: PlatformFamily?) -> Bool {
        switch (self, platform) {
        case (_, nil), (.apple, .apple), (.android, .android), (.mozilla, .openssl): true
        default: false
        }
    }

    package var title: String {
        switch self {
        case .apple: "Apple"
        case .android: "Android"
        case .mozilla: "Mozilla"
        }
    }
}

/// The version of a system: up to three numbers, of which those that are left out are zero.
package struct DeviceVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Without zeros at the end, but for the first.
    private let numbers: [Int]

    package var major: Int { numbers[0] }
    package var minor: Int { numbers.count > 1 ? numbers[1] : 0 }

    package init(_ numbers: Int...) { self.numbers = numbers }

    /// Reads `17`, `12.1` or `12.1.3`, without leading zeros and zeros at the end; `nil` for anything else.
    package init?(_ text: some StringProtocol) {
        numbers = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard (1...3).contains(numbers.count), numbers.allSatisfy({ (0..<10_000).contains($0) }),
            numbers.count == 1 || numbers.last != 0, description == text
        else { return nil }
    }

    package static func < (left: DeviceVersion, right: DeviceVersion) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    /// As people write it, without zeros at the end: `12.1.3`, `17`.
    package var description: String { numbers.map(String.init).joined(separator: ".") }
}

extension Device {
    /// The version of its system as far as rules depend on it, by its publisher's documentation; `nil` for Mozilla's list, which belongs
    /// to no version of a system.
    package var platformRelease: PlatformRelease? {
        guard let version else { return nil }
        switch platform {
        case .apple:
            // By its version of iOS, which its other name puts for macOS.
            return .apple(
                AppleRelease(
                    // support.apple.com/103769: iOS 13, macOS 10.15.
                    limitsLeavesOfOwnAnchors: version >= DeviceVersion(13),
                    // support.apple.com/103214: iOS 12.1.1, macOS 10.14.2.
                    requiresTransparency: version >= DeviceVersion(12, 1, 1),
                    // NSExceptionDomains: iOS 17, macOS 14.
                    judgesAddressesByTransportSecurity: version >= DeviceVersion(17)))
        case .android:
            let level =
                switch (version.major, version.minor) {
                case (...8, 0): 26
                case (...8, _): 27
                // 9, 10 and 11, then 12 and 12L, which counts as 12.1.
                case (9...11, _): version.major + 19
                case (12, 0): 31
                default: version.major + 20
                }
            return .android(level: level)
        case .mozilla: return nil
        }
    }
}

extension DeviceData {
    /// What this machine is called, with its own roots and each client's platform of today.
    package static let systemName = "system"

    /// The names of all devices, this machine's first, without their other names.
    package var names: [String] { [Self.systemName] + devices.map(\.name) }
    package var allNames: [String] { names + devices.compactMap(\.alias) }

    /// The device of a name, `nil` for this machine; a version without a list is an error: roots come and go within a version.
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
