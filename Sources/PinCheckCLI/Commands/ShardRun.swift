import Base
import PinChecking
import Pinning
import Synchronization

/// A run over one part of the targets: what its results say, so that they can be put together with those of the others.
final class ShardRun: Sendable {
    private let shard: ShardChoice
    /// The hash of what is asked of all targets.
    private let run: String
    /// What the targets are known by that are checked, by position.
    private let entries = Mutex(PendingDigests())

    /// - Parameters:
    ///   - shard: the part.
    ///   - request: what the flags ask.
    ///   - policies: the policies that say more.
    init(_ shard: ShardChoice, asking request: CheckRequest, by policies: [String]) {
        self.shard = shard
        run = TargetEntry.digest([request.digest.hexadecimal] + policies).hexadecimal
    }

    /// Takes note of a job that is checked, one position after the other.
    func take(_ job: CheckJob) {
        guard let entry = job.entry else { preconditionFailure("the targets of a shard have entries") }
        entries.withLock { $0.append(entry.digest) }
    }

    /// What the results of the target at a position say, once.
    func takePlace(at position: Int) -> Report.Shard {
        Report.Shard(
            index: shard.index, count: shard.count, run: run,
            entry: entries.withLock { $0.take(at: position) }.hexadecimal)
    }

    /// What is said of how large the part is.
    func note(on count: Int, passing others: Int) -> SafeText {
        let all = "\(count + others) target\(count + others == 1 ? "" : "s")"
        guard count > 0 else { return "Note: shard \(shard) has none of the \(all): nothing is to be checked here" }
        return "Note: shard \(shard) has \(count) of \(all)"
    }
}
