import Foundation
import Pinning
import Testing

@testable import PinCheckCLI

/// The one list of findings, in the files that have it too; with `PINCHECK_UPDATE=1` in the environment these are written.
@Suite struct FindingListTests {
    private static let sources = Article.top.appending(path: "Sources/pincheck")

    /// Holds the part of a file between two texts against another.
    private func expect(_ text: String, from start: String, to end: String, of file: String) throws {
        let url = Self.sources.appendingPathComponent(file)
        let kept = try String(contentsOf: url, encoding: .utf8)
        let head = try #require(kept.range(of: start))
        let tail = try #require(kept[head.upperBound...].range(of: end))
        guard kept[head.upperBound..<tail.lowerBound] != text else { return }
        guard ProcessInfo.processInfo.environment["PINCHECK_UPDATE"] == "1" else {
            Issue.record("\(file) is not as FindingID has it: PINCHECK_UPDATE=1 writes it")
            return
        }
        let changed = kept[..<head.upperBound] + text + kept[tail.lowerBound...]
        try String(changed).write(to: url, atomically: true, encoding: .utf8)
    }

    @Test(arguments: [("report", FindingID.allCases.filter { !$0.levels.isEmpty }), ("lint", FindingID.ofLint)])
    func schemasHaveTheIDs(schema: String, ids: [FindingID]) throws {
        var lines = [""]
        for word in ids.map({ "\"\($0.word)\"" }).sorted() {
            let isFull = lines[lines.count - 1].utf8.count + word.utf8.count > 108
            if isFull { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word + ","
        }
        let list = "\n" + lines.map { "        " + $0 }.joined(separator: "\n").dropLast() + "\n      "
        let schemas = "schemas/\(schema).json"
        let start = try #require(
            String(contentsOf: Self.sources.appendingPathComponent(schemas), encoding: .utf8).firstMatch(
                of: /"findingID": \{\n.*\n      "enum": \[/)
        ).output
        try expect(list, from: String(start), to: "]", of: schemas)
    }

    @Test func theArticleHasThoseOfChecks() throws {
        let rows = FindingID.allCases.filter { !$0.levels.isEmpty }.map { id in
            "| `\(id.word)` | \(id.levels.map(\.rawValue).joined(separator: ", ")) | \(id.sentence) |"
        }.sorted().joined(separator: "\n")
        try expect(
            rows, from: "| id | level | what it means |\n|---|---|---|\n", to: "\n\n",
            of: "pincheck.docc/MachineOutput.md")
    }

    private static let refusals: [(line: String, words: String)] = [
        ("VERIFY --ignore no-backup-pin", "is an id of 'pincheck lint' alone: give it to 'pincheck lint --ignore'"),
        ("VERIFY --ignore bad-host", "is refused: data with that cannot be used"),
        ("VERIFY --ignore pin-life-short", "is refused: it rejects, and what rejects stays"),
        ("VERIFY --ignore pin-mismatch", "is the id of no warning: "),
        ("VERIFY --ignore nothing", "is the id of no warning: "), ("VERIFY --ignore ''", "an id is missing: write "),
        ("VERIFY --ignore leaf-only,", "an id is missing: write "),
        ("lint @leaf.cer --ignore private-root", "is an id of a check: give it to 'pincheck check --ignore'"),
        ("lint @leaf.cer --ignore nothing", "is unknown: "), ("lint @leaf.cer --ignore ''", "an id is missing: "),
    ]

    @Test(arguments: refusals) func otherIDsAreRefused(line: String, words: String) async throws {
        try await desk(line).expect(.usage, errors: words)
        guard let id = line.firstMatch(of: /VERIFY --ignore '?([a-z-]*)/)?.output.1 else { return }
        let policy = "{ targets: { '$HOST': { ignore: '\(id)' } } }"
        if !id.hasPrefix("leaf") { try await desk("check --policy @p.json5", ["p.json5": policy]).expect(.data) }
    }

    @Test func whatIsIgnoredIsEveryWarningAndNote() throws {
        for id in FindingID.allCases {
            let isOfChecks = id.levels.contains(.warning) || id.levels.contains(.note)
            #expect(((try? FindingID.ignored(id.word)) != nil) == isOfChecks, "\(id)")
            #expect(((try? FindingID.ignored(id.word, byLint: true)) != nil) == !id.lintLevels.isEmpty, "\(id)")
        }
    }
}

extension JSONSchemaCheck {
    /// Holds every warning of a document against what --ignore takes.
    static func expectIgnorableWarnings(in value: Any, sourceLocation: SourceLocation) {
        for case let object as [String: Any] in (value as? [Any]) ?? [value] {
            var warnings = object["warnings"] as? [[String: Any]] ?? []
            for finding in object["findings"] as? [[String: Any]] ?? [] {
                if ["warn", "warning"].contains(finding["level"] as? String) { warnings.append(finding) }
                guard let id = finding["id"] as? String, finding["severity"] != nil else { continue }
                #expect(throws: Never.self, sourceLocation: sourceLocation) { try FindingID.ignored(id, byLint: true) }
            }
            for id in warnings.compactMap({ $0["id"] as? String }) {
                #expect(throws: Never.self, sourceLocation: sourceLocation) { try FindingID.ignored(id) }
            }
            for member in object.values where member is [String: Any] || member is [Any] {
                expectIgnorableWarnings(in: member, sourceLocation: sourceLocation)
            }
        }
    }
}
