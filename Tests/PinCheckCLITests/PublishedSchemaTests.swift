import Foundation
import Pinning
import Testing
import X509

@testable import PinCheckCLI

/// What readers were promised: a key goes only by a line of `PublishedSchemas/removed.tsv`.
@Suite struct PublishedSchemaTests {
    /// SHA-256 of each schema as it was published.
    private static let published = [
        "devices": "193b1e37b0dff5f605ff8edfc7fcd69b2186c924d637940b8de64c59967a9ff7",
        "lint": "0a2fb6842c32fbfd3290e88b3a8a3fae63e4f149f79a3e79e2f3314c8f61bf80",
        "pins": "4708874bdb14b84f86630432cc014437afdcce63a58249cd6c596f3597c6e475",
        "policy": "e797673a7538588aa17d6a3098492ad4d4649938f2cb9696ad649a875f167286",
        "report": "805a0696cbbbe9137bf78d52a2dfb7b63ae575dfc26fd7a26c712c685418c822",
        "snapshot": "1bf7c6420c980ff434e19decd7fb310b14c508e593d2bd0f85153f51e5295663",
    ]

    private func current(_ name: String) throws -> Set<String> {
        try PublishedSchemas.paths(of: PublishedSchemas.current(name))
    }

    /// What editors offer in a policy is what the reader takes.
    @Test func theSchemaOfPoliciesHasTheKeysOfTheReader() throws {
        let schema = try JSONValue(String(decoding: PublishedSchemas.current("policy"), as: UTF8.self))
        let keys = Set(PolicyHosts.options.compactMap(\.key))
        #expect(Set(schema["$defs"]["settings"]["properties"].keys) == keys)
    }

    @Test(arguments: PublishedSchemas.names) func aSchemaStaysAsItWasPublished(name: String) throws {
        let hash = Hashing.sha256(Array(try PublishedSchemas.data(of: name))).hexadecimal
        #expect(hash == Self.published[name], "\(name).json is edited: name what goes in removed.tsv instead")
    }

    @Test(arguments: PublishedSchemas.names) func whatGoesIsNamed(name: String) throws {
        let gone = try PublishedSchemas.paths(of: PublishedSchemas.data(of: name)).subtracting(current(name))
        let unnamed = gone.filter { !PublishedSchemas.isRemoved($0, of: name) }.sorted()
        #expect(unnamed.isEmpty, "documents of \(name) lack what readers expect and removed.tsv does not name")
    }

    @Test func everyLineOfWhatWentIsTrue() throws {
        #expect(PublishedSchemas.removals.unreadable.isEmpty)
        for removal in PublishedSchemas.removals.lines {
            var covered = false
            for name in PublishedSchemas.names {
                let published = try PublishedSchemas.paths(of: PublishedSchemas.data(of: name))
                let named = published.filter { removal.covers($0, of: name) }
                covered = covered || !named.isEmpty
                let there = try current(name).intersection(named).sorted()
                #expect(there.isEmpty, "documents of \(name) have it still: \(removal.text)")
            }
            #expect(covered, "no published schema has it: \(removal.text)")
        }
    }
}

/// The schemas as they were first published, which stay as they are, and the list of what documents have no more of them.
struct PublishedSchemas: Sendable {
    /// A line of `PublishedSchemas/removed.tsv`.
    struct Removal: Sendable {
        let schema: String
        let key: String
        let text: String

        /// Whether it is about a key or word of a schema, or about one that the key is above.
        func covers(_ path: String, of name: String) -> Bool {
            guard schema == "*" || schema == name else { return false }
            let (path, key) = ("." + path, "." + key)
            return path.hasSuffix(key) || [".", "[", "="].contains { path.contains(key + $0) }
        }
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "PublishedSchemas")

    /// The schemas that are shipped, and what their documents say under `schema`.
    static let names = ["devices", "lint", "pins", "policy", "report", "snapshot"]
    static let identifiers = [
        "devices": "pincheck-devices/1", "lint": "pincheck-lint/1", "pins": "pincheck-pins/1", "report": "pincheck/1",
        "snapshot": "pincheck-snapshot/1",
    ]

    static func current(_ name: String) throws -> Data {
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: root.appendingPathComponent("Sources/pincheck/schemas/\(name).json"))
    }

    static func data(of name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent("\(name).json"))
    }

    /// What went, and the lines that say nothing.
    static let removals: (lines: [Removal], unreadable: [String]) = {
        let text = (try? String(contentsOf: folder.appendingPathComponent("removed.tsv"), encoding: .utf8)) ?? ""
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            (text: String(line), fields: line.split(separator: "\t").map(String.init))
        }
        return (
            lines.filter { $0.fields.count == 3 }.map {
                Removal(schema: $0.fields[0], key: $0.fields[1], text: $0.text)
            }, lines.filter { $0.fields.count != 3 }.map(\.text)
        )
    }()

    /// Whether a line says that documents of a schema lack a key or word.
    static func isRemoved(_ path: String, of name: String) -> Bool {
        removals.lines.contains { $0.covers(path, of: name) }
    }

    /// All keys that documents of a schema can have, as `results[].clients[].name`, and all words of enums, as `verdict=accept`.
    static func paths(of schema: Data) throws -> Set<String> {
        guard let root = try JSONSerialization.jsonObject(with: schema) as? [String: Any] else { return [] }
        let definitions = root["$defs"] as? [String: Any] ?? [:]
        var paths: Set<String> = []
        func visit(_ node: Any?, _ path: String, _ open: [String]) {
            guard let node = node as? [String: Any] else { return }
            if let name = (node["$ref"] as? String)?.split(separator: "/").last.map(String.init), !open.contains(name) {
                visit(definitions[name], path, open + [name])
            }
            for part in ["allOf", "anyOf"].flatMap({ node[$0] as? [Any] ?? [] }) { visit(part, path, open) }
            for (key, value) in node["properties"] as? [String: Any] ?? [:] {
                let name = path.isEmpty ? key : "\(path).\(key)"
                paths.insert(name)
                visit(value, name, open)
            }
            visit(node["items"], path + "[]", open)
            visit(node["additionalProperties"], path.isEmpty ? "*" : path + ".*", open)
            for word in node["enum"] as? [Any] ?? [] { paths.insert("\(path)=\(word)") }
        }
        visit(root, "", [])
        return paths
    }
}
