import ArgumentParser
import PinChecking

/// The devices whose roots and rules decide.
struct DeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The devices whose roots and rules decide, each client on those of its system, as in 'ios-12,android-9', or all; \
            system is this machine (default). See 'pincheck devices'. Repeatable.
            """,
            valueName: "name"
        )
    )
    var device: [String] = []

    @Option(
        help: ArgumentHelp("Device data to use instead of the program's own, newer as a rule.", valueName: "file"),
        completion: .file()
    )
    var deviceData: String?
}

extension DeviceOptions {
    /// Adds what the options say; no data is read yet.
    func read(into judging: inout CheckRequest.Judging) {
        judging.devices = device.isEmpty ? nil : DeviceSelection(device)
        judging.deviceData = deviceData
    }
}
