/// The version of a system: up to three numbers, of which those that are left out are zero.
package struct DeviceVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let major: Int
    /// The second number.
    package let minor: Int
    package let patch: Int

    /// The version `major.minor.patch`.
    package init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
        self.major = major
        self.minor = minor
        self.patch = patch
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
