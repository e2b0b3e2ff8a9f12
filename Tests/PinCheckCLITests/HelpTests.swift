import ArgumentParser
import LoopbackLab
@testable import PinCheckCLI
import Testing

/// `-h`, `--help` and what they are made from.
@Suite(.endsSomeTime) struct HelpTests {
    private static let commands = RootCommand.commands.map { $0.name }

    @Test func allHelpFitsATerminal() async {
        for arguments in [["-h"], ["--help"]]
            + Self.commands.flatMap({ [[$0, "-h"], ["help", $0], [$0, "--help"]] })
        {
            let help = await pincheck(arguments)
            #expect(help.status == .pass && help.errors.isEmpty, "\(arguments)")
            for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(arguments): \(line)") }
        }
    }

    @Test func shortHelpIsShortAndSaysWhereTheRestIs() async throws {
        for arguments in [["-h"], ["api.example.com", "-h"]] + Self.commands.map({ [$0, "-h"] }) {
            let help = await pincheck(arguments).output
            #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count <= ShortHelp.mostLines + 1)
            #expect(help.contains("'pincheck help ") && help.contains("sage: pincheck "), "\(arguments)")
        }
        #expect(await pincheck("api.example.com", "-h").output == pincheck("check", "-h").output)
        #expect(await pincheck("check", "-h").output != pincheck("check", "--help").output)
        let program = try CommandDescription.program()
        #expect(await pincheck("-h").output.split(separator: "\n", omittingEmptySubsequences: false).count <= 32)
        for (command, options) in ShortHelp.options {
            #expect((9...10).contains(options.count))
            let help = await pincheck(command, "-h").output
            for option in options {
                #expect(program.subcommand(command)?.option(option) != nil, "\(command) has no \(option)")
                #expect(help.contains(option))
            }
        }
    }

    @Test func theHelpOfACheckBeginsWithWhatIsLookedForMost() async throws {
        let help = await pincheck("help", "check").output
        let options = help.split(separator: "\n").filter { $0.hasPrefix("  -") }
        let names = options.prefix(4).compactMap { $0.split(separator: " ").first }
        #expect(names == ["--targets", "--policy", "--baseline", "--next"])
    }

    @Test func everyOptionSaysInALineWhatItIsFor() throws {
        for command in try CommandDescription.program().subcommands where command.name != "help" {
            for argument in command.arguments {
                #expect(!argument.abstract.isEmpty && argument.abstract.count <= 54, "\(argument.abstract)")
                #expect(argument.abstract.hasSuffix(".") || argument.abstract.hasSuffix("?"), "\(argument.abstract)")
                #expect(argument.detail.isEmpty || argument.detail.hasSuffix("."), "\(argument.detail)")
            }
        }
    }

    @Test func theFormsInTheHelpAreThoseThereAre() throws {
        let program = try CommandDescription.program()
        for (command, forms) in [
            ("check", OutputForm.allCases.map(\.rawValue)), ("lint", LintSettings.Form.allCases.map(\.rawValue)),
            ("pins", PinsOutputSettings.Form.names),
        ] {
            let detail = program.subcommand(command)?.option("--format")?.detail ?? ""
            #expect(detail.hasPrefix("One of " + forms.joined(separator: ", ")))
        }
    }

    @Test func examplesAreToldFromNotes() {
        let text = HelpText(
            "Do this:\n  pincheck a\n  pincheck b\nOr that:\n  pincheck c\n\nA note\nin two lines.\n\nWords:\n  x: y")
        #expect(
            text.examples == [.lines("Do this:", ["pincheck a", "pincheck b"]), .lines("Or that:", ["pincheck c"])])
        #expect(text.notes == [.text("A note in two lines."), .lines("Words:", ["x: y"])])
    }
}
