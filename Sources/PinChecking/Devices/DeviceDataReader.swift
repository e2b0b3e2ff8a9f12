import Pinning

/// Reads device data; what is not exactly in its form is refused.
struct DeviceDataReader {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Where things stand.
    struct Frame {
        let deviceCount: Int
        let certificateCount: Int
        /// Where the certificates begin, which are the last before the checksum.
        let certificatesStart: Int
        /// Where the text before them begins.
        let contentsStart: Int
    }

    /// What stands before the certificates.
    struct Contents {
        let source: String
        let licence: String
        let devices: [Device]
    }

    func checkedContents() throws(DeviceDataError) -> Contents {
        try checkFrame()
        let contents = try contents()
        try checkCertificates(contents)
        return contents
    }

    /// Where things stand in data that is known to be whole.
    func frame() throws(DeviceDataError) -> Frame {
        var header = DeviceDataCursor(bytes, from: 10, to: bytes.count)
        let deviceCount = try header.number(2)
        let certificateCount = try header.number(2)
        guard (1...DeviceDataForm.deviceLimit).contains(deviceCount) else {
            throw DeviceDataError(.count(of: "devices", deviceCount), at: 10)
        }
        guard (1...DeviceDataForm.certificateLimit).contains(certificateCount) else {
            throw DeviceDataError(.count(of: "certificates", certificateCount), at: 12)
        }
        let end = bytes.count - DeviceDataForm.checksumSize
        var cursor = DeviceDataCursor(bytes, from: DeviceDataForm.headerSize, to: end)
        _ = try cursor.bytes((certificateCount - 1) * 4)
        let place = cursor.offset
        let size = try cursor.number(4)
        guard size <= end - cursor.offset else {
            throw DeviceDataError(.overlapping(certificate: certificateCount), at: place)
        }
        return Frame(
            deviceCount: deviceCount, certificateCount: certificateCount, certificatesStart: end - size,
            contentsStart: cursor.offset)
    }

    func contents() throws(DeviceDataError) -> Contents {
        let frame = try frame()
        var cursor = DeviceDataCursor(bytes, from: frame.contentsStart, to: bytes.count - DeviceDataForm.checksumSize)
        let source = try cursor.text(2, "the source")
        let licence = try cursor.text(2, "the licence", hasLines: true)
        var devices: [Device] = []
        for _ in 0..<frame.deviceCount { devices.append(try device(&cursor, frame.certificateCount, after: devices)) }
        guard cursor.offset == frame.certificatesStart else {
            throw DeviceDataError(.overlapping(certificate: frame.certificateCount), at: frame.contentsStart - 4)
        }
        return Contents(source: source, licence: licence, devices: devices)
    }

    private func checkFrame() throws(DeviceDataError) {
        guard bytes.starts(with: DeviceDataForm.magic) else { throw DeviceDataError(.notDeviceData, at: 0) }
        var cursor = DeviceDataCursor(bytes, from: DeviceDataForm.magic.count, to: bytes.count)
        let version = try cursor.number(2)
        guard version != 0 else { throw DeviceDataError(.notDeviceData, at: 8) }
        guard version == DeviceDataForm.version else { throw DeviceDataError(.tooNew(version: version), at: 8) }
        _ = try cursor.bytes(4)
        let length = try cursor.number(4)
        guard length <= DeviceDataForm.sizeLimit else {
            throw DeviceDataError(.tooLarge(limit: DeviceDataForm.sizeLimit), at: 14)
        }
        guard bytes.count >= length else { throw DeviceDataError(.truncated(expected: length), at: bytes.count) }
        guard bytes.count == length else {
            throw DeviceDataError(.followedByOthers(count: bytes.count - length), at: length)
        }
        let end = length - DeviceDataForm.checksumSize
        var checksum = DeviceDataCursor(bytes, from: max(end, cursor.offset), to: bytes.count)
        guard try checksum.number(4) == DeviceDataForm.checksum(of: bytes[..<end]) else {
            throw DeviceDataError(.damaged, at: end)
        }
    }

