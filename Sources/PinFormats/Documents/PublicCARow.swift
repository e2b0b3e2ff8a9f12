package import Pinning

/// What a file of device data says of a root of a CA, in the form of `public-cas.json`.
package struct PublicCARow {
    package let ca: String
    package let name: String
    package let key: SHA256Digest
    package let algorithm: String
    /// One of ``states``.
    package let state: String
    package let until: Timestamp?
    package let crossSigners: [String]
    package let source: String
    package let date: String

    private static let states = ["in-use", "older", "coming"]

    static func all(_ list: DocumentNode, knowing rootNames: Set<String>) throws(Problem) -> [PublicCARow] {
        var rows: [PublicCARow] = []
        var nodes: [DocumentNode] = []
        for ca in try list.array() {
            for root in try ca.required("roots").array() {
                let row = try PublicCARow(root, of: ca)
                if rows.contains(where: { $0.key == row.key && $0.ca != row.ca }) {
                    throw Problem(.duplicate, at: root.place, "'\(root.key)' has a key that is another CA's")
                }
                rows.append(row)
                nodes.append(root)
            }
        }
        let known = rootNames.union(rows.map(\.name))
        for (row, node) in zip(rows, nodes) where row.state == "coming" && known.isDisjoint(with: row.crossSigners) {
            throw Problem(
                .wrongValue, at: node.place, "'\(node.key)' is to come, and its 'crossSignedBy' names no known root",
                remedy: "name the root that signed its key")
        }
        return rows
    }

    private init(_ root: DocumentNode, of ca: DocumentNode) throws(Problem) {
        self.ca = try ca.required("name").plainText()
        name = try root.required("name").plainText()
        let hash = try root.required("spki_sha256")
        let digits = try hash.text().compactMap { $0.hexDigitValue.map(UInt8.init) }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        guard try hash.text().utf8.count == 64, let key = SHA256Digest(bytes: bytes) else {
            throw hash.wrong("64 hexadecimal digits")
        }
        self.key = key
        algorithm = try root["algorithm"]?.plainText() ?? ""
        let state = try root.required("state")
        self.state = try state.text()
        guard Self.states.contains(self.state) else { throw state.wrong("in-use, older or coming") }
        until = try root["until"]?.midnight()
        var signers: [String] = []
        for signer in try root["crossSignedBy"]?.array() ?? [] { signers.append(try signer.plainText()) }
        crossSigners = signers
        source = try (root["source"] ?? ca["source"])?.plainText() ?? ""
        let day = if let own = root["date"] { own } else { try ca.required("date") }
        date = try day.midnight().date
    }
}
