import Base
import Foundation
import PinChecking
import Testing

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

    @Test func judgingAloneAsksTheVerifier() throws {
        let found = try lines { $0.contains("PathQuestion(") || $0.contains(".evaluate(") }.filter { file, _ in
            file.hasPrefix("PinChecking/") && !file.hasPrefix("PinChecking/Judging/")
        }
        #expect(found.map { "\($0.file): \($0.line)" } == [])
    }

    /// The walk of Architecture: each function is in its file, and the file of its caller calls it.
    @Test func theWalkOfArchitectureIsThatOfTheCode() throws {
        let row = /\| (\d+) \| `\w+\.(\w+)` \| `([\w\/]+)` \| (?:(\d+)|the process)(?:, by `([\w.]+)`)? \| .+ \|/
        let lines = try Article("Sources/PinChecking/PinChecking.docc/Architecture.md").lines
        let steps = try lines.filter { $0.prefixMatch(of: /\| \d/) != nil }.map { line in
            try #require(line.wholeMatch(of: row)?.output, "\(line)")
        }
        #expect(steps.map { String($0.1) } == (1...17).map(String.init))
        for (_, number, function, file, caller, call) in steps {
            let declaration = try Regex("func \(function)[(<]")
            #expect(try code(of: "Sources/\(file).swift").contains { $0.contains(declaration) }, "step \(number)")
            guard let caller = caller.flatMap({ Int($0) }) else { continue }
            let called = try Regex("(^|\\W)\((call ?? function).replacing(".", with: "\\."))\\s*[({]")
            let calling = try code(of: "Sources/\(steps[caller - 1].3).swift").filter { !$0.contains(declaration) }
            #expect(calling.contains { $0.contains(called) }, "step \(number) is called by \(caller)")
        }
    }

    /// A folder or file by the end of its path, or a name that some code has.
    @Test(arguments: ["Architecture", "HowToAdd"]) func whatAnArticleNamesIsThere(article: String) throws {
        let lines = try Article("Sources/PinChecking/PinChecking.docc/\(article).md").lines
        let names = lines.flatMap { $0.matches(of: /`([A-Z][\w+]+(?:[\/.][\w+-]+)*)/).map { String($0.1) } }
        let files = try ["Sources", "Tests"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: "\(Article.top.path)/\(folder)").map {
                "\(folder)/\($0)"
            }
        }
        let code = try files.filter { $0.hasSuffix(".swift") }.flatMap(code(of:))
        let words = Set(
            code.flatMap { $0.utf8.split { !($0.isAlphanumeric || $0 == UInt8(ascii: "_")) }.map(String.init) })
        let missing = Set(names).subtracting(["COLUMNS", "Package.swift"]).filter { name in
            !files.contains { "/\($0).".contains("/\(name).") }
                && !name.split(separator: ".").allSatisfy { words.contains(String($0)) }
        }
        #expect(missing.sorted() == [])
    }

    private func lines(where matches: (Substring) -> Bool) throws -> [(file: String, line: String)] {
        let sources = Article.top.appending(path: "Sources").path
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources).filter { $0.hasSuffix(".swift") }
        return try files.sorted().flatMap { file in
            try code(of: "Sources/\(file)").filter(matches).map { (file, $0.trimmingCharacters(in: .whitespaces)) }
        }
    }

    private func code(of file: String) throws -> [Substring] {
        try String(contentsOf: Article.top.appending(path: file), encoding: .utf8).split(separator: "\n").filter {
            !$0.drop { $0 == " " }.hasPrefix("//")
        }
    }
}
