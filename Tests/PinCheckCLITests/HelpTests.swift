import Base
import Foundation
import LoopbackLab
import PinChecking
import PinFormats
import Pinning
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct HelpTests {
    private static let commands = Command.all.map(\.name)

    @Test func allHelpFitsATerminal() async {
        for arguments in [["-h"], ["--help"]] + Self.commands.flatMap({ [["help", $0], [$0, "--help"]] }) {
            let help = await pincheck(arguments).expect(.pass, errors: "")
            for line in help.output.split(separator: "\n") { #expect(line.count <= 80, "\(arguments): \(line)") }
        }
    }

    @Test func shortHelpHasWhatIsUsedMostAndACommandHasItsOwn() async {
        let help = await pincheck("-h").output
        #expect(help.split(separator: "\n", omittingEmptySubsequences: false).count <= 33)
        #expect(Help.mostUsed.count == 10 && Help.mostUsed.allSatisfy { help.contains($0.flag) })
        for arguments in [["api.example.com"]] + Self.commands.map({ [$0] }) {
            #expect(await pincheck(arguments + ["-h"]).output == pincheck(arguments + ["--help"]).output)
        }
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
}

@Suite(.endsSomeTime) struct ManualTests {
    private static let written = Task<[(name: String, text: String)], Never> {
        var pages: [(name: String, text: String)] = []
        for name in await pincheck("--generate-manual").output.split(separator: "\n") {
            let page = await pincheck("--generate-manual", String(name))
            guard page.status == .pass else { return [] }
            pages.append((String(name), page.output))
        }
        return pages
    }

    private func pages() async throws -> [(name: String, text: String)] {
        let pages = await Self.written.value
        try #require(!pages.isEmpty)
        return pages
    }

    @Test func everyCommandHasAPageWithAllOfItsOptions() async throws {
        let pages = try await pages()
        let commands = Command.all.map(\.name)
        #expect(pages.map(\.name) == ["pincheck"] + commands.map { "pincheck-" + $0 })
        for command in Command.all {
            let page = try #require(pages.first { $0.name == "pincheck-" + command.name }).text
            for option in command.options {
                let names = option.names.map { "\\fB" + $0.replacing("-", with: "\\-") + "\\fR" }
                #expect(page.contains("\n.TP\n" + names.joined(separator: ", ")), "\(command.name) \(option.names)")
            }
        }
    }

    @Test func thePagesHaveTheSectionsThatPeopleLookFor() async throws {
        for (name, text) in try await pages() {
            let sections = text.split(separator: "\n").filter { $0.hasPrefix(".SH ") }.map { String($0.dropFirst(4)) }
            let wanted = [
                "NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO",
            ]
            // These two are all there is to try.
            let lacking: Set = name == "pincheck-demo" ? ["EXAMPLES"] : []
            #expect(sections == wanted.filter { !lacking.contains($0) }, "\(name)")
            for status in ExitStatus.allCases {
                #expect(text.contains("\n\\fB\(status.rawValue) \(status.name)\\fR\n"))
            }
            // In small letters they mean the same.
            let variables = Context.honouredVariables.filter { $0 == $0.uppercased() }
            for variable in variables { #expect(text.contains("\n\\fB\(variable)\\fR\n"), "\(variable)") }
        }
        let page = await pincheck("--generate-manual", "pincheck").output
        #expect(page.contains(".SH SYNOPSIS\npincheck \\fItarget\\fR ... [\\-\\-pins \\fIsource\\fR]"))
        #expect(page.hasPrefix(".TH PINCHECK 1 \(Timestamp(secondsSinceEpoch: LabClock.now).date)\n"))
    }

    @Test(.has("groff")) func groffShowsEveryCharacter() async throws {
        for (name, text) in try await pages() {
            let shown = try await run("groff -ww -man -Tutf8 -P-cbou -rLL=1000n page 2>errors", on: text)
            let narrow = try await run("groff -ww -man -Tutf8 page 2>errors", on: text)
            #expect(shown.errors + narrow.errors == "", "\(name)")
            guard let command = Command.all.first(where: { "pincheck-" + $0.name == name }) else { continue }
            let letters = Self.letters(shown.output)
            for option in command.options {
                #expect(letters.contains(Self.letters(option.help + option.detail)), "\(option.names)")
            }
            for line in command.discussion.split(separator: "\n") where !line.hasPrefix("Exit status") {
                #expect(letters.contains(Self.letters(String(line))), "\(line)")
            }
        }
    }

    /// What is left of a text whose lines may be broken anywhere.
    private static func letters(_ text: String) -> String {
        let plain: [Character: Character] = ["‐": "-", "−": "-", "’": "'"]
        return String(text.filter { !$0.isWhitespace && $0 != "\\" }.map { plain[$0] ?? $0 })
    }

    @Test(.has("mandoc")) func mandocFindsNothing() async throws {
        for (name, text) in try await pages() {
            let found = try await run("mandoc -T lint page >errors 2>&1 || true", on: text)
            // Which other pages are installed is nothing of this one.
            let faults = found.errors.split(separator: "\n").filter {
                !$0.contains("referenced manual not found") && !$0.contains("outdated mandoc.db")
            }
            #expect(faults.isEmpty, "\(name)")
        }
    }

    @Test(.has("mandoc")) func noPageIsWiderThanATerminal() async throws {
        for (name, text) in try await pages() {
            let shown = try await run("mandoc -Tascii -Owidth=78 page 2>errors | col -bx", on: text)
            let wide = shown.output.split(separator: "\n").filter { TerminalText.cells($0) > 80 }
            #expect(wide.isEmpty, "\(name)")
        }
    }

    private func run(_ command: String, on page: String) async throws -> (output: String, errors: String) {
        let files = try TemporaryDirectory()
        try files.write(page, to: "page")
        let outcome = try await BuiltBinary.run("cd '\(files.path)'; \(command)")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return (outcome.output, try contents(ofFile: files.path + "/errors"))
    }
}

@Suite struct ForeignWordTests {
    @Test func aWordOfAnotherToolIsRefusedWithWhatToDoInstead() async {
        let clients = ForeignWords.clients.flatMap { word, instead in
            [(["host", "--client", word], instead), (["lint", "Pins", "--client", word], instead)]
        }
        let options = ForeignWords.options.map { word, instead in
            ((word.hasPrefix("-") ? ["host", word] : word.split(separator: " ").map(String.init)) + ["x"], instead)
        }
        for (arguments, instead) in clients + options {
            let outcome = await pincheck(arguments).expect(.usage, "")
            #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.hasSuffix(": \(instead)\n"), "\(outcome)")
        }
    }
}
