import Base
import PinChecking
import Pinning

/// What the last run found of each target, below a line with the version of the form.
///
///     PASS	pin-matched	sha256/NSQo…	2026-11-21T08:00:00Z	api.example.com:443
struct StateFile {
    struct Outcome: Hashable, Sendable {
        var status: String
        var reason: String
        /// The pin of the leaf's key, empty when no certificate was ever seen.
        var pin: String
        var since: String

        /// The cause of a failed connection may differ from run to run.
        func isSame(as old: Outcome) -> Bool {
            status == old.status && (reason == old.reason || status == ExitStatus.unreachable.name)
                && (pin == old.pin || old.pin.isEmpty)
        }
    }

    private static let head = "pincheck-state 1"

    private let path: String
    private let time: String
    private let old: [String: Outcome]
    private var found: [String: Outcome] = [:]
    private var names = UniqueNames()

    /// The file that the settings name, read, so that a broken one is known at once; without one everything is a change.
    init?(_ settings: Settings, _ outputs: [FormOutput<OutputForm>], at time: Timestamp) throws(Problem) {
        guard let path = settings.state else { return nil }
        if let form = outputs.first(where: { !$0.form.isForPeople })?.form.rawValue {
            throw .usage("--state tells what has changed, and \(form) tells everything: leave out one of the two")
        }
        try OutputFile.refuseReadFile(path)
        try OutputFile.refuseMissingDirectory(of: path)
        // No result is written over it.
        ReadLog.current?.add(path)
        (self.path, self.time, old) = (path, time.description, try Self.read(path))
    }

    /// Takes the results of the next target in the order of the run, and says whether one of them is a change.
    mutating func isChanged(_ reports: [Report]) -> Bool {
        var isChanged = false
        for report in reports where report.counts {
            let name = names.name(Self.field(report.title))
            var outcome = Outcome(
                status: report.status.name, reason: report.reason.id, pin: report.presented.first?.pin ?? "",
                since: time)
            let last = old[name]
            if outcome.pin.isEmpty { outcome.pin = last?.pin ?? "" }
            if let last, outcome.isSame(as: last) { outcome.since = last.since } else { isChanged = true }
            found[name] = outcome
        }
        return isChanged
    }

    func write() throws(Problem) {
        let outcomes = try Self.read(path).merging(found) { $1 }
        let lines = outcomes.sorted { $0.key < $1.key }.map { target, outcome in
            [outcome.status, outcome.reason, outcome.pin, outcome.since, target].map(Self.field).joined(separator: "\t")
                + "\n"
        }
        try OutputFile.write(Array("\(Self.head)\n\(lines.joined())".utf8), to: path)
    }

    private static func read(_ path: String) throws(Problem) -> [String: Outcome] {
        if FileKind(at: path) == .absent { return [:] }
        let text = String(decoding: try BoundedFile.contents(ofFile: path), as: UTF8.self)
        guard !text.isEmpty else { return [:] }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: true)[...]
        let head = lines.popFirst() ?? ""
        guard head == self.head else {
            throw .data(
                head.hasPrefix("pincheck-state ")
                    ? "\(quoted(path)) was written by a later version of pincheck: update pincheck, or name another file"
                    : "\(quoted(path)) is not a file of --state: name another, which will be made")
        }
        var outcomes: [String: Outcome] = [:]
        for (index, line) in lines.enumerated() {
            let fields = line.split(separator: "\t", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5 else {
                throw .data("\(path):\(index + 2): is not a line of a state: remove the file to start anew")
            }
            outcomes[fields[4]] = Outcome(status: fields[0], reason: fields[1], pin: fields[2], since: fields[3])
        }
        return outcomes
    }

    private static func field(_ text: String) -> String { TerminalText.shown(text, to: 400) }
}
