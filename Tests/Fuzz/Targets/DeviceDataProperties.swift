import PinChecking
import PinFormats

/// What holds for device data.
enum DeviceDataProperties {
    /// Reads `bytes` as JSON, beside which there is the file `root.cer`.
    static func check(_ bytes: [UInt8], in scratch: Scratch) throws(Violation) {
        _ = scratch.write(DeviceData.builtIn.certificates.first ?? [], to: "root.cer")
        let data: DeviceData
        do throws(PinFormatError) {
            data = try DeviceListReader.data(bytes, named: "\(scratch.directory)/devices.json")
        } catch { return try Violation.unlessMessage(error.description) }
        for device in data.devices {
            let roots = data.roots(of: device)
            try Violation.unless(
                roots.count == device.rootCount && !roots.isEmpty, "\(device.name) has \(roots.count) roots")
            for root in roots {
                try Violation.unless(data.lists(root, for: device), "a root of \(device.name) that is not on its list")
            }
            let found = try? data.device(named: device.name)
            try Violation.unless(found == device, "\(device.name) is not found by its name")
        }
    }
}
