import ArgumentParser
import X509

/// The whole program: from arguments to an exit status.
package enum PinCheck {
    /// The version of pincheck.
    package static let version = "0.1.0"

    /// Runs the command line of the process and ends it.
    package static func main() async -> Never {
        System.ignoreBrokenPipes()
        let context = System.context()
        System.exit(await run(arguments: Array(CommandLine.arguments.dropFirst()), in: context))
    }

    /// Runs a command line, without the program's name, in a world of the caller's.
    package static func run(arguments: [String], in context: Context) async -> ExitStatus {
        do {
            // The parser takes milliseconds; the version should not.
            if arguments == ["--version"] {
                try context.console.output.write(versionText + "\n")
                return .pass
            }
            guard !arguments.isEmpty else {
                context.console.report(RootCommand.shortHelp)
                return .usage
            }
            return try await runParsed(arguments, in: context)
        } catch let error as CommandError {
            context.console.report(error)
            return error.status
        } catch OutputError.brokenPipe {
            return .pass
        } catch OutputError.failed(let reason) {
            context.console.report("Error: the result could not be written: \(reason)")
            return .inputOutput
        } catch {
            context.console.report("Error: \(error)")
            return .software
        }
    }

    /// The answer to `--version`.
    static var versionText: String { "pincheck \(version) (\(OpenSSLVersion.text))" }

    private static func runParsed(_ arguments: [String], in context: Context) async throws -> ExitStatus {
        do {
            var command = try RootCommand.parseAsRoot(arguments)
            if let command = command as? any ContextCommand {
                return try await command.run(in: context)
            }
            // The parser's own commands (help, completion scripts) answer by throwing what they have to say.
            try command.run()
            return .pass
        } catch let error as CommandError {
            throw error
        } catch let error as OutputError {
            throw error
        } catch {
            let message = RootCommand.fullMessage(for: error)
            if RootCommand.exitCode(for: error) == .success {
                try context.console.output.write(message + "\n")
                return .pass
            }
            context.console.report(message)
            return .usage
        }
    }
}
