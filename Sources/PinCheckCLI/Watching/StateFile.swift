import Base
import PinChecking

/// What a run found of a target, as far as the next run compares it.
struct TargetState: Hashable, Sendable {
    /// The name of the exit status, as in `PASS`.
    var status: String
    /// The id of the reason.
    var reason: String
    /// The pin of the leaf's key, empty when no certificate was ever seen.
    var pin: String
    /// Since when it has been so, RFC 3339.
    var since: String
}

/// The file of `--state`: a line for each target, with the results of the last run that checked it.
///
///     pincheck-state 1
///     PASS	pin-matched	sha256/NSQo…	2026-11-21T08:00:00Z	api.example.com:443
enum StateFile {
    private static let word = "pincheck-state"
    private static let version = 1

    /// The states by target; none when there is no file.
    static func read(_ path: String) throws(CommandError) -> [String: TargetState] {
        guard FileReader.exists(path) else { return [:] }
        let text = String(decoding: try CommandError.contents(ofFile: path), as: UTF8.self)
        guard !text.isEmpty else { return [:] }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
        let head = lines.popFirst()?.split(separator: " ") ?? []
        guard head.count == 2, head[0] == word, let number = Int(head[1]) else {
            throw .data("\(quoted(path)) is not a file of --state: name another, which will be made")
        }
        guard number <= version else {
            throw .data(
                "\(quoted(path)) was written by a later version of pincheck: update pincheck, or name another file")
        }
        var states: [String: TargetState] = [:]
        for (index, line) in lines.enumerated() {
            let fields = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5 else {
                throw .data("\(path):\(index + 2): is not a line of a state: remove the file to start anew")
            }
            states[fields[4]] = TargetState(status: fields[0], reason: fields[1], pin: fields[2], since: fields[3])
        }
        return states
    }

    /// Replaces the file.
    static func write(_ states: [String: TargetState], to path: String) throws(CommandError) {
        let lines = states.sorted { $0.key < $1.key }.map { target, state in
            [state.status, state.reason, state.pin, state.since, target].map(field).joined(separator: "\t") + "\n"
        }
        try OutputFile.write(Array("\(word) \(version)\n\(lines.joined())".utf8), to: path)
    }

    /// Text that ends neither the field nor the line.
    static func field(_ text: String) -> String { TerminalText.shown(text, to: 400) }
}
