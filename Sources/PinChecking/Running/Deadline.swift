import Base
import Synchronization

/// When the time of one target is over: name lookups, every connection and every retry included.
struct Deadline: Sendable {
    let timeout: Duration
    private let end: ContinuousClock.Instant

    init(in timeout: Duration) {
        self.timeout = timeout
        // A year is for ever, and cannot overflow the clock.
        end = .now + min(timeout, .seconds(365 * 24 * 60 * 60))
    }

    var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: end)) }
}

/// How much of a processor's time judging the chains of one target may take.
///
/// Its servers decide what there is to judge, and each chain costs what it costs; a busy machine makes none of it dearer. Counted on the
/// threads that judge.
final class JudgingTime: Sendable {
    private let time: Mutex<(limit: Duration, used: Duration)>

    init(limit: Duration) { time = Mutex((limit, .zero)) }

    var isUsedUp: Bool { time.withLock { $0.used >= $0.limit } }

    func allow(_ rest: Duration) { time.withLock { $0.limit = min($0.limit, $0.used + rest) } }

    /// Judges on the calling thread, and counts the time.
    func counting<Value>(_ judge: () -> Value) -> Value {
        let start = Self.timeOfThread
        defer {
            let spent = Self.timeOfThread - start
            time.withLock { $0.used += spent }
        }
        return judge()
    }

    private static var timeOfThread: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
