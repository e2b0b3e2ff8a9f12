import Foundation

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

    /// A schema as it is shipped today.
    static func current(_ name: String) throws -> Data {
        let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try Data(contentsOf: root.appendingPathComponent("Sources/pincheck/schemas/\(name).json"))
    }

    /// A schema as it was first published.
    static func data(of name: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent("\(name).json"))
    }

    /// What went, and the lines that say nothing.
    static let removals: (lines: [Removal], unreadable: [String]) = {
        let text = (try? String(contentsOf: folder.appendingPathComponent("removed.tsv"), encoding: .utf8)) ?? ""
        var removals: [Removal] = []
        var unreadable: [String] = []
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: "\t").map(String.init)
            if fields.count == 3 {
                removals.append(Removal(schema: fields[0], key: fields[1], text: String(line)))
            } else {
                unreadable.append(String(line))
            }
        }
        return (removals, unreadable)
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
