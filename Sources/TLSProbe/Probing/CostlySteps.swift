internal import NIOCore

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
