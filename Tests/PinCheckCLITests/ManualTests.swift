import Foundation
import LoopbackLab
@testable import PinCheckCLI
import Testing
import Base

/// The pages of the manual, as programs that show them read them.
@Suite(.endsSomeTime) struct ManualTests {
    /// Every page by its name.
    /// Every page, written once for all tests.
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
                let names = option.names.map { "Fl " + $0.dropFirst().replacing("-", with: "\\-") }
                #expect(page.contains("\n.It " + names.joined(separator: " , ")), "\(command.name) \(option.names)")
            }
        }
    }

    @Test func thePagesHaveTheSectionsThatPeopleLookFor() async throws {
        for (name, text) in try await pages() {
            let sections = text.split(separator: "\n").filter { $0.hasPrefix(".Sh ") }.map { String($0.dropFirst(4)) }
            let wanted = [
                "NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO",
            ]
            // These two are all there is to try.
            let lacking: Set = name == "pincheck-demo" ? ["EXAMPLES"] : []
            #expect(sections == wanted.filter { !lacking.contains($0) }, "\(name)")
            for status in ExitStatus.allCases { #expect(text.contains("\n.It \(status.rawValue) \(status.name)\n")) }
            // In small letters they mean the same.
            let variables = Context.honouredVariables.filter { $0 == $0.uppercased() }
            for variable in variables { #expect(text.contains("\n.It Ev \(variable)\n"), "\(variable)") }
        }
        let page = await pincheck("--generate-manual", "pincheck").output
        #expect(page.contains(".Sh SYNOPSIS\n.Nm pincheck\n.Ar target ...\n.Op Fl \\-pins Ar source\n"))
        #expect(page.contains(".Dd \(monthAndDay)"))
    }

    /// The day that the lab issues for, as a manual has it.
    private var monthAndDay: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "MMMM d, yyyy"
        return formatter.string(from: Date(timeIntervalSince1970: Double(LabClock.now)))
    }

    @Test(.enabled(if: Tool.groff.isThere, "there is no groff")) func groffShowsEveryCharacter() async throws {
        for (name, text) in try await pages() {
            let shown = try await Tool.groff.run("groff -ww -man -Tutf8 -P-cbou -rLL=1000n page 2>errors", on: text)
            #expect(shown.errors == "", "\(name)")
            guard let command = Command.all.first(where: { "pincheck-" + $0.name == name }) else { continue }
            let letters = Self.letters(shown.output)
            for option in command.options {
                #expect(letters.contains(Self.letters(option.help + option.detail)), "\(option.names)")
            }
            for line in command.discussion().split(separator: "\n") where !line.hasPrefix("Exit status") {
                #expect(letters.contains(Self.letters(String(line))), "\(line)")
            }
        }
    }

    /// What is left of a text whose lines may be broken anywhere.
    private static func letters(_ text: String) -> String {
        let plain: [Character: Character] = ["‐": "-", "−": "-", "’": "'"]
        return String(text.filter { !$0.isWhitespace && $0 != "\\" }.map { plain[$0] ?? $0 })
    }

    @Test(.enabled(if: Tool.mandoc.isThere, "there is no mandoc")) func mandocFindsNothing() async throws {
        for (name, text) in try await pages() {
            let found = try await Tool.mandoc.run("mandoc -T lint page >errors 2>&1 || true", on: text)
            // Which other pages are installed is nothing of this one.
            let faults = found.errors.split(separator: "\n").filter {
                !$0.contains("referenced manual not found") && !$0.contains("outdated mandoc.db")
            }
            #expect(faults.isEmpty, "\(name)")
        }
    }

    @Test(.enabled(if: Tool.mandoc.isThere, "there is no mandoc")) func noPageIsWiderThanATerminal() async throws {
        for (name, text) in try await pages() {
            let shown = try await Tool.mandoc.run("mandoc -Tascii -Owidth=78 page 2>errors | col -bx", on: text)
            let wide = shown.output.split(separator: "\n").filter { TerminalText.cells($0) > 80 }
            #expect(wide.isEmpty, "\(name)")
        }
    }

    @Test func aPageThereIsNotIsAMistake() async {
        await pincheck("--generate-manual", "pincheck-lnt").expect(.usage, errors: "did you mean 'pincheck-lint'?")
    }
}

/// A program that shows manuals.
private enum Tool: String {
    case groff, mandoc

    var isThere: Bool {
        ["/usr/bin", "/bin"].contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(rawValue)") }
    }

    /// Runs a command on a page.
    func run(_ command: String, on page: String) async throws -> (output: String, errors: String) {
        try await TemporaryDirectory.scoped { files in
            try files.write(page, to: "page")
            let outcome = try await BuiltBinary.run("cd '\(files.path)'; \(command)")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let errors = try String(contentsOfFile: files.path + "/errors", encoding: .utf8)
            return (outcome.output, errors)
        }
    }
}