    private func device(
        _ cursor: inout DeviceDataCursor, _ certificateCount: Int, after devices: [Device]
    ) throws(DeviceDataError) -> Device {
        let start = cursor.offset
        let name = try cursor.text(1, "the name of a device")
        let alias = try cursor.text(1, "another name of a device")
        let release = try cursor.text(1, "the version of a device")
        let address = try cursor.text(1, "the address of a list")
        let day = try cursor.number(2)
        let (platform, version) = try platform(named: name, at: start)
        let isAlias = alias.hasPrefix("macos-") && DeviceVersion(alias.dropFirst(6)) != nil
        guard alias.isEmpty || platform == .apple && isAlias else { throw DeviceDataError(.badName(alias), at: start) }
        if let last = devices.last {
            guard (last.platform, last.version ?? .zero) < (platform, version ?? .zero) else {
                throw DeviceDataError(.outOfOrder(name), at: start)
            }
            guard alias.isEmpty || !devices.contains(where: { $0.alias == alias }) else {
                throw DeviceDataError(.outOfOrder(alias), at: start)
            }
        }
        let listStart = cursor.offset
        let membership = Array(try cursor.bytes((certificateCount + 7) / 8))
        let rest = membership.count * 8 - certificateCount
        guard let final = membership.last, Int(final.trailingZeroBitCount) >= rest,
            membership.contains(where: { $0 != 0 })
        else { throw DeviceDataError(.badList(name), at: listStart) }
        return Device(
            name: name, alias: alias.isEmpty ? nil : alias, platform: platform, version: version, release: release,
            address: address, date: Timestamp(secondsSinceEpoch: Int64(day) * 86_400), membership: membership)
    }

    private func platform(
        named name: String, at offset: Int
    ) throws(DeviceDataError) -> (DevicePlatform, DeviceVersion?) {
        let parts = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let platform = parts.first.flatMap({ DevicePlatform(rawValue: String($0)) }) else {
            throw DeviceDataError(.unknownPlatform(name), at: offset)
        }
        let version = parts.count == 2 ? DeviceVersion(parts[1]) : nil
        guard parts.count == (platform == .mozilla ? 1 : 2), platform == .mozilla || version != nil else {
            throw DeviceDataError(.badName(name), at: offset)
        }
        return (platform, version)
    }

    private func checkCertificates(_ contents: Contents) throws(DeviceDataError) {
        let frame = try frame()
        var union = [UInt8](repeating: 0, count: (frame.certificateCount + 7) / 8)
        for device in contents.devices { for index in union.indices { union[index] |= device.membership[index] } }
        let end = bytes.count - DeviceDataForm.checksumSize
        var ends = DeviceDataCursor(bytes, from: DeviceDataForm.headerSize, to: end)
        var last: UnsafeRawBufferPointer.SubSequence?
        var start = frame.certificatesStart
        for position in 0..<frame.certificateCount {
            let place = ends.offset
            let stop = frame.certificatesStart + (try ends.number(4))
            guard start < stop, stop <= end else {
                throw DeviceDataError(.overlapping(certificate: position + 1), at: place)
            }
            let certificate = bytes[start..<stop]
            guard Self.isOneSequence(certificate) else {
                throw DeviceDataError(.notACertificate(position + 1), at: start)
            }
            if let last, !DeviceData.precedes(last, certificate) {
                throw DeviceDataError(.unordered(certificate: position + 1), at: start)
            }
            guard union[position / 8] & 0x80 >> UInt8(position % 8) != 0 else {
                throw DeviceDataError(.unlisted(certificate: position + 1), at: start)
            }
            last = certificate
            start = stop
        }
    }

    /// Whether bytes are one SEQUENCE in DER, as a certificate is; what is inside is for those who use it.
    private static func isOneSequence(_ bytes: UnsafeRawBufferPointer.SubSequence) -> Bool {
        var rest = bytes
        guard rest.popFirst() == 0x30, let first = rest.popFirst() else { return false }
        guard first >= 0x80 else { return rest.count == Int(first) }
        let size = Int(first & 0x7F)
        guard (1...3).contains(size), rest.count >= size, rest.first != 0 else { return false }
        let length = rest.prefix(size).reduce(0) { $0 << 8 | Int($1) }
        return length >= 0x80 && rest.count - size == length
    }
}

extension DeviceVersion {
    /// Before all others, for what has no version.
    fileprivate static let zero = DeviceVersion(0)
}

