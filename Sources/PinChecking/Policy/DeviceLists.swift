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

    package static func choice(named name: String, in data: DeviceData) throws(CheckError) -> DeviceChoice {
        do throws(UnknownDevice) { return try data.choice(named: name) } catch {
            let nearest =
                error.neighbours.isEmpty
                ? data.newest(meantBy: name)?.name ?? data.newest(nearlyMeantBy: name)?.name
                    ?? Suggestion.nearest(to: name, in: data.allNames + ["all"]) : nil
            throw CheckError(.request, .unknownDevice(error, nearest: nearest))
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

    /// The devices of a selection, and the clients that are judged on them.
    ///
    /// - Returns: the devices in the order of the data, each once, this machine first as `nil`; each runs a client, and each client
    ///   runs on one.
    /// - Throws: ``CheckError`` for a device that there is not, and for one that would not be judged although it was named, and so of
    ///   clients.
    static func chosen(
        _ selection: DeviceSelection, in data: DeviceData, _ chosen: ClientSelection?,
        following: ([Device?]) throws(CheckError) -> ClientSelection
    ) throws(CheckError) -> (devices: [Device?], clients: ClientSelection) {
        var named: Set<Device?> = []
        for name in selection.names {
            switch try choice(named: name, in: data) {
            case .system: named.insert(nil)
            case .device(let device): named.insert(device)
            }
        }
        let devices = ([nil] + data.devices).filter { named.contains($0) || selection.includesAll && $0 != nil }
        let clients = if let chosen { chosen } else { try following(devices) }
        func runs(_ entry: ClientRegistry.Entry, on device: Device?) -> Bool {
            device?.platform.runs(entry.platform) ?? true
        }
        guard case .named(let given) = clients else { return (devices, clients) }
        let names = devices.map { $0?.name ?? DeviceChoice.systemName }
        for client in given where !devices.contains(where: { runs(client.entry, on: $0) }) {
            throw CheckError(.request, .clientOnNoDevice(client.entry.name, devices: names))
        }
        for device in devices where named.contains(device) && !given.contains(where: { runs($0.entry, on: device) }) {
            let fitting = ClientRegistry.entries.filter { $0.isInAll && runs($0, on: device) }
            throw CheckError(
                .request,
                .deviceWithoutClient(device?.name ?? "", clients: given.map(\.entry.name), fitting: fitting.map(\.name))
            )
        }
        return (devices.filter { device in given.contains { runs($0.entry, on: device) } }, clients)
    }
}
