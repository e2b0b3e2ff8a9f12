import ArgumentParser
import Base
import PinChecking
import PinFormats

/// Which pins to ship.
struct RecommendOptions: ParsableArguments {
    @Flag(
        help: ArgumentHelp(
            "Say which pins to ship, and why.",
            discussion: """
                The fewest that outlast the next renewal and what the authority is known to do, each with its reason and \
                date. A --key, a request or a public key is the one in reserve.
                """)) var recommend = false

    @Option(
        help: ArgumentHelp(
            "With --recommend: the pins of today.",
            discussion: "In any form that 'check --pins' takes: what of them will not last is warned of. Repeatable.",
            valueName: "source"), completion: .file()) var pins: [String] = []

    @Option(
        help: ArgumentHelp(
            "With --recommend: hosts of a policy, with their pins.",
            discussion: "JSON5; - is standard input. Repeatable.", valueName: "file"), completion: .file()) var policy:
        [String] = []

    @Option(
        help: ArgumentHelp(
            "With --recommend: the devices that have to get in.",
            discussion: "As in 'ios-12,android-9' (default: all). 'pincheck devices' lists them. Repeatable.",
            valueName: "name")) var device: [String] = []

    @Option(
        help: ArgumentHelp("Use this device data instead of the program's own.", valueName: "file"), completion: .file()
    ) var deviceData: String?
}

extension RecommendOptions {
    /// Throws for options that mean something with `--recommend` alone.
    func refuseWithoutRecommend() throws(CommandError) {
        guard !recommend else { return }
        let given: [(name: String, isGiven: Bool)] = [
            ("--pins", !pins.isEmpty), ("--policy", !policy.isEmpty), ("--device", !device.isEmpty),
            ("--device-data", deviceData != nil),
        ]
        guard let first = given.first(where: \.isGiven) else { return }
        let other = first.name == "--pins" ? ": --from writes them in another form" : ""
        throw .usage("\(first.name) goes with --recommend\(other)")
    }

    /// Adds what the options say; nothing is read yet.
    func read(into judging: inout CheckRequest.Judging) {
        judging.pins = pins.map { PinSource($0) }
        judging.devices = device.isEmpty ? nil : DeviceSelection(device)
        judging.deviceData = deviceData
    }
}
