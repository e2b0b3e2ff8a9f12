import Base
import Synchronization

/// The processor time that judging one target's chains may take, measured on the judging threads.
final class JudgingTime: Sendable {
    private let time: Mutex<(limit: Duration, used: Duration)>

    init(limit: Duration) { time = Mutex((limit, .zero)) }

    var isUsedUp: Bool { time.withLock { $0.used >= $0.limit } }
    func allow(_ rest: Duration) { time.withLock { $0.limit = min($0.limit, $0.used + rest) } }

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
