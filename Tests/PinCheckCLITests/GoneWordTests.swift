import Base
import PinChecking
import Testing

@testable import PinCheckCLI

/// What pincheck had and has no more: each word of the table is refused with its sentence, on the command line that had it.
@Suite struct GoneWordTests {
    static let rows: [[String]] =
        GoneWords.commands.keys.map { [$0, "x"] } + GoneWords.commands.keys.map { ["help", $0] }
        + GoneWords.options.keys.map { ["host", $0, "x"] } + GoneWords.clients.keys.map { ["host", "--client", $0] }
        + GoneWords.clients.keys.map { ["lint", "Pins", "--client", $0] }
        + GoneWords.forms.keys.map { ["host", "--format", $0] } + GoneWords.forms.keys.map { ["pins", "x", "-f", $0] }
        + GoneWords.changes.keys.map { ["host", "--baseline", "x", "--allow", $0] }

    @Test(arguments: rows) func aGoneWordIsRefusedWithWhatToDoInstead(_ arguments: [String]) async throws {
        let word = try #require(arguments.first { Self.sentences[$0] != nil })
        guard !Self.isKnown(word) else { return }
        let outcome = await pincheck(arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
        #expect(outcome.errors.hasSuffix(": \(try #require(Self.sentences[word]))\n"))
    }

    @Test func aFileRefusesAGoneClientWithItsSentence() async throws {
        guard !Self.isKnown("dane") else { return }
        let list = await pincheck("--targets", "-", input: Array("api.example.com client=dane\n".utf8))
        #expect(list.status == .data)
        #expect(list.errors.contains("standard input:1: the client 'dane' is not known any more: no app compares TLSA"))
        let policy = await pincheck(
            "--policy", "-", input: Array(#"{ "hosts": { "a.example.com": { "client": "dane" } } }"#.utf8))
        #expect(policy.status == .data)
        #expect(policy.errors.contains("the client 'dane' is not known any more: no app compares TLSA"))
    }

    private static let sentences = [
        GoneWords.commands, GoneWords.options, GoneWords.clients, GoneWords.forms, GoneWords.changes,
    ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    /// Words that are still understood somewhere, until the branch that removes them is merged.
    private static func isKnown(_ word: String) -> Bool {
        let options = (try? CommandDescription.program().subcommands.flatMap(\.options).flatMap(\.names)) ?? []
        return RootCommand.commands.contains { $0.name == word } || options.contains(word)
            || ClientRegistry.entries.contains { $0.name == word } || OutputForm(rawValue: word) != nil
            || PinsOutputSettings.Form(word) != nil || Change.Kind(rawValue: word) != nil
    }
}
