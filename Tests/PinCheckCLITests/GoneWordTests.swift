import Base
import PinChecking
import Testing

@testable import PinCheckCLI

/// What pincheck had and has no more: each word of the table is refused with its sentence, on the command line that had it.
@Suite struct GoneWordTests {
    static let rows: [(arguments: [String], instead: SafeText)] = [
        (GoneWords.commands, [{ [$0, "x"] }, { ["help", $0] }]),
        (
            GoneWords.options,
            [{ ($0.hasPrefix("-") ? ["host", $0] : $0.split(separator: " ").map(String.init)) + ["x"] }]
        ), (GoneWords.otherNames, [{ ["host", "--client", $0] }]),
        (GoneWords.clients, [{ ["host", "--client", $0] }, { ["lint", "Pins", "--client", $0] }]),
        (GoneWords.forms, [{ ["host", "--format", $0] }, { ["pins", "x", "-f", $0] }]),
        (GoneWords.changes, [{ ["host", "--baseline", "x", "--allow", $0] }]),
    ].flatMap { (table: [String: SafeText], lines: [(String) -> [String]]) in
        table.flatMap { word, instead in lines.map { ($0(word), instead) } }
    }

    @Test func aGoneWordIsRefusedWithWhatToDoInstead() async {
        for (arguments, instead) in Self.rows {
            let outcome = await pincheck(arguments).expect(.usage, "")
            #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.hasSuffix(": \(instead)\n"), "\(outcome)")
        }
    }

    @Test func aFileRefusesAGoneClientWithItsSentence() async throws {
        await pincheck("--targets", "-", input: Array("api.example.com client=dane\n".utf8)).expect(
            .data, errors: "standard input:1: client=: the client 'dane' is not known any more: no app compares TLSA")
        await pincheck("--policy", "-", input: Array(#"{ "hosts": { "a.example.com": { "client": "dane" } } }"#.utf8))
            .expect(.data, errors: "the client 'dane' is not known any more: no app compares TLSA")
    }
}
