import Base
import PinChecking

extension Command {
    static let devices = Command(
        name: "devices", abstract: "List the devices whose roots are known, or the roots of one.",
        usage: "pincheck devices [<device>] [<options>]",
        discussion: {
            """
              pincheck devices
              pincheck devices ios-17
              pincheck devices android-8 --format json

            Apple's lists are named after iOS; the macOS of the same year has the same one.
            A version without a list is refused: roots come and go between versions.
            Manufacturers add roots to Android's list.
            """
        },
        arguments: [
            Argument(
                name: "device", help: "The device whose roots to list.", values: .words(OptionGroup.devicesWithRoots))
        ],
        own: {
            [
                OptionGroup(
                    title: "Options",
                    options: [
                        OptionGroup.deviceData,
                        .choice("--format", "-f", of: "form", help: "text or json (default: text).") {
                            (settings, form: DevicesCommand.Form) in settings.writesDevicesAsJSON = form == .json
                        },
                    ])
            ]
        }, run: { try DevicesCommand(settings: $0).run(in: $1) })
}

/// `pincheck devices`: the devices whose roots and rules are known.
struct DevicesCommand {
    /// The forms the lists are written in.
    enum Form: String, CaseIterable, Sendable { case text, json }

    let settings: Settings

    func run(in context: Context) throws -> ExitStatus {
        let device = settings.arguments.first
        let file = try DeviceDataFile(settings.request.judging.deviceData, in: context)
        var report = DevicesReport(file, at: context.now())
        if let device {
            report.devices = [try Self.entry(named: device, in: file)]
        } else {
            report.devices = [.system] + file.data.devices.map { DevicesReport.Entry($0) }
        }
        try OutputFile.refuseReadFile(behind: context.console.output)
        var lines = LineWriter(context.console.output)
        if settings.writesDevicesAsJSON {
            try lines.write(text: JSONRenderer.document(report))
        } else {
            let layout = context.console.output.layout
            let text =
                device == nil ? DevicesTextRenderer.table(report, layout) : DevicesTextRenderer.roots(report, layout)
            for line in text { try lines.write(line) }
        }
        return .pass
    }

    /// A device with its roots in the order of their names.
    private static func entry(named name: String, in file: DeviceDataFile) throws -> DevicesReport.Entry {
        guard let device = try file.device(named: name) else {
            throw CommandError.usage(
                "'\(name)' has the roots of this machine, which are not part of the data: name another device")
        }
        try OpenSSLHealth.require()
        var roots: [DevicesReport.Root] = []
        for der in file.data.roots(of: device) { roots.append(try DevicesReport.Root(der, of: device, in: file)) }
        roots.sort { ($0.name.lowercased(), $0.certSha256) < ($1.name.lowercased(), $1.certSha256) }
        return DevicesReport.Entry(device, roots: roots)
    }
}
