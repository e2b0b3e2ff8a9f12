import LoopbackLab
@testable import PinCheckCLI
import PinFormats
import Testing

/// `-h`, `--help` and what they are made from.
@Suite(.endsSomeTime) struct HelpTests {
    private static let commands = Command.all.map(\.name)

    @Test func allHelpFitsATerminal() async {
        for arguments in [["-h"], ["--help"]]
            + Self.commands.flatMap({ [[$0, "-h"], ["help", $0], [$0, "--help"]] })
        {
            let help = await pincheck(arguments).expect(.pass, errors: "")
            for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(arguments): \(line)") }
        }
    }

    @Test func shortHelpIsShortAndSaysWhereTheRestIs() async throws {
        for arguments in [["-h"], ["api.example.com", "-h"]] + Self.commands.map({ [$0, "-h"] }) {
            let help = await pincheck(arguments).output
            #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count <= 41)
            #expect(help.contains("'pincheck help ") && help.contains("sage: pincheck "), "\(arguments)")
        }
        #expect(await pincheck("api.example.com", "-h").output == pincheck("check", "-h").output)
        #expect(await pincheck("check", "-h").output != pincheck("check", "--help").output)
        #expect(await pincheck("-h").output.split(separator: "\n", omittingEmptySubsequences: false).count <= 32)
        for command in Command.all where !command.most.isEmpty {
            #expect((9...10).contains(command.most.count))
            let help = await pincheck(command.name, "-h").output
            for flag in command.most {
                #expect(command.option(flag) != nil, "\(command.name) has no \(flag)")
                #expect(help.contains(flag))
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
        for option in Command.all.flatMap(\.options) {
            #expect(!option.help.isEmpty && option.help.count <= 54, "\(option.help)")
            #expect(option.help.hasSuffix(".") || option.help.hasSuffix("?"), "\(option.help)")
            #expect(option.detail.isEmpty || option.detail.hasSuffix("."), "\(option.detail)")
        }
    }

    @Test func everyRowIsThereOnceInACommand() {
        for command in Command.all {
            let names = command.options.flatMap(\.names) + ["-h", "--help", "--version"]
            #expect(Set(names).count == names.count, "\(command.name)")
            for option in command.options { #expect(option.rival == nil || command.option(option.rival ?? "") != nil) }
        }
        let words = Command.check.option("--targets")?.detail ?? ""
        for option in Option.ofLists { #expect(words.contains("[\(option.word)\(option.isSwitch ? "]" : "=")")) }
        let forms = Command.check.option("--format")?.detail ?? ""
        #expect(forms.hasPrefix("One of " + OutputForm.allCases.map(\.rawValue).joined(separator: ", ") + "."))
        let keys = Set(PolicyHosts.options.compactMap(\.key))
        #expect(keys == Set(PolicyReader.keys) && PolicyReader.keys.count == keys.count)
    }

    @Test func examplesAreToldFromNotes() {
        let text = HelpText(
            "Do this:\n  pincheck a\n  pincheck b\nOr that:\n  pincheck c\n\nA note\nin two lines.\n\nWords:\n  x: y")
        #expect(
            text.examples == [
                .init(text: "Do this:", lines: ["pincheck a", "pincheck b"]),
                .init(text: "Or that:", lines: ["pincheck c"]),
            ])
        #expect(text.notes == [.init(text: "A note in two lines."), .init(text: "Words:", lines: ["x: y"])])
    }
}
