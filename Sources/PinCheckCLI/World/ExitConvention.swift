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
