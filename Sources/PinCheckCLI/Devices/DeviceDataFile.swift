import Devices
import PinFormats
import Pinning
import Text

/// The device data that a command works with: the program's own, or that of `--device-data`.
struct DeviceDataFile {
    let data: DeviceData
    /// The file it was read from, `nil` for the program's own.
    let path: String?

    /// Reads the file, or takes the program's own data when none is named; warns of data that is old.
    init(_ path: String?, in context: Context) throws(CommandError) {
        self.path = path
        if let path {
            let bytes = try CommandError.contents(ofFile: path)
            do throws(DeviceDataError) {
                data = try DeviceData(reading: bytes)
            } catch {
                throw .data("\(quoted(path)) cannot be used as device data: \(error)")
            }
        } else {
            data = .builtIn
        }
        guard data.isStale(at: context.now()) else { return }
        context.console.report(
            "Warning: the lists of roots are from \(data.date.date), \(data.age(at: context.now())) days ago: "
                + "give newer ones with --device-data, or use a newer pincheck"
        )
    }

    /// What a name stands for.
    func choice(named name: String) throws(CommandError) -> DeviceChoice {
        do throws(UnknownDevice) {
            return try data.choice(named: name)
        } catch {
            let nearest = error.neighbours.isEmpty ? Suggestion.nearest(to: name, in: data.allNames) : nil
            let remedy = nearest.map { "did you mean \(quoted($0))?" } ?? "'pincheck devices' lists them"
            throw .usage("there is no \(Self.what(error)): \(remedy)")
        }
    }

    private static func what(_ error: UnknownDevice) -> String {
        guard !error.neighbours.isEmpty else { return "device \(quoted(error.name))" }
        return
            "list of roots for \(quoted(error.name)), and next to it are \(error.neighbours.joined(separator: " and "))"
    }
}
