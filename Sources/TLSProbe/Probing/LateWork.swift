internal import NIOCore
internal import Synchronization

/// How long is still computed for one target after its deadline, for servers that did their part in time.
///
/// What a busy event loop comes to late counts, which is a millisecond of work for an honest server. A hostile one can make it a hundred,
/// on each of the addresses that a forged answer has.
package final class LateWork: Sendable {
    /// What the probes of a task and its children share, `nil` where each is a target of its own.
    @TaskLocal package static var current: LateWork?

    /// What is computed in all before nothing more is begun.
    private static let allowance = TimeAmount.milliseconds(50)
    /// Who sent more than this until the deadline, in bytes, is not waited for: a chain has some thousands.
    private static let inputLimit = 64 << 10

    private let spent = Mutex(TimeAmount.zero)

    /// Nothing spent yet.
    package init() {}

    /// Whether a step is begun for a server that has sent so many bytes.
    func allows(after count: Int) -> Bool {
        count <= Self.inputLimit && spent.withLock { $0 < Self.allowance }
    }

    /// Counts a step.
    func spend(_ time: TimeAmount) { spent.withLock { $0 = $0 + time } }
}
