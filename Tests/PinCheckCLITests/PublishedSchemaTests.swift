import Foundation
import Testing

@testable import PinCheckCLI

/// What readers were promised: no key, type or word of `published-keys.txt` goes.
@Suite struct PublishedSchemaTests {
    /// What editors offer in a policy is what the reader takes.
    @Test func theSchemaOfPoliciesHasTheKeysOfTheReader() throws {
        let schema = try JSONValue(String(decoding: Schemas.data(of: "policy"), as: UTF8.self))
        let keys = Set(PolicyHosts.options.compactMap(\.key))
        #expect(Set(schema["$defs"]["settings"]["properties"].keys) == keys)
    }

    @Test func whatWasPublishedStays() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "published-keys.txt")
        let published = Set(try contents(ofFile: file.path).split(separator: "\n").map(String.init))
        let current = try Schemas.names.reduce(into: Set<String>()) { $0.formUnion(try Schemas.lines(of: $1)) }
        let gone = published.subtracting(current).sorted()
        #expect(gone.isEmpty, "documents lack what readers expect")
        guard ProcessInfo.processInfo.environment["PINCHECK_UPDATE"] == "1" else { return }
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
