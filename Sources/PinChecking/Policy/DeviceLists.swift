import Base
import PinFormats
package import Pinning
import X509

/// Reads device data, and finds the devices that are named and the clients that run on them.
extension DeviceData {
    /// The data in the file at `path`, or that of the program.
    package static func read(_ path: String?) throws(CheckError) -> DeviceData {
        guard let path else { return .builtIn }
        do throws(PinFormatError) { return try DeviceListReader.data(at: path) } catch { throw CheckError(error) }
    }

    /// Their roots, of which messages say that they are from `path`.
    func bundle(from path: String?) throws(CheckError) -> AnchorBundle {
        do throws(X509Error) { return try AnchorBundle(listed: certificates) } catch {
            throw .data("\(path ?? "the device data"): cannot be used as device data: a root is \(error)")
        }
    }

    /// That the data is so old that roots may be missing in it, `nil` where it is not.
    package func warning(at time: Timestamp) -> Finding? {
        guard isStale(at: time) else { return nil }
        return .warning(
            id: "old-device-data", message: "the lists of roots are from \(date.date), \(age(at: time)) days ago",
            remedy: .giveNewerDeviceData)
    }

    /// The devices of these names in the order of the data, each once, this machine first as `nil`; and those that are
    /// named, and not only among all (`all`).
    func devices(called names: [String]) throws(CheckError) -> (all: [Device?], named: [Device?]) {
        var named: [Device?] = []
        for name in names where name != "all" { named.append(try device(named: name)) }
        return (([nil] + devices).filter { named.contains($0) || names.contains("all") && $0 != nil }, named)
    }
}

extension ClientSelection {
    /// Those of the devices that run one of the clients; a client and a device that were named and would not be judged are errors.
    func devices(of chosen: (all: [Device?], named: [Device?])) throws(CheckError) -> [Device?] {
        func runs(_ client: Client, on device: Device?) -> Bool { device?.platform.runs(client.platform) ?? true }
        guard case .named(let clients) = self else { return chosen.all }
        for client in clients where !chosen.all.contains(where: { runs(client, on: $0) }) {
            let names = chosen.all.map { $0?.name ?? DeviceData.systemName }.joined(separator: ", ")
            throw .request("the client \(client.name) runs on none of the devices (\(names))", .nameDeviceOfClient)
        }
        let idle = chosen.all.filter { device in !clients.contains { runs($0, on: device) } }
        for case let device? in chosen.named where idle.contains(device) {
            let fitting = Client.all.filter { $0.isInAll && runs($0, on: device) }
            throw .request(
                "none of the clients (\(clients.map(\.name).joined(separator: ", "))) runs on \(device.name)",
                .chooseClientOfDevice(fitting.map(\.name)))
        }
        return chosen.all.filter { !idle.contains($0) }
    }
}
