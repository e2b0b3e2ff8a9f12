import Base
import Pinning

package enum ExitStatus: Sendable, CaseIterable, Comparable {
    case pass, fail, unreachable, unknown, warn, changed, answer, usage, data, noInput, software, inputOutput

    var rawValue: Int32 { row.code }
    package var name: String { row.name }
    var meaning: String { row.meaning }

    private var row: (code: Int32, name: String, meaning: String) {
        switch self {
        case .pass: (0, "PASS", "Every target was judged, and every client that was chosen accepts it.")
        case .fail: (1, "FAIL", "A target was judged and is rejected.")
        case .unreachable: (2, "UNREACHABLE", "There is no verdict: the name, the connection or the handshake failed.")
        case .unknown: (2, "UNKNOWN", "There is no verdict on a file of --next: it lacks what the verdict depends on.")
        case .warn: (3, "WARN", "Accepted with a warning, and --fail-on warn is given.")
        case .changed: (4, "CHANGED", "Accepted, but changed since the baseline in a way that --allow does not name.")
        case .answer: (5, "ANSWER", "The server was accepted, and what it answered to 'fetch' is not the document.")
        // The codes of sysexits.h: EX_USAGE, EX_DATAERR, EX_NOINPUT, EX_SOFTWARE, EX_IOERR.
        case .usage: (64, "USAGE", "The command line is wrong.")
        case .data: (65, "DATA", "A file of pins, certificates or settings is malformed.")
        case .noInput: (66, "NOINPUT", "A file is missing or cannot be read, or a list is empty.")
        case .software: (70, "SOFTWARE", "There is a fault in pincheck itself.")
        case .inputOutput: (74, "IO", "The result could not be written.")
        }
    }

    /// The worst status: errors, then 1 > 5 > 4 > 2 > 3 > 0; without any status nothing was evaluated: not a pass.
    static func worst(_ statuses: some Sequence<ExitStatus>) -> ExitStatus { statuses.max() ?? .noInput }

    package static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.gravity < right.gravity }

    private var gravity: Int { rawValue > 5 ? Int(rawValue) : [0, 5, 2, 1, 3, 4][Int(rawValue)] }
}

struct RunEnd {
    let status: ExitStatus
    let isMonitoring: Bool

    /// The code of the process; in monitoring it follows the guidelines for plugins.
    var code: Int32 { isMonitoring ? MonitoringState(status).rawValue : status.rawValue }
}

enum MonitoringState: Int32 {
    case ok, warning, critical, unknown

    /// The plugin's status; a forbidden change is critical, because a baseline exists to catch it.
    init(_ status: ExitStatus) {
        self =
            switch status {
            case .pass: .ok
            case .warn: .warning
            case .fail, .changed, .answer: .critical
            case .unreachable, .unknown, .usage, .data, .noInput, .software, .inputOutput: .unknown
            }
    }

    /// The gravity among states: a rejection is worse than an unknown result.
    var gravity: Int { [0, 1, 3, 2][Int(rawValue)] }

    static func worst(_ statuses: some Collection<ExitStatus>) -> ExitStatus {
        let gravity = statuses.map { Self($0).gravity }.max()
        return .worst(statuses.filter { Self($0).gravity == gravity })
    }

    var word: String { ["OK", "WARNING", "CRITICAL", "UNKNOWN"][Int(rawValue)] }
}

extension ExitStatus {
    init(_ problem: Problem) {
        self =
            switch problem.kind {
            case .usage: .usage
            case .data: .data
            case .noInput: .noInput
            case .software: .software
            case .inputOutput: .inputOutput
            }
    }
}

extension Problem {
    var told: SafeText { text(\.flags) }

    static func unknown(_ value: some StringProtocol, among words: [String]) -> Problem {
        let shown = quoted(withoutSecrets(String(value)))
        return .usage("\(shown) is unknown: \(Suggestion.remedy(for: String(value), among: words))")
    }
}

extension String {
    func known(among words: [String]) throws(Problem) -> String {
        guard words.contains(self) else { throw .unknown(self, among: words) }
        return self
    }
}
