internal import Base
package import Pinning
internal import X509

/// Reads lists of Certificate Transparency logs in the public JSON form, version 3 (`log_list.json`, `all_logs_list.json`).
package enum LogListReader {
    /// The list in the file at `path`.
    ///
    /// - Throws: ``PinFormatError`` with the line of what is wrong.
    package static func list(at path: String) throws(PinFormatError) -> TransparencyLogs {
        try list(in: try PinFile.load(path, mayBePipe: true))
    }

    /// The list that `bytes` are, which messages call `name`.
    package static func list(_ bytes: [UInt8], named name: String) throws(PinFormatError) -> TransparencyLogs {
        try list(in: PinFile(path: name, bytes: bytes))
    }

    private static func list(in file: PinFile) throws(PinFormatError) -> TransparencyLogs {
        let root = try JSONReader.root(of: file)
        guard let operators = root["operators"] else {
            throw PinFormatError(
                .missingValue, at: root.place, "has no 'operators': it is not a list of Certificate Transparency logs",
                remedy: "give one in the JSON form of version 3")
        }
        var logs: [SHA256Digest: TransparencyLogs.Log] = [:]
        for entry in try operators.array() {
            // A list may be without logs of one kind.
            for key in ["logs", "tiled_logs"] {
                guard let listed = entry[key] else { continue }
                for node in try listed.array() {
                    let (identifier, log) = try log(in: node)
                    logs[identifier] = log
                }
            }
        }
        guard !logs.isEmpty else {
            throw PinFormatError(
                .missingValue, at: operators.place, "'operators' has no log", remedy: "give another list")
        }
        return TransparencyLogs(
            logs, date: try root["log_list_timestamp"].map { (node) throws(PinFormatError) in try moment(node) })
    }

    private static func log(in node: DocumentNode) throws(PinFormatError) -> (SHA256Digest, TransparencyLogs.Log) {
        guard let key = node["key"], let identifier = node["log_id"] else {
            throw PinFormatError(.missingValue, at: node.place, "'\(node.key)' has no 'log_id' or no 'key'")
        }
        let bytes = try decoded(key)
        guard let digest = SHA256Digest(bytes: try decoded(identifier)), digest == Hashing.sha256(bytes) else {
            throw PinFormatError(
                .wrongValue, at: identifier.place, "'\(identifier.key)' is not the SHA-256 of the log's 'key'")
        }
        let name = try node["description"].map { (node) throws(PinFormatError) in try node.text() }
        let state = try node["state"].map { (node) throws(PinFormatError) in try readState(node) }
        return (
            digest,
            TransparencyLogs.Log(
                name: shortened(name ?? digest.description, to: 80), key: bytes, state: state ?? .unusable)
        )
    }

    /// The state: an object with one member, whose name is the state and which says since when.
    private static func readState(_ node: DocumentNode) throws(PinFormatError) -> TransparencyLogs.State {
        guard let (name, member) = try node.dictionary().first else { return .unusable }
        guard let since = member["timestamp"] else {
            throw PinFormatError(.missingValue, at: member.place, "'\(member.key)' has no 'timestamp'")
        }
        let time = try moment(since)
        return switch name {
        case "qualified", "usable": .usable(since: time)
        case "readonly": .readOnly
        case "retired": .retired(since: time)
        default: .unusable
        }
    }

    private static func moment(_ node: DocumentNode) throws(PinFormatError) -> Timestamp {
        guard let time = try? TimeText.read(try node.text()) else {
            throw node.wrong("a time as in 2026-01-31T00:00:00Z")
        }
        return time
    }

    private static func decoded(_ node: DocumentNode) throws(PinFormatError) -> [UInt8] {
        guard case .success(let base64) = Base64.parse(try node.text()), base64.expectedPadding == base64.paddingCount,
            !base64.isURLAlphabet, !base64.bytes.isEmpty
        else { throw node.wrong("Base64") }
        return base64.bytes
    }
}
