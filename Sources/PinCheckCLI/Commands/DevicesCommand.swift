import ArgumentParser
import Base
import PinChecking

/// `pincheck devices`: the devices whose roots and rules are known.
struct DevicesCommand: ContextCommand {
    static let name = "devices"
    static let configuration = CommandConfiguration(
        commandName: name, _superCommandName: "pincheck",
        abstract: "List the devices whose roots are known, or the roots of one.",
        usage: "pincheck devices [<device>] [<options>]",
        discussion: """
              pincheck devices
              pincheck devices ios-17
              pincheck devices android-8 --format json

            Apple's lists are named after iOS; the macOS of the same year has the same one.
            A version without a list is refused: roots come and go between versions.
            Manufacturers add roots to Android's list.
            """)

    /// The forms the lists are written in.
    enum Form: String, CaseIterable { case text, json }

    @Argument(help: ArgumentHelp("The device whose roots to list.", valueName: "device")) var device: String?

    @Option(
        help: ArgumentHelp("Use this device data instead of the program's own.", valueName: "file"), completion: .file()
    ) var deviceData: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("text or json (default: text).", valueName: "form")) var format:
        String?

    func run(in context: Context) async throws(CommandError) -> ExitStatus {
        let isJSON = try Self.isJSON(format)
        let file = try DeviceDataFile(deviceData, in: context)
        var report = DevicesReport(file, at: context.now())
        if let device {
            report.devices = [try Self.entry(named: device, in: file)]
        } else {
            report.devices = [.system] + file.data.devices.map { DevicesReport.Entry($0) }
        }
        try OutputFile.refuseReadFile(behind: context.console.output)
        var lines = LineWriter(context.console.output)
        if isJSON {
            try lines.write(text: JSONRenderer.document(report))
        } else {
            let layout = context.console.output.layout
            let text =
                device == nil ? DevicesTextRenderer.table(report, layout) : DevicesTextRenderer.roots(report, layout)
            for line in text { try lines.write(line) }
        }
        return .pass
    }

    private static func isJSON(_ format: String?) throws(CommandError) -> Bool {
        guard let format else { return false }
        guard let form = Form(rawValue: format) else {
            throw .unknown("--format \(quoted(format))", format, among: Form.allCases.map(\.rawValue))
        }
        return form == .json
    }

    /// A device with its roots in the order of their names.
    private static func entry(named name: String, in file: DeviceDataFile) throws(CommandError) -> DevicesReport.Entry {
        guard case .device(let device) = try file.choice(named: name) else {
            throw .usage("'\(name)' has the roots of this machine, which are not part of the data: name another device")
        }
        try CommandError.reading(OpenSSLHealth.require)
        var roots: [DevicesReport.Root] = []
        for der in file.data.roots(of: device) { roots.append(try DevicesReport.Root(der, of: device, in: file)) }
        roots.sort { ($0.name.lowercased(), $0.certSha256) < ($1.name.lowercased(), $1.certSha256) }
        return DevicesReport.Entry(device, roots: roots)
    }
}
