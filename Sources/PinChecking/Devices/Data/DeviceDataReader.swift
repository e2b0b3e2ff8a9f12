internal import Pinning

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
