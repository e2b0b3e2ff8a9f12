import ArgumentParser
import Base
import PinChecking
import TLSProbe
import X509

/// The whole program: from arguments to an exit status.
package enum PinCheck {
    /// Runs the command line of the process and ends it.
    package static func main() -> Never {
        TimeZoneVariable.ignore()
        System.ignoreSignalsOfWriting()
        Interruption.install()
        let context = System.context()
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let obstacle = obstacle() {
            let convention = ExitConvention.guess(arguments)
            refuse(obstacle, convention, in: context)
            System.exit(code: convention.code(for: obstacle.status))
        }
        ProbeThread.run { thread in
            var context = context
            context.thread = thread
            System.exit(code: await exitCode(arguments: arguments, in: context))
        }
    }

    /// Why this process should not go on, whatever it was called for.
    private static func obstacle() -> CommandError? {
        // Swift reads them there on Linux.
        guard !CommandLine.arguments.isEmpty else {
            return .software("the system does not tell this program its arguments: mount /proc")
        }
        guard DescriptorLimit.hasFreeDescriptors() else {
            return .software("hardly a file can be opened any more: raise the limit, as in 'ulimit -n 256'")
        }
        if let path = OpenSSLConfiguration.dangerousPath {
            return .noInput(
                "OpenSSL's configuration \(quoted(path)) is not a regular file of at most 1 MiB, or includes more than "
                    + "OpenSSL should read: let OPENSSL_CONF name another, or /dev/null for none")
        }
        guard OpenSSLStart.isInTime() else {
            return .noInput(
                "OpenSSL's configuration names what cannot be opened, or not within \(OpenSSLStart.patience / 1_000) s: let "
                    + "OPENSSL_CONF name another, or /dev/null for none")
        }
        guard OpenSSLStart.isConfigured else { return nil }
        do throws(CommandError) { try CommandError.reading(OpenSSLHealth.require) } catch { return error }
        return nil
    }

    /// Runs a command line, without the program's name, in a world of the caller's.
    package static func run(arguments: [String], in context: Context) async -> ExitStatus {
        await end(of: arguments, in: context).status
    }

    /// Runs a command line and says the code its process would end with.
    package static func exitCode(arguments: [String], in context: Context) async -> Int32 {
        let end = await end(of: arguments, in: context)
        return end.convention.code(for: end.status)
    }

    private static func end(
        of arguments: [String], in context: Context
    ) async -> (status: ExitStatus, convention: ExitConvention) {
        var context = context
        context.console.style = TextStyle(
            ColorOption.guess(arguments), isTerminal: context.console.errors.isTerminal,
            environment: context.environment)
        context.run = { await run(arguments: $0, in: $1) }
        var convention = ExitConvention.guess(arguments)
        do {
            // The parser takes milliseconds; the version should not.
            if arguments == ["--version"] {
                try context.console.output.write(ProgramVersion.text + "\n")
                return (.pass, convention)
            }
            guard !arguments.isEmpty else {
                context.console.report(RootCommand.shortHelp)
                return (.usage, convention)
            }
            try SecretArguments.refuse(in: arguments)
            try MistypedCommand.refuse(in: arguments)
            try MistypedCommand.refuseHelp(in: arguments)
            let status = try await ReadLog.$current.withValue(ReadLog()) {
                try await runParsed(arguments, &convention, in: context)
            }
            if status == .unreachable, let hint = FileArgument.hint(for: arguments) {
                context.console.report("Note: \(hint)")
            }
            return (status, convention)
        } catch let error as CommandError {
            refuse(error, convention, in: context)
            return (error.status, convention)
        } catch OutputError.brokenPipe { return (.pass, convention) } catch OutputError.failed(let reason) {
            let message: SafeText = "the result could not be written: \(reason)"
            refuse(CommandError(status: .inputOutput, description: message), convention, in: context)
            return (.inputOutput, convention)
        } catch {
            refuse(.software("\(error)"), convention, in: context)
            return (.software, convention)
        }
    }

    /// Says why there is no result; to a monitoring system also where it reads.
    private static func refuse(_ error: CommandError, _ convention: ExitConvention, in context: Context) {
        context.console.report(error)
        guard convention == .monitoring else { return }
        try? context.console.output.write(NagiosRenderer.unknown(error.description))
    }

    /// The command that the arguments mean, `nil` unless there is nothing to say but that they are right.
    ///
    /// A command parsed by itself takes two thirds of the time it takes below the root, whose parser first goes through every
    /// option of the default command and of the completion scripts.
    private static func parse(_ arguments: [String]) -> (any ContextCommand)? {
        guard let command = RootCommand.commands.first(where: { $0.name == arguments.first }) else {
            return arguments.first == "help" ? nil : parseCheck(arguments)
        }
        let arguments = Array(arguments.dropFirst())
        return command == CheckCommand.self ? parseCheck(arguments) : try? command.parse(arguments)
    }

    private static func parseCheck(_ arguments: [String]) -> (any ContextCommand)? {
        PlainArguments(arguments).map { CheckCommand($0) } ?? (try? CheckCommand.parse(arguments))
    }

    private static func runParsed(
        _ arguments: [String], _ convention: inout ExitConvention, in context: Context
    ) async throws -> ExitStatus {
        do {
            if let command = parse(arguments) {
                if let own = command.exitConvention(in: context) { convention = own }
                return try await command.run(in: context)
            }
            if let text = try GeneratedText.asked(for: arguments, at: context.now()) {
                try context.console.output.write(text)
                return .pass
            }
            var command = try RootCommand.parseAsRoot(arguments)
            if let command = command as? any ContextCommand { return try await command.run(in: context) }
            // The parser's own commands (help, completion scripts) answer by throwing what they have to say.
            try command.run()
            return .pass
        } catch let error as CommandError { throw error } catch let error as OutputError { throw error } catch {
            if RootCommand.exitCode(for: error) == .success {
                let message = try ShortHelp.asked(for: arguments) ?? RootCommand.fullMessage(for: error) + "\n"
                try context.console.output.write(message)
                // A plugin that only printed its help has evaluated nothing, and must not look well.
                return convention == .monitoring ? .usage : .pass
            }
            let text = RootCommand.fullMessage(for: error)
            let message =
                try UnknownOption.message(insteadOf: text, for: arguments) ?? MisplacedArgument.message(
                    insteadOf: text, for: arguments) ?? parserMessage(for: error, arguments)
            context.console.report(message)
            if convention == .monitoring {
                let line = message.description
                let reason = line.hasPrefix("Error: ") ? String(line.dropFirst("Error: ".count)) : line
                try context.console.output.write(NagiosRenderer.unknown(reason))
            }
            return .usage
        }
    }

    /// The parser's message, line by line; no line of its own is as long as what is cut.
    ///
    /// It quotes arguments as they are, so those with line breaks are parsed again without: what is left are the parser's own.
    private static func parserMessage(for error: any Error, _ arguments: [String]) -> SafeText {
        var message = RootCommand.fullMessage(for: error)
        let safe = arguments.map(TerminalText.escaped)
        if safe != arguments {
            do {
                _ = try RootCommand.parseAsRoot(safe)
                message = TerminalText.escaped(message)
            } catch { message = RootCommand.fullMessage(for: error) }
        }
        return .lines(
            message.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                "\(TerminalText.shown(withoutSecrets(String(line)), to: 300))"
            })
    }
}
