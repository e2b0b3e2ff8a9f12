/// How the process ends: the one table of exit codes.
package enum ExitStatus: Int32, Sendable, CaseIterable {
    /// Every target was evaluated and every chosen client accepts.
    case pass = 0
    /// A target was evaluated and is rejected.
    case fail = 1
    /// No verdict: DNS, connect, timeout, TLS failure before a chain.
    case unreachable = 2
    /// Accepted, but something needs attention soon, and the user asked to be told by the exit code.
    case warn = 3
    /// Accepted, but changed in a way the rotation policy does not allow.
    case changed = 4
    /// The server was accepted, and answered with something else than the document (`fetch`).
    case answer = 5
    /// The command line cannot be understood (`EX_USAGE`).
    case usage = 64
    /// A file with pins, certificates or settings is malformed (`EX_DATAERR`).
    case data = 65
    /// A named file is missing or unreadable (`EX_NOINPUT`).
    case noInput = 66
    /// A fault in pincheck itself (`EX_SOFTWARE`).
    case software = 70
    /// The result could not be written (`EX_IOERR`).
    case inputOutput = 74

    /// The word for the status, as in `PASS`.
    package var name: String {
        switch self {
        case .pass: "PASS"
        case .fail: "FAIL"
        case .unreachable: "UNREACHABLE"
        case .warn: "WARN"
        case .changed: "CHANGED"
        case .answer: "ANSWER"
        case .usage: "USAGE"
        case .data: "DATA"
        case .noInput: "NOINPUT"
        case .software: "SOFTWARE"
        case .inputOutput: "IO"
        }
    }

    /// What it tells, in one sentence, for help and manual.
    package var meaning: String {
        switch self {
        case .pass: "Every target was judged, and every client that was chosen accepts it."
        case .fail: "A target was judged and is rejected."
        case .unreachable: "There is no verdict: the name, the connection or the handshake failed."
        case .warn: "Accepted with a warning, and --fail-on warn is given."
        case .changed: "Accepted, but changed since the baseline in a way that --allow does not name."
        case .answer: "The server was accepted, and what it answered to 'fetch' is not the document."
        case .usage: "The command line is wrong."
        case .data: "A file of pins, certificates or settings is malformed."
        case .noInput: "A file is missing or cannot be read, or a list is empty."
        case .software: "There is a fault in pincheck itself."
        case .inputOutput: "The result could not be written."
        }
    }

    /// The status of a run over several targets: errors first, then 1 > 4 > 2 > 3 > 0.
    ///
    /// Without any target nothing was evaluated, which is never a pass.
    package static func worst(_ statuses: some Sequence<ExitStatus>) -> ExitStatus {
        statuses.max { $0.gravity < $1.gravity } ?? .noInput
    }

    private var gravity: Int {
        switch self {
        case .pass: 0
        case .warn: 1
        case .unreachable: 2
        case .changed: 3
        case .answer: 4
        case .fail: 5
        case .usage, .data, .noInput, .software, .inputOutput: 5 + Int(rawValue)
        }
    }
}

/// What the numbers mean that the process ends with.
package enum ExitConvention: Sendable {
    /// The table of ``ExitStatus``.
    case standard
    /// The four states of the Monitoring Plugins guidelines.
    case monitoring

    package func code(for status: ExitStatus) -> Int32 {
        switch self {
        case .standard: status.rawValue
        case .monitoring: MonitoringState(status).rawValue
        }
    }
}

/// The states of a check by the Monitoring Plugins guidelines, with their exit codes.
enum MonitoringState: Int32, Sendable {
    case ok = 0
    case warning = 1
    case critical = 2
    case unknown = 3

    /// The state for a status.
    ///
    /// A change that the policy does not allow is critical: it is what a baseline is there to catch. Without a verdict nothing
    /// is known, of the server or of the check itself.
    init(_ status: ExitStatus) {
        self =
            switch status {
            case .pass: .ok
            case .warn: .warning
            case .fail, .changed, .answer: .critical
            case .unreachable, .usage, .data, .noInput, .software, .inputOutput: .unknown
            }
    }

    var word: String {
        switch self {
        case .ok: "OK"
        case .warning: "WARNING"
        case .critical: "CRITICAL"
        case .unknown: "UNKNOWN"
        }
    }
}
