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
    private let spentCostly = Mutex(TimeAmount.zero)

    /// How long its costly steps have taken.
    var costly: TimeAmount { spentCostly.withLock { $0 } }

    package init() {}

    /// Whether a step is begun after the deadline for a server that has sent so many bytes.
    func allowsLateStep(after count: Int) -> Bool {
        count <= Self.inputLimit && spentLate.withLock { $0 < Self.lateAllowance }
    }

    /// Counts a step after the deadline.
    func spendLate(_ time: TimeAmount) { spentLate.withLock { $0 = $0 + time } }

    func spendCostly(_ time: TimeAmount) { spentCostly.withLock { $0 = $0 + time } }
}

/// The costly steps of the handshakes on one event loop, a few milliseconds of them in a turn.
///
/// To agree on a key by finite-field Diffie-Hellman costs a client a hundred times what a curve costs, and a hostile server nothing. Between
/// the turns everybody else goes on; who has cost least comes first. Not Sendable: it belongs to the event loop's thread.
final class CostlySteps {
    /// After how long the others have their turn; a step of an honest server takes less.
    private static let turn = TimeAmount.milliseconds(5)
    /// How long the others have theirs at least.
    ///
    /// A task of now would run before the event loop looks at its sockets.
    private static let pause = TimeAmount.milliseconds(1)

    private let loop: any EventLoop
    private var waiting: [(target: TargetWork, step: () -> Void)] = []
    private var isScheduled = false

    init(on loop: any EventLoop) { self.loop = loop }

    func add(for target: TargetWork, _ step: @escaping () -> Void) {
        waiting.append((target, step))
        schedule()
    }

    private func schedule() {
        guard !isScheduled, !waiting.isEmpty else { return }
        isScheduled = true
        loop.assumeIsolated().scheduleTask(in: Self.pause) {
            self.isScheduled = false
            self.makeSteps()
            self.schedule()
        }
    }

    private func makeSteps() {
        let end = NIODeadline.now() + Self.turn
        repeat {
            guard let index = waiting.indices.min(by: { waiting[$0].target.costly < waiting[$1].target.costly }) else {
                return
            }
            let (target, step) = waiting.remove(at: index)
            let begun = NIODeadline.now()
            step()
            target.spendCostly(.now() - begun)
        } while .now() < end
    }
}
