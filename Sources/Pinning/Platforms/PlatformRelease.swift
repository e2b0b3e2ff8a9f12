/// The version of a device's system, by which its rules differ.
package enum PlatformRelease: Hashable {
    case newest
    /// The version of iOS, or of the macOS of its year.
    case apple(DeviceVersion)
    /// The API level: 26 for Android 8, 37 for Android 17.
    case android(level: Int)

    var appleVersion: DeviceVersion { if case .apple(let version) = self { version } else { .newest } }
    var androidLevel: Int? { if case .android(let level) = self { level } else { nil } }

    package static func android(_ version: DeviceVersion) -> PlatformRelease {
        switch (version.major, version.minor) {
        case (...8, 0): .android(level: 26)
        case (...8, _): .android(level: 27)
        // Android 9, 10 and 11, then 12 and 12L, which counts as 12.1.
        case (9...11, _): .android(level: version.major + 19)
        case (12, 0): .android(level: 31)
        default: .android(level: version.major + 20)
        }
    }
}

/// The rules of Apple's systems by their version, from Apple's documentation; the newest has all of them.
extension DeviceVersion {
    /// The versions with which rules begin, the last first.
    private static let steps = [DeviceVersion(17), DeviceVersion(13), DeviceVersion(12, 1, 1), DeviceVersion(0)]
    package static let newest = DeviceVersion(.max)

    /// `true` if App Transport Security binds addresses without an entry (NSExceptionDomains: iOS 17, macOS 14).
    package var judgesAddressesByTransportSecurity: Bool { self >= Self.steps[0] }
    /// `true` if leaves under an app's own anchor or one installed by hand must be short-lived, and under an own one
    /// have serverAuth (support.apple.com/103769: iOS 13, macOS 10.15).
    package var limitsLeavesOfOwnAnchors: Bool { self >= Self.steps[1] }
    /// `true` if leaves of public roots need timestamps (support.apple.com/103214: iOS 12.1.1, macOS 10.14.2).
    package var requiresTransparency: Bool { self >= Self.steps[2] }

    /// The first release with the same rules, so that equal releases share what the verifier remembers.
    var sameRules: DeviceVersion { Self.steps.first { self >= $0 } ?? self }
}

/// The version of a system: up to three numbers; missing ones are zero.
package struct DeviceVersion: Hashable, Comparable, CustomStringConvertible {
    /// The numbers without zeros at the end, except the first.
    private let numbers: [Int]

    var major: Int { numbers[0] }
    var minor: Int { numbers.count > 1 ? numbers[1] : 0 }

    package init(_ numbers: Int...) { self.numbers = numbers }

    /// Reads `17`, `12.1` or `12.1.3`; `nil` if the text has another form, leading zeros, or a zero at the end.
    package init?(_ text: some StringProtocol) {
        numbers = text.split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard (1...3).contains(numbers.count), numbers.allSatisfy({ (0..<10_000).contains($0) }),
            numbers.count == 1 || numbers.last != 0, description == text
        else { return nil }
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }

    package var description: String { numbers.map(String.init).joined(separator: ".") }
}
