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
    let membership: [UInt8]

    package var rootCount: Int { membership.reduce(0) { $0 + $1.nonzeroBitCount } }

    func holds(_ position: Int) -> Bool { membership[position / 8] & 0x80 >> UInt8(position % 8) != 0 }
}
