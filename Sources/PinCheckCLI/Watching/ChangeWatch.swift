import Base
import Pinning

/// Compares results with those of the last run, and runs a command for each that changed.
///
/// A command has ended before the file says that its change is known: when pincheck is killed, it tells the change again. Runs
/// at the same time take turns.
struct ChangeWatch {
    /// How long one command may take.
    static let deadline = Duration.seconds(30)
    /// How long all commands of a run may take; the changes that are left are told by the next run.
    static let deadlineOfAll = Duration.seconds(300)

    private struct Result {
        let position: Int
        let name: String
        let state: TargetState
        /// What the command is told apart from the comparison.
        let facts: [(name: String, value: String)]
    }

    private let command: String
    private let path: String
    private let context: Context
    private var results: [Result] = []

    init(command: String, path: String, context: Context) {
        self.command = command
        self.path = path
        self.context = context
    }

    /// Takes a result for the target at `position`; they come in any order.
    mutating func add(_ report: Report, at position: Int) {
        guard report.counts else { return }
        let state = TargetState(
            status: report.status.name, reason: report.reason.id, pin: report.presented.first?.spkiSha256 ?? "",
            since: "")
        let facts = [
            ("TARGET", report.target), ("ADDRESS", report.endpoint?.address ?? ""),
            ("PORT", report.endpoint.map { String($0.port) } ?? ""), ("VARIANT", report.variantLabel ?? ""),
            ("STATUS", state.status), ("REASON", report.sentence), ("REASON_ID", state.reason), ("PIN", state.pin),
        ]
        results.append(
            Result(position: position, name: StateFile.field(report.distinctName), state: state, facts: facts))
    }

    /// Runs the commands, and writes the file.
    func finish() throws(CommandError) {
        let lock = try OutputFile.lock(beside: path)
        defer { lock.release() }
        let time = context.now().description
        let start = ContinuousClock.now
        var states = try StateFile.read(path)
        var left = 0
        var names = UniqueNames()
        for result in results.sorted(by: { $0.position < $1.position }) {
            let name = names.name(result.name)
            var state = result.state
            let old = states[name]
            if state.pin.isEmpty { state.pin = old?.pin ?? "" }
            if let change = Self.change(from: old, to: state) {
                guard start.duration(to: .now) < Self.deadlineOfAll else {
                    left += 1
                    continue
                }
                run(result, change: change, old: old, time: time)
                state.since = time
            } else {
                state.since = old?.since ?? time
            }
            states[name] = state
        }
        if left > 0 {
            let limit = Self.deadlineOfAll.components.seconds
            context.console.report(
                "Warning: --on-change: the commands took more than \(limit) s; the next run tells \(left) more changes")
        }
        try StateFile.write(states, to: path)
    }

    /// What changed: `first` for a target that does not pass and was never checked before, `status`, `reason` (of a verdict) or
    /// `key`; `nil` for nothing.
    static func change(from old: TargetState?, to new: TargetState) -> String? {
        guard let old else { return new.status == ExitStatus.pass.name ? nil : "first" }
        if old.status != new.status { return "status" }
        // Why there is no verdict depends on the weather.
        if old.reason != new.reason, new.status != ExitStatus.unreachable.name { return "reason" }
        return old.pin != new.pin && !old.pin.isEmpty ? "key" : nil
    }

    /// The variables that the command is told by, without `PINCHECK_`, and what each says.
    static let variables: [(name: String, meaning: String)] = [
        ("TARGET", "The target, as it was named."), ("ADDRESS", "The address it was checked at, if it was reached."),
        ("PORT", "The port it was checked at."),
        ("VARIANT", "Which variant of the target it is, where several are checked."),
        ("STATUS", "The result: PASS, FAIL, UNREACHABLE, WARN or CHANGED."), ("REASON", "Why, in a sentence."),
        ("REASON_ID", "The same as a word that stays."), ("PIN", "The public key of the server, as sha256/…"),
        ("CHANGE", "What changed: first, status, reason or key."), ("OLD_STATUS", "The last result, empty for none."),
        ("OLD_REASON_ID", "The reason for it."), ("OLD_PIN", "The public key of the server then."),
        ("OLD_SINCE", "Since when that had been the result."), ("TIME", "The time of this check."),
    ]

    private func run(_ result: Result, change: String, old: TargetState?, time: String) {
        let facts =
            result.facts + [
                ("CHANGE", change), ("OLD_STATUS", old?.status ?? ""), ("OLD_REASON_ID", old?.reason ?? ""),
                ("OLD_PIN", old?.pin ?? ""), ("OLD_SINCE", old?.since ?? ""), ("TIME", time),
            ]
        let variables = facts.map { name, value in ("PINCHECK_" + name, TerminalText.shown(value, to: 1_000)) }
        let problem: String? =
            switch ShellCommand.run(command, variables: variables, deadline: Self.deadline) {
            case .exited(0): nil
            case .exited(let code): "the command ended with status \(code)"
            case .signalled(let number): "the command was ended by signal \(number)"
            case .timedOut: "the command did not end within \(Self.deadline.components.seconds) s and was ended"
            case .notStarted(let reason): "the command could not be started: \(reason)"
            }
        if let problem { context.console.report("Warning: --on-change: \(result.name): \(problem)") }
    }
}

extension Report {
    /// The title, with the names where they are not the usual ones: what tells two checks of one target apart from run to run.
    fileprivate var distinctName: String {
        var text = title
        guard let endpoint else { return verifyName.map { text + ", name \($0)" } ?? text }
        if endpoint.sni != verifyName, endpoint.sni != nil || endpoint.resolvedName != nil {
            text += endpoint.sni.map { ", SNI \($0)" } ?? ", no SNI"
        }
        if let verifyName, verifyName != endpoint.host { text += ", name \(verifyName)" }
        return text
    }
}
