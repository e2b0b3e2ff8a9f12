import Base
import Synchronization
import TLSProbe

/// The end of one target's time, which includes all look-ups, connections and retries.
struct Deadline {
    let timeout: Duration
    private let end: ContinuousClock.Instant

    init(in timeout: Duration) {
        self.timeout = timeout
        end = .now + Self.bounded(timeout)
    }

    /// Limits a timeout to a year, which cannot overflow the clock.
    static func bounded(_ timeout: Duration) -> Duration { min(timeout, .seconds(365 * 24 * 60 * 60)) }

    /// Half of the remaining time for an attempt before the last, so that a slow server passes at the first; less than
    /// two seconds are not divided, because a handshake across the world takes up to one.
    static func ofAttempt(_ remaining: Duration, attemptsLeft: Int) -> Duration {
        attemptsLeft <= 1 || remaining < .seconds(2) ? remaining : remaining / 2
    }

    var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: end)) }
}

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

extension ProbeRequest {
    /// Makes an attempt, and up to `retries` more; the timeout covers all attempts and the pauses between them.
    func retrying<Value: Sendable, Time: Clock>(
        _ retries: Int, on clock: Time = ContinuousClock(),
        _ attempt: (ProbeRequest) async throws(ProbeError) -> Value
    ) async throws(ProbeError) -> Value where Time.Duration == Duration {
        let end = clock.now.advanced(by: Deadline.bounded(timeout))
        var request = self
        var pause = Duration.milliseconds(100)
        var count = 0
        while true {
            count += 1
            let remaining = max(.milliseconds(1), clock.now.duration(to: end))
            request.timeout = Deadline.ofAttempt(remaining, attemptsLeft: retries + 2 - count)
            let isLate: Bool
            do { return try await attempt(request) } catch {
                guard count <= retries, clock.now.duration(to: end) > pause, error.mayPass,
                    (try? await clock.sleep(for: pause)) != nil
                else { throw error.ofPart(of: timeout, attempts: retries > 0 ? count : nil) }
                isLate = if case .deadlineExceeded = error.reason { true } else { false }
            }
            let tenths = Int((request.timeout / .milliseconds(100)).rounded())
            let reason = isLate ? ": no answer in \(secondsText(.milliseconds(100) * tenths))" : ""
            ProbeWatch.current?("\(target): trying again (\(count) of \(retries))\(reason)")
            pause = min(pause * 2, .seconds(1))
        }
    }
}

extension ProbeError {
    /// `true` if another attempt could end differently; a server does not gain what it lacks.
    fileprivate var mayPass: Bool {
        switch reason {
        case .cancelled, .noTimeLeft, .keyTypeRefused, .offerRefused, .protocolVersion: false
        case .proxy(let failure): failure.mayPass
        default: true
        }
    }
}
