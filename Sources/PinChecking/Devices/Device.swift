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
package enum DevicePlatform: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Apple's, the same for iOS and the macOS of its year; named after iOS.
    case apple = "ios"
    /// AOSP's, which manufacturers may add to.
    case android
    /// Mozilla's root program, which has no versions.
    case mozilla

    /// Whether `left` is listed before `right`.
    package static func < (left: DevicePlatform, right: DevicePlatform) -> Bool { left.order < right.order }

    private var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// Whether a client of a platform is at home there.
    ///
    /// Mozilla's list belongs to no system: browsers bring it along, and so do curl and other programs of other systems.
    package func runs(_ platform: PlatformFamily?) -> Bool {
        switch (self, platform) {
        case (_, nil): true
        case (.apple, .apple), (.android, .android): true
        case (.apple, _), (.android, _), (.mozilla, .apple), (.mozilla, .android): false
        case (.mozilla, _): true
        }
    }

    /// What people call it, as in `Apple`.
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
    package let major: Int
    /// The second number.
    package let minor: Int
    package let patch: Int

    /// The version `major.minor.patch`.
    package init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// Reads `17`, `12.1` or `12.1.3`, `nil` for anything else.
    ///
    /// There is one way to write a version: numbers without leading zeros, none after the last that is not zero.
    package init?(_ text: some StringProtocol) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...3).contains(parts.count) else { return nil }
        var numbers: [Int] = []
        for part in parts {
            guard (1...4).contains(part.count), part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
            guard part.count == 1 || part.first != 0x30 else { return nil }
            numbers.append(part.reduce(0) { $0 * 10 + Int($1 - 0x30) })
        }
        guard numbers.count == 1 || numbers.last != 0 else { return nil }
        numbers += [0, 0]
        self.init(numbers[0], numbers[1], numbers[2])
    }

    /// Whether `left` came before `right`.
    package static func < (left: DeviceVersion, right: DeviceVersion) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    /// As people write it, without zeros at the end: `12.1.3`, `17`.
    package var description: String {
        if patch != 0 { return "\(major).\(minor).\(patch)" }
        return minor != 0 ? "\(major).\(minor)" : "\(major)"
    }
}
