import Base
import PinChecking
import PinFormats
import TLSProbe
import X509

package enum PinCheck {
    package static func main() -> Never {
        // The C library would read a file for the time zone, in `TZ` even a pipe, and only UTC is ever shown. Set before
        // any thread exists.
        setenv("TZ", "UTC0", 1)
        // A write to a pipe without a reader, or beyond a file's limit, is an error.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        Interruption.install()
        let context = System.context()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let obstacle = obstacle() {
            let isMonitoring = Arguments(arguments).isMonitoring
            System.exit(code: refuse(obstacle, isMonitoring, in: context).code)
        }
        ProbeThread.run { thread in
            var context = context
            context.thread = thread
            System.exit(code: await run(arguments, in: context).code)
        }
    }

    private static func obstacle() -> Problem? {
        // On Linux Swift reads the arguments from `/proc`.
        guard !CommandLine.arguments.isEmpty else {
            return .software("the system does not tell this program its arguments: mount /proc")
        }
        guard DescriptorLimit.hasFreeDescriptors() else {
            return .software("too few files can be opened: raise the limit, as in 'ulimit -n 256'")
        }
        do { try Hashing.requireNamedConfiguration() } catch { return error }
        return nil
    }

    static func run(_ argv: [String], in context: Context) async -> RunEnd {
        var context = context
        let arguments = Arguments(argv)
        var isMonitoring = arguments.isMonitoring
        let log = ReadLog()
        context.console.style = context.style(arguments.color, on: context.console.errors)
        do {
            guard !argv.isEmpty else {
                try? context.console.errors.write(Help.start)
                return RunEnd(status: .usage, isMonitoring: isMonitoring)
            }
            try refuseSecrets(in: argv)
            if let text = try Program.answer(to: argv, arguments, at: context.now()) {
                try context.console.output.write(text)
                // A plugin that only printed its help has evaluated nothing, so its status must not be OK.
                return RunEnd(status: isMonitoring ? .usage : .pass, isMonitoring: isMonitoring)
            }
            if !arguments.namesCommand { try Mistake.refuseCommand(in: argv, positionals: arguments.positionals) }
            context.noteFilesOfEnvironment(in: log)
            var settings = try ReadLog.$current.withValue(log) { try arguments.settings() }
            let pins = settings.request.judging.pins
            for index in pins.indices where pins[index].asksForInput {
                settings.request.judging.pins[index] = PinSource(standardInput: try context.contents(of: "-"))
            }
            if let own = try? settings.outputs(in: context) { isMonitoring = own.isMonitoring }
            let status = try await ReadLog.$current.withValue(log) {
                try await arguments.command.run(Invocation(settings: settings, context: context))
            }
            return RunEnd(status: status, isMonitoring: isMonitoring)
        } catch { return refuse(error as? Problem ?? .software("\(error)"), isMonitoring, in: context) }
    }

    /// Throws if an argument contains a private key in PEM, before any code looks at it: no message can repeat one.
    private static func refuseSecrets(in argv: [String]) throws {
        guard argv.contains(where: KeyMaterial.isArmoured) else { return }
        throw Problem.data(
            "an argument is a private key; it was not used and no part of it is shown: pins are made of public keys "
                + "(openssl pkey -in KEY -pubout), and everybody on this machine can see arguments, so replace the key")
    }

    private static func refuse(_ error: Problem, _ isMonitoring: Bool, in context: Context) -> RunEnd {
        context.console.report(error)
        if isMonitoring { try? context.console.output.write(NagiosRenderer.unknown(error.told.description)) }
        return RunEnd(status: ExitStatus(error), isMonitoring: isMonitoring)
    }
}
