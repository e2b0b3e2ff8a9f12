import Base
import CDeviceData
package import PinFormats
package import Pinning
import X509

package struct DeviceData {
    /// The age in days from which on data is old: public lists change several times a year.
    static let daysUntilStale = 180

    /// The contents of a file, its certificates by length and then by bytes; `nil` if it is the program's data.
    private let read: Contents?

    private typealias Contents = (
        source: String, licence: String, devices: [Device], certificates: [[UInt8]], keys: [SHA256Digest?]
    )

    /// The roots of CAs in a file, which replace the built-in rows with the same keys.
    package private(set) var publicRoots: [CARoot] = []

    package var source: String { read?.source ?? String(cString: Self.table.source) }
    package var licence: String { read?.licence ?? String(cString: Self.table.licence) }
    /// The devices: Apple's, then Android's, each from the oldest on, then Mozilla's list.
    package var devices: [Device] { read?.devices ?? Self.builtInDevices }

    /// The data in the program; tests replace it.
    @TaskLocal package static var builtIn = DeviceData(read: nil)

    private static var table: CDeviceTable { CDeviceData_table().pointee }

    private static let builtInDevices: [Device] = {
        let size = (Int(table.certificateCount) + 7) / 8
        return UnsafeBufferPointer(start: table.devices, count: Int(table.deviceCount)).map { row in
            let alias = String(cString: row.alias)
            guard
                var device = Device(
                    name: String(cString: row.name), alias: alias.isEmpty ? nil : alias,
                    release: String(cString: row.release), address: String(cString: row.address),
                    date: Timestamp(secondsSinceEpoch: Int64(row.day) * 86_400))
            else { preconditionFailure("the device data of the program names no device") }
            device.membership = Array(UnsafeBufferPointer(start: row.membership, count: size))
            return device
        }
    }()

    private init(read: Contents?) { self.read = read }

    package init(source: String, licence: String, lists: [(device: Device, roots: [[UInt8]])]) {
        let certificates = Set(lists.flatMap(\.roots)).sorted { Self.precedes($0, $1) }
        let positions = Dictionary(uniqueKeysWithValues: certificates.enumerated().map { ($1, $0) })
        let devices = lists.map { device, roots in
            var device = device
            device.membership = [UInt8](repeating: 0, count: (certificates.count + 7) / 8)
            for position in roots.compactMap({ positions[$0] }) {
                device.membership[position / 8] |= 0x80 >> UInt8(position % 8)
            }
            return device
        }.sorted { ($0.version ?? DeviceVersion(0)) < ($1.version ?? DeviceVersion(0)) }
        let ordered = PlatformFamily.allCases.flatMap { platform in devices.filter { $0.platform == platform } }
        read = (source, licence, ordered, certificates, certificates.map(CertificateReader.keyHash))
    }

    package init(_ file: DeviceLists) {
        self.init(source: file.source, licence: file.licence, lists: file.stores)
        publicRoots = file.publicRoots
    }

    package var certificateCount: Int { read?.certificates.count ?? Int(Self.table.certificateCount) }
    package var date: Timestamp { devices.map(\.date).max() ?? Timestamp(secondsSinceEpoch: 0) }

    /// The age of the data in whole days; 0 if the clock is behind.
    package func age(at time: Timestamp) -> Int { max(0, date.wholeDays(to: time)) }
    package func isStale(at time: Timestamp) -> Bool { age(at: time) > Self.daysUntilStale }

    package func roots(of device: Device) -> some RandomAccessCollection<[UInt8]> {
        positions(of: device).lazy.map(certificate)
    }

    package var certificates: some RandomAccessCollection<[UInt8]> { (0..<certificateCount).lazy.map(certificate) }

    func positions(of device: Device) -> [Int] { (0..<certificateCount).filter(device.holds) }
    package func lists(_ certificate: [UInt8]) -> Bool { position(of: certificate) != nil }

    /// `true` if a certificate is on Apple's newest list, which serves as the system's if no device is named.
    func isOnNewestApple(_ certificate: [UInt8]) -> Bool {
        // Ends here for a root on no list, before the devices are made.
        guard let position = position(of: certificate) else { return false }
        return devices.last { $0.platform == .apple }?.holds(position) ?? false
    }

    package func lists(_ certificate: [UInt8], for device: Device) -> Bool {
        position(of: certificate).map(device.holds) ?? false
    }

    package func devices(listing certificate: [UInt8]) -> [Device] {
        guard let position = position(of: certificate) else { return [] }
        return devices.filter { $0.holds(position) }
    }

    package func roots(withKey key: SHA256Digest) -> [(der: [UInt8], devices: [Device])] {
        let found = (0..<certificateCount).filter { position in
            read.map { $0.keys[position] == key } ?? (memcmp(Self.table.keys + 32 * position, key.bytes, 32) == 0)
        }
        return found.map { position in (certificate(at: position), devices.filter { $0.holds(position) }) }
    }

    private func certificate(at position: Int) -> [UInt8] { withCertificate(at: position) { Array($0) } }

    private func withCertificate<Value>(at position: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Value) -> Value {
        if let read { return read.certificates[position].withUnsafeBufferPointer(body) }
        let start = position == 0 ? 0 : Int(Self.table.ends[position - 1])
        return body(
            UnsafeBufferPointer(start: Self.table.certificates + start, count: Int(Self.table.ends[position]) - start))
    }

    /// Finds a certificate in the list, whose order by length saves most comparisons of bytes.
    private func position(of certificate: [UInt8]) -> Int? {
        certificate.withUnsafeBufferPointer { wanted in
            var (low, high) = (0, certificateCount)
            while low < high {
                let middle = (low + high) / 2
                if withCertificate(at: middle, { Self.precedes($0, wanted) }) {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            func isWanted(_ found: UnsafeBufferPointer<UInt8>) -> Bool {
                guard let base = wanted.baseAddress, let start = found.baseAddress else { return false }
                return found.count == wanted.count && memcmp(start, base, wanted.count) == 0
            }
            return low < certificateCount && withCertificate(at: low, isWanted) ? low : nil
        }
    }

    private static func precedes(_ left: some Collection<UInt8>, _ right: some Collection<UInt8>) -> Bool {
        left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
    }

    /// The devices of a platform that have a root, as in `on ios-13 to ios-26`.
    package func availability(of certificate: [UInt8], on platform: PlatformFamily) -> String {
        let all = devices.filter { $0.platform == platform }.map(\.name)
        let names = devices(listing: certificate).map(\.name).filter(all.contains)
        return "on " + (names.isEmpty ? "no \(platform.system)" : names.inRows(of: all))
    }

    func publicRoot(withKey key: SHA256Digest) -> CARoot? {
        if let root = publicRoots.root(withKey: key) { return root }
        // Most keys are of no published root, and reading all rows costs a check 1.6 M instructions.
        guard PackageResources.public_cas_tsv.holds(key.hexadecimal.bytes) else { return nil }
        return CARoot.published.root(withKey: key)
    }

    /// The name of this machine, with its own roots and each client's newest platform.
    package static let systemName = "system"

    package var names: [String] { [Self.systemName] + devices.map(\.name) }
    var allNames: [String] { names + devices.compactMap(\.alias) }

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

extension CARoot {
    /// The roots of public CAs: the rows of `public-cas.tsv`, which `make-public-cas` writes.
    package static let published: [CARoot] = {
        // Comparing characters costs a check 4 M instructions more than comparing bytes.
        let rows = PackageResources.public_cas_tsv.split { $0 == "\n" }.dropFirst()
        return rows.map { row in
            let fields = row.split(omittingEmptySubsequences: false) { $0 == "\t" }
            return CARoot(row: fields.map { String(utf8: $0) })
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
