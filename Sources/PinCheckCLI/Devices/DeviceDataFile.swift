import Base
import PinChecking
import Pinning

/// The device data that a command works with: the program's own, or that of `--device-data`.
struct DeviceDataFile {
    let data: DeviceData
    /// The file it was read from, `nil` for the program's own.
    let path: String?

    /// Reads the file, or takes the program's own data when none is named; warns of data that is old.
    init(_ path: String?, in context: Context) throws(CommandError) {
        self.path = path
        data = try CommandError.reading { () throws(CheckError) in try DeviceLists.data(at: path) }
        guard let warning = DeviceLists.warning(of: data, at: context.now()) else { return }
        context.console.report("Warning: \(Report.Message(warning.reason).message)")
    }

    func device(named name: String) throws(CommandError) -> Device? {
        try CommandError.reading { () throws(CheckError) in try data.device(named: name) }
    }
}
