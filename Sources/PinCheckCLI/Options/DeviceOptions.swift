import ArgumentParser
import PinChecking

/// The devices whose roots and rules decide.
struct DeviceOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Judge by the roots and rules of these devices.",
            discussion: """
                Each client is judged on those of its system, as in 'ios-12,android-9', or all. 'system' is this \
                machine, the default. 'pincheck devices' lists them. Repeatable.
                """, valueName: "name")) var device: [String] = []

    @Option(
        help: ArgumentHelp("Use this device data instead of the program's own.", valueName: "file"), completion: .file()
    ) var deviceData: String?
}

extension DeviceOptions {
    /// Adds what the options say; no data is read yet.
    func read(into judging: inout CheckRequest.Judging) {
        judging.devices = device.isEmpty ? nil : DeviceSelection(device)
        judging.deviceData = deviceData
    }
}
