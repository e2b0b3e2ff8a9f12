import Base
import PinChecking
import PinFormats
import PinLint
import X509

extension Command {
    static let lint = Command(
        name: "lint", abstract: "Judge pins and configurations before they ship.",
        usage: "pincheck lint <source> ... [<options>]",
        discussion: """
            A directory of certificates, keys and pins, as an app bundles them:
              pincheck lint Pins/
            Every pin in an app's repository, and in what configurations differ:
              pincheck lint .
            One configuration; two, to see in what they differ:
              pincheck lint res/xml/network_security_config.xml
              pincheck lint Info.plist res/xml/network_security_config.xml
            In CI, where warnings fail too and become annotations:
              pincheck lint Pins/ --fail-on warning --format github
              pincheck lint Info.plist -f text -f sarif=pins.sarif
            As of the day of the next release:
              pincheck lint Pins/ --at 2027-03-01 --warn-before 90d

            Exit status: 0 nothing as bad as --fail-on, 1 something, 65 malformed pins
            or configurations, 66 a missing file. Every malformed place is named.
            """,
        arguments: [
            Argument(
                name: "source", help: "A source as for --pins: a file, a directory, or pins.",
                detail: "Certificates and keys that are named one by one count as one set. "
                    + "Of a directory each one below it is judged too, but for hidden ones, \(PinDirectory.foreignNames).",
                isRepeatable: true, values: .file)
        ], own: { [.lint, .lintOutput] }, run: { try $0.lint() })
}

extension Invocation {
    func lint() throws -> ExitStatus {
        let sources = settings.arguments
        guard !settings.listsRules else {
            try console.output.write(LintReport.catalogue(console.output.layout))
            return .pass
        }
        let outputs = try FormOutput<LintForm>.read(settings.formats, standardOutput: console.output.identity)
        guard !sources.isEmpty else {
            throw Problem.usage("nothing is given to judge: name a file or directory, as in 'pincheck lint Pins/'")
        }
        PolicyHosts.noteFiles(namedIn: sources, in: context)
        try Hashing.require()
        let outlook = settings.request.judging.outlook
        let linter = Linter(
            now: settings.request.judging.time ?? context.now(), warnBefore: try outlook.warnBefore ?? Threshold("30d"),
            clients: settings.shippingClients.map { LintClient($0.pinForm, $0.platform, kinds: $0.namedBy) })
        var readings = sources.flatMap { PinSource($0).inspectAll() }
        for index in readings.indices { readings[index].report(readings[index].policyFiles.flatMap(refusals)) }
        for reading in readings where reading.omittedProblemCount > 0 {
            console.report("Warning: \(quoted(reading.text)) has \(reading.omittedProblemCount) more malformed places")
        }
        let report = linter.report(on: sources, readings, ignoring: outlook.ignored, failOn: settings.mildestFailure)
        for output in outputs { try write(report, as: output) }
        return report.exit
    }

    private func refusals(ofPolicy path: String) -> [Problem] {
        do {
            let stream = try TargetStream([], policies: [path], CheckRequest(), in: context)
            var policies = context.policies
            return try Check.plan(stream.split(after: .max).first, &policies).flatMap { $0.problems(in: path) }
        } catch { return [error] }
    }

    private func write(_ report: LintReport, as output: FormOutput<LintForm>) throws(Problem) {
        let stream = output.file == nil ? console.output : nil
        let style = TextStyle(settings.color, isTerminal: stream?.isTerminal ?? false, environment: context.environment)
        let text =
            switch output.form {
            case .text: report.text(style, stream?.layout ?? TextLayout())
            case .json: JSONRenderer.document(report.document)
            case .github: report.workflowCommands
            case .junit: report.junit
            case .sarif: JSONRenderer.document(report.sarif)
            }
        try OutputFile.deliver(text, to: output.file, in: context)
    }
}
