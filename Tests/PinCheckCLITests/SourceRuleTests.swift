import Foundation
import PinChecking
import Testing

/// Rules about the sources themselves, which the compiler cannot hold.
@Suite struct SourceRuleTests {
    /// A client is its procedure and its row: a name in quotes anywhere else is a decision that a new client would miss.
    @Test func nothingBesideItsFileAndItsRowKnowsAClientByName() throws {
        let names = Client.all.map { "\"\($0.name)\"" } + ["\"afnetworking"]
        let others = [
            "Pinning/Configurations/PinConfiguration.swift": "the kinds of configuration",
            "PinFormats/Writing/PinBlockFormat.swift": "curl's block, by its title",
            "PinCheckCLI/Help/ManualPage.swift": "the manual of curl",
            "PinCheckCLI/Reports/Pins/PinsResult.swift": "keys of a document",
        ]
        let found = try lines { line in names.contains { line.contains($0) } }.filter { file, _ in
            file != "PinChecking/Clients/ClientTable.swift" && !file.hasPrefix("Pinning/Clients/")
        }
        #expect(found.filter { others[$0.file] == nil }.map { "\($0.file): \($0.line)" } == [])
        #expect(Set(found.map(\.file)) == Set(others.keys), "a file needs no exception any more")
    }

    /// What the verifier is asked decides a verdict, and judging alone decides.
    @Test func judgingAloneAsksTheVerifier() throws {
        let found = try lines { $0.contains("PathQuestion(") || $0.contains(".evaluate(") }.filter { file, _ in
            file.hasPrefix("PinChecking/") && !file.hasPrefix("PinChecking/Judging/")
        }
        #expect(found.map { "\($0.file): \($0.line)" } == [])
    }

    /// The lines of the sources that match, without comments.
    private func lines(where matches: (Substring) -> Bool) throws -> [(file: String, line: String)] {
        let top = Article.top.appending(path: "Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: top.path).filter { $0.hasSuffix(".swift") }
        return try files.sorted().flatMap { file in
            try String(contentsOf: top.appending(path: file), encoding: .utf8).split(separator: "\n").filter { line in
                !line.drop { $0 == " " }.hasPrefix("//") && matches(line)
            }.map { (file, $0.trimmingCharacters(in: .whitespaces)) }
        }
    }
}
