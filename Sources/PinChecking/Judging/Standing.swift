/// What the clients' verdicts, or their absence, come to before anything else is asked of them.
package enum Standing: Hashable, Sendable {
    /// There is no chain to judge.
    case unreachable(Reason)
    /// No client can be set up with the pins.
    case notSetUp(Reason)
    /// There is nothing to judge the chain by.
    case unjudged(Reason)
    /// All clients that could be set up accept.
    case accepted(Reason)
    case rejected(Reason)

    var reason: Reason {
        switch self {
        case .unreachable(let reason), .notSetUp(let reason), .unjudged(let reason), .accepted(let reason),
            .rejected(let reason):
            reason
        }
    }
}

extension Standing {
    package var isAccepted: Bool { if case .accepted = self { true } else { false } }

    package var isRejected: Bool { if case .rejected = self { true } else { false } }

    var isUnjudged: Bool { if case .unjudged = self { true } else { false } }

    var hasVerdict: Bool { isAccepted || isRejected }

    var isWithoutVerdict: Bool {
        switch self {
        case .unreachable, .notSetUp: true
        case .accepted, .rejected, .unjudged: false
        }
    }
}
