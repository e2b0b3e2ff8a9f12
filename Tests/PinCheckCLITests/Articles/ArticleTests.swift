import Foundation
import LoopbackLab
import PinChecking
import Pinning
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct ArticleTests {
    #if os(Linux)
    /// In a process of its own, whose directory is the reader's.
    @Test(.has("openssl")) func everyCommandPrintsWhatTheTextsSay() async {
        await #expect(processExitsWith: .success) {
            let world = try ArticleWorld()
            let devices = world.devices()
            try await world.serving { ports in
                for article in try Article.all() where !article.samples.isEmpty {
                    let files = try TemporaryDirectory()
                    try world.write(to: files)
                    guard FileManager.default.changeCurrentDirectoryPath(files.path) else {
                        throw SampleError("there is no way into \(files.path)")
                    }
                    _ = try await SampleRun(world, ports: world.formerly(ports), in: files.path).output(
                        of: "pincheck snapshot api.example.com -o api.json", columns: 80)
                    let run = SampleRun(world, ports: ports, in: files.path)
                    defer { #expect(throws: Never.self) { try run.end() } }
                    try await DeviceData.$builtIn.withValue(devices) { try await article.tryAll(run) }
                }
            }
        }
    }
    #endif

    @Test func everyCommandLineIsOneThatTheProgramTakes() throws {
        var seen: Set<[String]> = []
        for article in try Article.all() {
            for (number, line) in article.commandLines {
                for stage in ShellLine(line).stages {
                    guard let arguments = ShellLine.arguments(of: stage) else { continue }
                    guard seen.insert(arguments).inserted, !isNameOfCommand(arguments) else { continue }
                    #expect(throws: Never.self, "\(article.name):\(number): \(stage)") {
                        if try Program.answer(to: arguments, Arguments(arguments), at: Timestamp(secondsSinceEpoch: 0))
                            == nil
                        {
                            _ = try Arguments(arguments).settings()
                        }
                    }
                }
            }
        }
        #expect(seen.count > 20)
    }

    private func isNameOfCommand(_ words: [String]) -> Bool {
        words.count == 1 && Command.all.contains { $0.name == words[0] }
    }

    @Test func everyOptionIsOneOfTheProgram() async throws {
        let known = Set(Command.all.flatMap { $0.options.map(\.flag) }).union(Self.optionsOfOthers)
        for article in try Article.all() where !article.name.contains("Changelog") {
            for (number, line) in article.prose {
                for span in line.matches(of: /`(--[a-z][a-z0-9-]*)[^`]*`/) {
                    let isKnown = known.contains(String(span.output.1))
                    #expect(isKnown, "\(article.name):\(number): \(span.output.1)")
                }
            }
        }
    }

    /// Options of `curl`, `make` and others that the texts name.
    private static let optionsOfOthers: Set = [
        "--help", "--version", "--resolve", "--output", "--c-source", "--insecure",
    ]

    @Test func everyFileThatATextLinksIsThere() throws {
        for article in try Article.all() {
            let folder = Article.top.appending(path: article.name).deletingLastPathComponent()
            for (number, line) in article.prose {
                for link in line.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
                    let file = folder.appending(path: String(link.output.1))
                    #expect(
                        FileManager.default.fileExists(atPath: file.path), "\(article.name):\(number): \(link.output.1)"
                    )
                }
            }
        }
    }

    @Test(arguments: ["README.md", Article.translation]) func theShortTextsAreShort(name: String) throws {
        let article = try Article(name)
        #expect(article.lines.count - 1 <= 250)
        for (number, line) in article.lines.enumerated() { #expect(line.count <= 132, "\(name):\(number + 1)") }
        for block in article.blocks where block.language == "console" {
            for number in block.range { #expect(article.lines[number].count <= 80, "\(name):\(number + 1)") }
        }
    }

    @Test func theTranslationShowsTheSameCommands() throws {
        let (readme, translation) = try (Article("README.md"), Article(Article.translation))
        #expect(readme.samples.map(\.command) == translation.samples.map(\.command))
        #expect(readme.lines.contains { $0.contains("[简体中文](\(Article.translation))") })
    }

    @Test(arguments: ["README.md", Article.translation]) func theStatusesAreThoseOfTheProgram(name: String) throws {
        let rows = try Article(name).lines.compactMap { line in
            line.wholeMatch(of: /\| ([0-9]+) \| ([A-Z]+) \| .*/).map { "\($0.output.1) \($0.output.2)" }
        }
        #expect(rows == ExitStatus.allCases.map { "\($0.rawValue) \($0.name)" })
    }
}

extension Article {
    /// Runs the samples in their order; with `PINCHECK_UPDATE_ARTICLES` in the environment the text gets what differs instead.
    func tryAll(_ run: SampleRun) async throws {
        let updates = ProcessInfo.processInfo.environment["PINCHECK_UPDATE_ARTICLES"] != nil
        var match = SampleMatch()
        var corrected = lines
        // What comes later in the text keeps its numbers when it is changed first.
        var corrections: [(Range<Int>, [String])] = []
        for sample in samples {
            let said = sample.output.map(content(of:))
            let printed = try await run.output(of: match.command(sample.command), columns: sample.columns)
            if match.accepts(printed, for: said) { continue }
            corrections.append((sample.output, drawn(match.adopting(printed), columns: sample.columns)))
            guard !updates else { continue }
            Issue.record(
                """
                \(name):\(sample.line): the text (-) is not what the program prints (+):
                $ \(sample.command)
                \(difference(said.map(SampleMatch.masked), printed.map(SampleMatch.masked)))
                If the program is right: PINCHECK_UPDATE_ARTICLES=1 make test FILTER=ArticleTests
                """)
        }
        guard updates, !corrections.isEmpty else { return }
        for (range, printed) in corrections.reversed() { corrected.replaceSubrange(range, with: printed) }
        try corrected.joined(separator: "\n").write(
            to: Self.top.appending(path: name), atomically: true, encoding: .utf8)
    }

    /// Every command line of pincheck that is not run, in fenced blocks and in code between words, with the number of its line.
    fileprivate var commandLines: [(Int, String)] {
        var found: [(Int, String)] = []
        for block in blocks where !["swift", "console", "terminal"].contains(block.language) {
            var number = block.range.lowerBound
            while number < block.range.upperBound {
                let start = number
                let line = wholeLine(at: &number, in: block)
                found += Self.commands(in: line).map { (start + 1, $0) }
            }
        }
        for (number, line) in prose {
            for span in line.matches(of: /`(pincheck [^`…]*)`/) { found.append((number, String(span.output.1))) }
        }
        return found
    }

    /// What begins with `pincheck` where a shell looks for a command, up to what ends it.
    private static func commands(in line: String) -> [String] {
        line.matches(
            of:
                /(?:^|[$|(;:=] ?|run: |script: )(?:\/usr\/local\/bin\/)?(pincheck (?:'[^']*'|"[^"]*"|[^'"|;&)#<>]|[0-9]>)*)/
        ).map { String($0.output.1).replacing(/\ +[0-9]$/, with: "").trimmingCharacters(in: .whitespaces) }
    }
}
