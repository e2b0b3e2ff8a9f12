internal import Pinning

/// Writes device data in its form, as `make-device-data` does: what was read comes out as it was.
///
/// It stands here for those who make data of their own in a program, such as tests with roots of a laboratory.
package struct DeviceDataWriter {
    package struct Entry {
        let name: String
        let alias: String
        let release: String
        let address: String
        let day: Int
        let roots: [[UInt8]]

        /// A device with its names, its version in words, the address of its list, the day since 1970-01-01 on which that was
        /// read, and its roots in DER.
        package init(name: String, alias: String = "", release: String, address: String, day: Int, roots: [[UInt8]]) {
            self.name = name
            self.alias = alias
            self.release = release
            self.address = address
            self.day = day
            self.roots = roots
        }
    }

    private let source: String
    private let licence: String
    private let entries: [Entry]

    /// Data with these devices, which stand in their order.
    package init(source: String, licence: String, entries: [Entry]) {
        self.source = source
        self.licence = licence
        self.entries = entries
    }

    package init(_ data: DeviceData) {
        self.init(
            source: data.source, licence: data.licence,
            entries: data.devices.map { device in
                Entry(
                    name: device.name, alias: device.alias ?? "", release: device.release, address: device.address,
                    day: Int(device.date.secondsSinceEpoch / 86_400), roots: Array(data.roots(of: device)))
            })
    }

    /// The bytes of the file.
    ///
    /// Texts and numbers have to be such as the form has room for.
    package func bytes() -> [UInt8] {
        let certificates = Set(entries.flatMap(\.roots)).sorted {
            $0.count != $1.count ? $0.count < $1.count : $0.lexicographicallyPrecedes($1)
        }
        let positions = Dictionary(uniqueKeysWithValues: certificates.enumerated().map { ($1, $0) })
        var body: [UInt8] = []
        var end = 0
        for certificate in certificates {
            end += certificate.count
            body += Self.number(end, 4)
        }
        body += Self.text(source, 2) + Self.text(licence, 2)
        for entry in entries {
            body +=
                Self.text(entry.name, 1) + Self.text(entry.alias, 1) + Self.text(entry.release, 1)
                + Self.text(entry.address, 1)
            body += Self.number(entry.day, 2)
            var membership = [UInt8](repeating: 0, count: (certificates.count + 7) / 8)
            for position in entry.roots.compactMap({ positions[$0] }) {
                membership[position / 8] |= 0x80 >> UInt8(position % 8)
            }
            body += membership
        }
        body += certificates.joined()
        let size = DeviceDataForm.headerSize + body.count + DeviceDataForm.checksumSize
        let header =
            DeviceDataForm.magic + Self.number(DeviceDataForm.version, 2) + Self.number(entries.count, 2)
            + Self.number(certificates.count, 2) + Self.number(size, 4)
        let bytes = header + body
        return bytes + Self.number(Int(DeviceDataForm.checksum(of: bytes)), 4)
    }

    private static func text(_ text: String, _ sizeOfLength: Int) -> [UInt8] {
        number(text.utf8.count, sizeOfLength) + Array(text.utf8)
    }

    private static func number(_ number: Int, _ size: Int) -> [UInt8] {
        (1...size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - $0))) }
    }
}

extension DeviceDataWriter {
    /// Bytes with the length and the checksum that they would have to have, `nil` for too few of them.
    ///
    /// Tests damage data with it in ways that the checksum does not find.
    package static func mended(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count >= DeviceDataForm.headerSize + DeviceDataForm.checksumSize else { return nil }
        var body = Array(bytes.dropLast(DeviceDataForm.checksumSize))
        let lengthStart = DeviceDataForm.headerSize - 4
        body.replaceSubrange(lengthStart..<DeviceDataForm.headerSize, with: number(bytes.count, 4))
        return body + number(Int(DeviceDataForm.checksum(of: body)), 4)
    }
}
