import Foundation
import Pinning
import Testing

@testable import PinCheckCLI

/// The one list of findings, in the files that have it too; with `PINCHECK_UPDATE=1` in the environment these are written.
@Suite struct FindingListTests {
    private static let sources = Article.top.appending(path: "Sources/pincheck")

    private func expect(_ text: String, from start: String, to end: String, of file: String) throws {
        let url = Self.sources.appendingPathComponent(file)
        let kept = try String(contentsOf: url, encoding: .utf8)
        let head = try #require(kept.range(of: start))
        let tail = try #require(kept[head.upperBound...].range(of: end))
        guard kept[head.upperBound..<tail.lowerBound] != text else { return }
        guard isUpdating else {
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
        ("VERIFY --ignore ''", "an id is missing: write "), ("VERIFY --ignore leaf-only,", "an id is missing: write "),
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
    static func expectIgnorableWarnings(in value: Any, at place: SourceLocation) {
        for case let object as [String: Any] in (value as? [Any]) ?? [value] {
            var warnings = object["warnings"] as? [[String: Any]] ?? []
            for finding in object["findings"] as? [[String: Any]] ?? [] {
                if ["warn", "warning"].contains(finding["level"] as? String) { warnings.append(finding) }
                guard let id = finding["id"] as? String, finding["severity"] != nil else { continue }
                #expect(throws: Never.self, sourceLocation: place) { try FindingID.ignored(id, byLint: true) }
            }
            for id in warnings.compactMap({ $0["id"] as? String }) {
                #expect(throws: Never.self, sourceLocation: place) { try FindingID.ignored(id) }
            }
            for member in object.values where member is [String: Any] || member is [Any] {
                expectIgnorableWarnings(in: member, at: place)
            }
        }
    }
}

/// What readers were promised: no key, type or word of `published-keys.txt` goes.
@Suite struct PublishedSchemaTests {
    @Test func theSchemaOfPoliciesHasTheKeysOfTheReader() throws {
        let schema = try JSONValue(String(decoding: Schemas.data(of: "policy"), as: UTF8.self))
        let keys = Set(PolicyHosts.options.compactMap(\.key))
        #expect(Set(schema["$defs"]["settings"]["properties"].keys) == keys)
    }

    @Test func whatWasPublishedStays() throws {
        let file = Article.top.appending(path: "Tests/PinCheckCLITests/published-keys.txt")
        let published = Set(try contents(ofFile: file.path).split(separator: "\n").map(String.init))
        let current = try Schemas.names.reduce(into: Set<String>()) { $0.formUnion(try Schemas.lines(of: $1)) }
        let gone = published.subtracting(current).sorted()
        #expect(gone.isEmpty, "documents lack what readers expect")
        guard isUpdating else { return }
        let text = published.union(current).sorted().map { $0 + "\n" }.joined()
        try Data(text.utf8).write(to: file)
    }
}

enum Schemas {
    static let names = ["devices", "lint", "pins", "policy", "report", "snapshot"]
    static let identifiers = [
        "devices": "pincheck-devices/1", "lint": "pincheck-lint/1", "pins": "pincheck-pins/1", "report": "pincheck/1",
        "snapshot": "pincheck-snapshot/1",
    ]

    static func data(of name: String) throws -> Data {
        try Data(contentsOf: Article.top.appending(path: "Sources/pincheck/schemas/\(name).json"))
    }

    /// A line for each key, type, definition and word of an enum, as in `report/certificate.pin: string`.
    static func lines(of name: String) throws -> Set<String> {
        let root = try JSONSerialization.jsonObject(with: data(of: name)) as? [String: Any] ?? [:]
        var lines: Set<String> = []
        func visit(_ node: Any?, _ path: String) {
            guard let node = node as? [String: Any] else { return }
            if let reference = node["$ref"] { lines.insert("\(path) is \(reference)") }
            let types = node["type"] as? [String] ?? (node["type"] as? String).map { [$0] } ?? []
            if !types.isEmpty { lines.insert("\(path): \(types.joined(separator: " or "))") }
            for word in node["enum"] as? [Any] ?? [] { lines.insert("\(path) = \(word)") }
            for part in ["allOf", "anyOf"].flatMap({ node[$0] as? [Any] ?? [] }) { visit(part, path) }
            for (key, value) in node["properties"] as? [String: Any] ?? [:] {
                lines.insert("\(path).\(key)")
                visit(value, "\(path).\(key)")
            }
            visit(node["items"], path + "[]")
            visit(node["additionalProperties"], path + ".*")
        }
        visit(root, name)
        for (definition, node) in root["$defs"] as? [String: Any] ?? [:] { visit(node, "\(name)/\(definition)") }
        return lines
    }
}
