import Base
import PinFormats
package import Pinning
import X509

/// Reads device data, and finds the devices of a selection and the clients that run on them.
package enum DeviceLists {
    package static func data(at path: String?) throws(CheckError) -> DeviceData {
        guard let path else { return .builtIn }
        do throws(PinFormatError) { return try DeviceListReader.data(at: path) } catch { throw CheckError(error) }
    }

    static func roots(of data: DeviceData, at path: String?) throws(CheckError) -> AnchorBundle {
        do throws(X509Error) { return try AnchorBundle(listed: data.certificates) } catch {
            throw .said(.data, "\(path ?? "the device data"): cannot be used as device data: a root is \(error)")
        }
    }

    /// That the data is so old that roots may be missing in it, `nil` where it is not.
    package static func warning(of data: DeviceData, at time: Timestamp) -> Finding? {
        guard data.isStale(at: time) else { return nil }
        return .warning(
            id: "old-device-data",
            message: "the lists of roots are from \(data.date.date), \(data.age(at: time)) days ago",
            remedy: .giveNewerDeviceData)
    }

    /// The devices of a selection in the order of the data, each once, this machine first as `nil`.
    ///
    /// - Throws: ``CheckError`` for a device that is not in the data.
    static func devices(_ selection: DeviceSelection, in data: DeviceData) throws(CheckError) -> [Device?] {
        var named: Set<Device?> = []
        for name in selection.names { named.insert(try data.device(named: name)) }
        return ([nil] + data.devices).filter { named.contains($0) || selection.includesAll && $0 != nil }
    }

    /// Those of `devices` that run one of the clients.
    ///
    /// - Throws: ``CheckError`` for a client and for a device that were named and would not be judged.
    static func running(
        _ clients: ClientSelection, on devices: [Device?], of selection: DeviceSelection, in data: DeviceData
    ) throws(CheckError) -> [Device?] {
        func runs(_ client: Client, on device: Device?) -> Bool { device?.platform.runs(client.platform) ?? true }
        guard case .named(let clients) = clients else { return devices }
        for client in clients where !devices.contains(where: { runs(client, on: $0) }) {
            let names = devices.map { $0?.name ?? DeviceData.systemName }.joined(separator: ", ")
            throw .said(
                .request, "the client \(client.name) runs on none of the devices (\(names))", .nameDeviceOfClient)
        }
        let idle = devices.filter { device in !clients.contains { runs($0, on: device) } }
        for name in selection.names {
            guard let device = try data.device(named: name), idle.contains(device) else { continue }
            let fitting = Client.all.filter { $0.isInAll && runs($0, on: device) }
            throw .said(
                .request, "none of the clients (\(clients.map(\.name).joined(separator: ", "))) runs on \(device.name)",
                .chooseClientOfDevice(fitting.map(\.name)))
        }
        return devices.filter { !idle.contains($0) }
    }
}
