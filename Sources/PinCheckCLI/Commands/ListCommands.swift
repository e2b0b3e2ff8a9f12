import Base
import PinChecking
import X509

extension Command {
    static let clients = Command(
        name: "clients", abstract: "List the clients whose decisions can be made, with their settings.",
        usage: "pincheck clients",
        discussion: {
            """
            Several clients judge one connection, and all of them must accept:
              pincheck api.example.com --pins Pins/ --client afnetworking,okhttp
              pincheck api.example.com --pins Pins/ --client all
            Settings follow a name, separated by colons:
              pincheck api.example.com --pins Pins/ --client trustkit:no-enforce
            AFNetworking's settings have flags of their own, such as --mode.
            """
        }, run: { try $0.clients() })

    private static let forms = ["text", "json"]

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
                name: "device", help: "The device whose roots to list.",
                values: .one { Option.words(DeviceData.builtIn.names.filter { $0 != DeviceData.systemName }) })
        ],
        own: {
            [
                OptionGroup(
                    title: "Options",
                    options: [
                        OptionGroup.deviceData,
                        Option(
                            "--format", "-f", of: "form", .one { Option.words(forms) },
                            help: "text or json (default: text)."
                        ) {
                            guard forms.contains($1.text) else { throw CommandError.unknown($1.text, among: forms) }
                            $0.writesDevicesAsJSON = $1.text == "json"
                        },
                    ])
            ]
        }, run: { try $0.devices() })
}

extension Invocation {
    func clients() throws -> ExitStatus {
        let layout = context.console.output.layout
        let table = Table(rows: Client.all.map { [$0.name, $0.summary] }, indent: 0)
        let start = table.widths[0] + 4
        for (entry, line) in zip(Client.all, table.lines(foldedIn: layout)) {
            try context.console.output.write(line + "\n")
            for setting in entry.settings {
                let line = String(repeating: " ", count: start) + setting.usage + "  " + setting.help
                try context.console.output.write(layout.folded(line, indent: start + 2) + "\n")
            }
        }
        return .pass
    }

    func devices() throws -> ExitStatus {
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
        try context.console.output.write(
            settings.writesDevicesAsJSON ? JSONRenderer.document(document) : text.map { $0 + "\n" }.joined())
        return .pass
    }
}