/// The bytes of device data: a part of the program, or a copy of a file.
///
/// Sendable because they never change.
final class DeviceBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let isCopy: Bool

    /// Refers to bytes that stay where they are as long as the process lives.
    init(staying bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        isCopy = false
    }

    init(copying source: [UInt8]) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 1)
        copy.copyBytes(from: source)
        bytes = UnsafeRawBufferPointer(copy)
        isCopy = true
    }

    deinit { if isCopy { bytes.deallocate() } }
}

/// Reads numbers and texts one after the other, and never beyond the end.
struct DeviceDataCursor {
    let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    let end: Int

    init(_ bytes: UnsafeRawBufferPointer, from offset: Int, to end: Int) {
        self.bytes = bytes
        self.offset = offset
        self.end = end
    }

    mutating func bytes(_ count: Int) throws(DeviceDataError) -> UnsafeRawBufferPointer.SubSequence {
        guard count <= end - offset else { throw DeviceDataError(.truncated(expected: offset + count), at: end) }
        defer { offset += count }
        return bytes[offset..<offset + count]
    }

    /// A number of so many bytes, at most 4.
    mutating func number(_ size: Int) throws(DeviceDataError) -> Int { try bytes(size).reduce(0) { $0 << 8 | Int($1) } }

    /// A text after its length in so many bytes.
    mutating func text(_ sizeOfLength: Int, _ what: String, hasLines: Bool = false) throws(DeviceDataError) -> String {
        let start = offset
        let bytes = try bytes(number(sizeOfLength))
        // Nearly all of them; what Unicode says of each letter would be a tenth of a whole check.
        if bytes.allSatisfy({ (0x20...0x7e).contains($0) || hasLines && $0 == 0x0a }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ scalar in
                hasLines && scalar == "\n"
                    || scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
            })
        else { throw DeviceDataError(.notText(what), at: start) }
        return text
    }
}

/// The form of device data, version 1.
///
/// Numbers are big-endian. Texts are UTF-8 without control characters, and begin with their length in bytes.
///
/// | bytes | what |
/// |---|---|
/// | 8 | `PCDEVICE` |
/// | 2 | the version of the form |
/// | 2 | D, how many devices there are: at least 1 |
/// | 2 | N, how many certificates there are: at least 1 |
/// | 4 | the length of all, in bytes |
/// | 4 · N | where each certificate ends, counted from the start of the first |
/// | 2 + … | where the lists are from, in words |
/// | 2 + … | the licence of the lists; it has line breaks |
/// | D times | a device |
/// | … | the certificates, one after the other, each in DER |
/// | 4 | the CRC-32 (IEEE 802.3) of all that stands before it |
///
/// The certificates are ordered by their length, those of one length by their bytes, and none stands there twice: a certificate is
/// found by its bytes, so that neither hashes nor names need any room. Each is on the list of a device.
///
/// A device, ordered by platform (Apple, Android, Mozilla) and version:
///
/// | bytes | what |
/// |---|---|
/// | 1 + … | its name: `ios-` or `android-` and a version, or `mozilla` |
/// | 1 + … | another name, `macos-` and a version; empty for none |
/// | 1 + … | its versions in words |
/// | 1 + … | the address where its list is published |
/// | 2 | the day on which that was read, in days since 1970-01-01 |
/// | ⌈N / 8⌉ | a bit for each certificate, set for its roots; the highest of the first byte is the first, and what is left over at the end is 0 |
///
/// `Sources/CDeviceData/make-device-data` writes it from lists as JSON and certificates as PEM.
enum DeviceDataForm {
    static let magic = Array("PCDEVICE".utf8)
    static let version = 1
    /// The bytes before the ends of the certificates.
    static let headerSize = 18
    static let checksumSize = 4

    /// The most bytes a file may have: far more than all roots there are.
    static let sizeLimit = 16 << 20
    /// The most devices and certificates there may be; they hold down what a file can make this process do.
    static let deviceLimit = 1_024
    static let certificateLimit = 16_384

    /// The CRC-32 of bytes (IEEE 802.3), as zip archives and PNG images have it.
    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(UInt32.max) { $0 >> 8 ^ table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] }
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
}
