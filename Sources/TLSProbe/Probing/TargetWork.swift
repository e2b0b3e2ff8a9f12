internal import NIOCore
internal import Synchronization

/// What the handshakes of one target cost where a server chooses how much.
///
/// What a busy event loop comes to late counts, for servers that did their part in time, which is a millisecond of work for an honest
/// one. A hostile one can make it a hundred, on each of the addresses that a forged answer has.
package final class TargetWork: Sendable {
    /// What the probes of a task and its children share, `nil` where each is a target of its own.
    @TaskLocal package static var current: TargetWork?

    /// What is computed in all after the deadline before nothing more is begun.
    private static let lateAllowance = TimeAmount.milliseconds(50)
    /// Who sent more than this until the deadline, in bytes, is not waited for: a chain has some thousands.
    private static let inputLimit = 64 << 10

    private let spentLate = Mutex(TimeAmount.zero)

    package init() {}

    /// Whether a step is begun after the deadline for a server that has sent so many bytes.
    func allowsLateStep(after count: Int) -> Bool {
        count <= Self.inputLimit && spentLate.withLock { $0 < Self.lateAllowance }
    }

    /// Counts a step after the deadline.
    func spendLate(_ time: TimeAmount) { spentLate.withLock { $0 = $0 + time } }
}
