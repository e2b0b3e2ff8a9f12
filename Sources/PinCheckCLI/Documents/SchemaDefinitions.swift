/// What a schema describes once and refers to (`$defs`).
struct SchemaDefinitions {
    private(set) var nodes: [String: JSONNode] = [:]

    /// A reference to a definition, which is made when the first refers to it.
    mutating func reference(to name: String, _ make: (inout SchemaDefinitions) -> JSONNode) -> JSONNode {
        if nodes[name] == nil {
            // An object may hold others of its kind.
            nodes[name] = true
            nodes[name] = make(&self)
        }
        return ["$ref": .text("#/$defs/\(name)")]
    }
}
