#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How much of a processor's time judging the chains of one target may take.
///
/// Its servers decide what there is to judge, and each chain costs what it costs; a busy machine makes none of it dearer. Counted on the
/// thread that makes it, which has to be the one that asks.
struct JudgingTime {
    private let end: Duration

    /// A limit that begins now.
    init(limit: Duration) {
        end = Self.used + limit
    }

    /// Whether no other chain may be judged.
    var isUsedUp: Bool { Self.used > end }

    private static var used: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
