import Base
package import PinFormats
package import Pinning

package struct Device: Hashable {
    /// The name in `--device`, as in `ios-17`, `android-8.1`, `mozilla`.
    package let name: String
    /// Another name of the same list, as `macos-14` for `ios-17`; `nil` if there is none.
    package let alias: String?
    /// The platform; Mozilla's list is not a system, but comes with curl.
    package let platform: PlatformFamily
    package let version: DeviceVersion?
    /// The systems and versions of the list, in its publisher's words.
    package let release: String
    package let address: String
    package let date: Timestamp
    /// One bit for each certificate of the data, from the highest bit of the first byte on.
    var membership: [UInt8] = []

    package init?(name: String, alias: String? = nil, release: String, address: String, date: Timestamp) {
        let parts = name.parts(at: "-", atMost: 2)
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
        return rows.map { row in row.count > 3 ? "\(row[0]) to \(row[row.count - 1])" : row.listed }.listed
    }
}

extension CARoot {
    /// The roots of public CAs: the rows of `public-cas.tsv`, which `make-public-cas` writes.
    package static let published: [CARoot] = {
        // Comparing characters costs a check 4 M instructions more than comparing bytes.
        let rows = PackageResources.public_cas_tsv.split(separator: UInt8(ascii: "\n")).dropFirst()
        return rows.map { row in
            let fields = row.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
            return CARoot(row: fields.map { String(decoding: $0, as: UTF8.self) })
        }
    }()

    private init(row: [String]) {
        guard let key = SHA256Digest(hexadecimal: row[2]) else { preconditionFailure("\(row[1]) has no key") }
        self.init(
            row[1], key, row[3], State(rawValue: row[4]) ?? .older, of: row[0], until: try? TimeText.read(row[5]),
            signedBy: row[6].split(separator: "|").map(String.init), row[7], row[8])
    }

    /// `true` if the row is too old to rely on; a root of the devices' lists has no date and is never old.
    func isOld(at time: Timestamp) -> Bool {
        let day = try? TimeText.read(date)
        return day.map { $0.seconds(to: time) > Int64(DeviceData.daysUntilStale) * 86_400 } ?? false
    }
}

extension [CARoot] { package func root(withKey key: SHA256Digest) -> CARoot? { first { $0.key == key } } }
