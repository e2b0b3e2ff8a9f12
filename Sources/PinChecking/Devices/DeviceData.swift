internal import CDeviceData
package import Pinning

/// Devices and their roots, as they were read from their publishers on some days.
///
/// Nothing of a certificate is looked at before it is asked for.
package struct DeviceData: Sendable {
    /// From so many days on data counts as old: public lists change several times a year.
    package static let daysUntilStale = 180

    package var source: String { contents().source }
    package var licence: String { contents().licence }
    /// The devices: Apple's, then Android's, each from the oldest on, then Mozilla.
    package var devices: [Device] { contents().devices }
    package let certificateCount: Int
    private let storage: DeviceBytes
    private let certificatesStart: Int
    private let contents: @Sendable () -> DeviceDataReader.Contents

    /// The data that is part of the program, or what a test has in its place.
    @TaskLocal package static var builtIn = DeviceData(BuiltIn.frame, DeviceBytes(staying: BuiltIn.bytes)) {
        BuiltIn.contents
    }

    /// The lists of the program itself.
    ///
    /// Most runs only ask whether a root is on any list, for which the devices are not read.
    private enum BuiltIn {
        nonisolated(unsafe) static let bytes = UnsafeRawBufferPointer(
            start: CDeviceData_start(), count: CDeviceData_count())
        static let frame = whole { reader throws(DeviceDataError) in try reader.frame() }
        static let contents = whole { reader throws(DeviceDataError) in try reader.contents() }

        private static func whole<Part>(_ read: (DeviceDataReader) throws(DeviceDataError) -> Part) -> Part {
            guard let part = try? read(DeviceDataReader(bytes)) else {
                preconditionFailure("the device data of the program is not in its form")
            }
            return part
        }
    }

    /// Reads data in the form that `make-device-data` writes.
    ///
    /// - Throws: ``DeviceDataError`` for anything that is not exactly in that form.
    package init(reading bytes: [UInt8]) throws(DeviceDataError) {
        guard bytes.count <= DeviceDataForm.sizeLimit else {
            throw DeviceDataError(.tooLarge(limit: DeviceDataForm.sizeLimit), at: DeviceDataForm.sizeLimit)
        }
        let storage = DeviceBytes(copying: bytes)
        let reader = DeviceDataReader(storage.bytes)
        let contents = try reader.checkedContents()
        self.init(try reader.frame(), storage) { contents }
    }

    private init(
        _ frame: DeviceDataReader.Frame, _ storage: DeviceBytes,
        _ contents: @escaping @Sendable () -> DeviceDataReader.Contents
    ) {
        certificateCount = frame.certificateCount
        certificatesStart = frame.certificatesStart
        self.storage = storage
        self.contents = contents
    }

    // MARK: Age

    /// The day on which the newest of the lists was read: that of the data.
    package var date: Timestamp { devices.map(\.date).max() ?? Timestamp(secondsSinceEpoch: 0) }

    /// How many whole days old the data is, 0 for a clock that is behind.
    package func age(at time: Timestamp) -> Int {
        Int(max(0, time.advanced(bySeconds: -date.secondsSinceEpoch).secondsSinceEpoch) / 86_400)
    }

    /// Whether the data is so old that a root may well be missing in it.
    package func isStale(at time: Timestamp) -> Bool { age(at: time) > Self.daysUntilStale }

    // MARK: Roots

    package func roots(of device: Device) -> DeviceRoots { DeviceRoots(data: self, positions: positions(of: device)) }

    /// The certificates of all lists, in the order of their positions.
    package var certificates: DeviceRoots { DeviceRoots(data: self, positions: Array(0..<certificateCount)) }

    /// Where the roots of a device stand among ``certificates``.
    package func positions(of device: Device) -> [Int] { (0..<certificateCount).filter(device.holds) }

    /// Whether a certificate is on any of the lists, by its bytes.
    package func lists(_ certificate: [UInt8]) -> Bool { position(of: certificate) != nil }

    /// Whether a certificate is on the newest list of Apple's, which stands for the system's own where no device is named.
    package func isOnNewestApple(_ certificate: [UInt8]) -> Bool {
        // Whoever is on no list is not looked for on this one, for which the devices have to be read.
        guard let position = position(of: certificate) else { return false }
        return devices.last { $0.platform == .apple }?.holds(position) ?? false
    }

    /// Whether a certificate is on a device's list, by its bytes.
    package func lists(_ certificate: [UInt8], for device: Device) -> Bool {
        position(of: certificate).map(device.holds) ?? false
    }

    /// The devices that have a certificate on their list, by its bytes.
    package func devices(listing certificate: [UInt8]) -> [Device] {
        guard let position = position(of: certificate) else { return [] }
        return devices.filter { $0.holds(position) }
    }

    func certificate(at position: Int) -> [UInt8] { Array(bytes(at: position)) }

    private func bytes(at position: Int) -> UnsafeRawBufferPointer.SubSequence {
        storage.bytes[certificatesStart + end(of: position - 1)..<certificatesStart + end(of: position)]
    }

    /// Where a certificate ends, counted from the start of the first one; the one before the first ends there.
    private func end(of position: Int) -> Int {
        guard position >= 0 else { return 0 }
        let offset = DeviceDataForm.headerSize + position * 4
        return Int(UInt32(bigEndian: storage.bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    /// Looks for a certificate among all, which are ordered: first by length, so that most comparisons look at no certificate.
    private func position(of certificate: [UInt8]) -> Int? {
        certificate.withUnsafeBytes { wanted in
            var (low, high) = (0, certificateCount)
            while low < high {
                let middle = (low + high) / 2
                if Self.precedes(bytes(at: middle), wanted[...]) { low = middle + 1 } else { high = middle }
            }
            guard low < certificateCount, bytes(at: low).elementsEqual(wanted) else { return nil }
            return low
        }
    }

    /// The order of certificates: by length, those of one length by their bytes.
    static func precedes(
        _ left: UnsafeRawBufferPointer.SubSequence, _ right: UnsafeRawBufferPointer.SubSequence
    ) -> Bool { left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right) }
}

/// The certificates of a device in DER, each made when it is asked for.
package struct DeviceRoots: RandomAccessCollection, Sendable {
    private let data: DeviceData
    private let positions: [Int]

    init(data: DeviceData, positions: [Int]) {
        self.data = data
        self.positions = positions
    }

    package var startIndex: Int { positions.startIndex }
    /// The index after the last root's.
    package var endIndex: Int { positions.endIndex }

    package subscript(index: Int) -> [UInt8] { data.certificate(at: positions[index]) }
}
