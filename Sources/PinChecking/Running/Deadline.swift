import Base
import Synchronization
import TLSProbe

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

/// How much of a processor's time judging the chains of one target may take, counted on the threads that judge.
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

extension Prober {
    /// Makes an attempt, and again up to `retries` times; the timeout holds over all attempts and the pauses between them.
    func retrying<Value: Sendable>(
        _ request: ProbeRequest, _ retries: Int, _ attempt: (ProbeRequest) async throws(ProbeError) -> Value
    ) async throws(ProbeError) -> Value {
        let deadline = Deadline(in: request.timeout)
        var request = request
        var pause = Duration.milliseconds(100)
        var count = 0
        while true {
            do { return try await attempt(request) } catch {
                guard count < retries, deadline.remaining > pause, error.mayPass,
                    (try? await Task.sleep(for: pause)) != nil
                else { throw error.ofPart(of: deadline.timeout) }
            }
            count += 1
            ProbeWatch.current?("\(request.target): trying again (\(count) of \(retries))")
            pause = min(pause * 2, .seconds(1))
            request.timeout = max(.milliseconds(1), deadline.remaining)
        }
    }
}

extension ProbeError {
    /// Whether another attempt could end otherwise; what a server does not have it does not have then either.
    fileprivate var mayPass: Bool {
        switch reason {
        case .cancelled, .noTimeLeft, .keyTypeRefused, .offerRefused, .protocolVersion: false
        case .proxy(let failure): failure.mayPass
        default: true
        }
    }
}
