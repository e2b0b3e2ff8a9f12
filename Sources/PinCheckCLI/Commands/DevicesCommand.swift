import Base
import PinChecking
import X509

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
        let report = try DevicesReport(settings.request.judging.deviceData, in: context)
        // A list to be read: in a pipe it is as narrow as at a terminal.
        let layout = TextLayout(columns: context.console.output.layout.columns, wraps: true)
        let (document, text) =
            try settings.arguments.first.map { name in
                let device = try CommandError.reading(try report.data.device(named: name))
                guard let device else {
                    throw CommandError.usage(
                        "'\(name)' has the roots of this machine, which are not part of the data: name another device")
                }
                try Hashing.require()
                let roots = try report.roots(of: device)
                return (report.document([device], roots: roots), report.list(roots, of: device, layout))
            } ?? (report.document([nil] + report.data.devices), report.table([nil] + report.data.devices, layout))
        try OutputFile.refuseReadFile(behind: context.console.output)
        var lines = LineWriter(context.console.output)
        try lines.write(
            text: settings.writesDevicesAsJSON ? JSONRenderer.document(document) : text.map { $0 + "\n" }.joined())
        return .pass
    }
}
