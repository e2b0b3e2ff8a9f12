import PinChecking
import PinFormats

/// What holds for device data.
enum DeviceDataProperties {
    /// Reads `bytes` as they are, and with the length and the checksum they would have to have.
    static func check(_ bytes: [UInt8]) throws(Violation) {
        try checkReading(bytes)
        if let mended = DeviceDataWriter.mended(bytes) { try checkReading(mended) }
    }

    /// Reads `bytes` as JSON, beside which there is the file `root.cer`.
    static func checkLists(_ bytes: [UInt8], in scratch: Scratch) throws(Violation) {
        _ = scratch.write(DeviceData.builtIn.certificates[0], to: "root.cer")
        let data: DeviceData
        do throws(PinFormatError) {
            data = try DeviceListReader.data(bytes, named: "\(scratch.directory)/devices.json")
        } catch { return try Violation.unlessMessage(error.description) }
        try checkReading(DeviceDataWriter(data).bytes())
    }

    private static func checkReading(_ bytes: [UInt8]) throws(Violation) {
        let data: DeviceData
        do throws(DeviceDataError) { data = try DeviceData(reading: bytes) } catch {
            return try Violation.unlessMessage(error.description)
        }
        try Violation.unless(
            DeviceDataWriter(data).bytes() == bytes, "data that is written in another way than it was read")
        for device in data.devices {
            let roots = data.roots(of: device)
            try Violation.unless(
                roots.count == device.rootCount && !roots.isEmpty, "\(device.name) has \(roots.count) roots")
            for root in roots {
                try Violation.unless(data.lists(root, for: device), "a root of \(device.name) that is not on its list")
            }
            let choice = try? data.choice(named: device.name)
            try Violation.unless(choice == .device(device), "\(device.name) is not found by its name")
        }
    }
}
