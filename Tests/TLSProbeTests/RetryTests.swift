import Pinning
import Synchronization
@testable import TLSProbe
import Testing

/// How the time of a target is divided among attempts, on a clock that moves when it is told to.
struct RetryTests {
    @Test(arguments: [
        (10.0, 2, [5.0, 2.5, 2.5]), (20.0, 5, [10.0, 5.0, 2.5, 1.25, 1.25]), (1.0, 3, [1.0]), (10.0, 0, [10.0]),
        (2.0, 1, [1.0, 1.0]), (1.999, 1, [1.999]),
    ]) func anAttemptHasHalfOfWhatIsLeft(total: Double, retries: Int, limits: [Double]) {
        var left = Duration.seconds(total)
        for (index, limit) in limits.enumerated() {
            let time = Deadline.ofAttempt(left, attemptsLeft: retries + 1 - index)
            #expect(time == .seconds(limit))
            left -= time
        }
        #expect(left == .zero)
    }

    @Test func theSecondAttemptPassesIfTheFirstHangs() async throws {
        let clock = ManualClock()
        let limits = Mutex<[Duration]>([])
        let passed = try await request(.seconds(4)).retrying(1, on: clock) { request throws(ProbeError) in
            let count = limits.withLock { limits in
                limits.append(request.timeout)
                return limits.count
            }
            if count == 1 { throw clock.hang(request) }
            return clock.now.offset
        }
        #expect(passed == .seconds(2) + .milliseconds(100))
        #expect(limits.withLock(\.self) == [.seconds(2), .milliseconds(1_900)])
    }

    @Test(arguments: [
        (6, 2, 6, "did not complete the TLS handshake in time (3 attempts in 6 s)"),
        (1, 2, 1, "did not complete the TLS handshake in time; no time was left to try again"),
        (6, 0, 6, "did not complete the TLS handshake in time: check"),
    ]) func attemptsThatAllHangEndWithTheTimeout(timeout: Int, retries: Int, end: Int, sentence: String) async {
        let clock = ManualClock()
        let error = await failure(of: request(.seconds(timeout)), retries, clock)
        #expect(error?.id == "timeout" && clock.now.offset == .seconds(end))
        #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("raise the timeout (\(timeout) s)") == true)
    }

    @Test func aRetryAfterAHangIsToldWithItsTime() async {
        let lines = Mutex<[String]>([])
        let watch = ProbeWatch { line in lines.withLock { $0.append("\(line)") } }
        await ProbeWatch.$current.withValue(watch) { _ = await failure(of: request(.seconds(10)), 1, ManualClock()) }
        #expect(lines.withLock(\.self) == ["h.example:443: trying again (1 of 1): no answer in 5 s"])
    }

    private func request(_ timeout: Duration) -> ProbeRequest {
        ProbeRequest(to: .resolve(host: "h.example", family: .any), port: 443, timeout: timeout)
    }

    private func failure(of request: ProbeRequest, _ retries: Int, _ clock: ManualClock) async -> ProbeError? {
        do throws(ProbeError) {
            return try await request.retrying(retries, on: clock) { (request) throws(ProbeError) -> ProbeError? in
                throw clock.hang(request)
            }
        } catch { return error }
    }
}

private final class ManualClock: Clock {
    struct Instant: InstantProtocol {
        var offset = Duration.zero

        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (one: Instant, other: Instant) -> Bool { one.offset < other.offset }
    }

    private let time = Mutex(Instant())

    var now: Instant { time.withLock(\.self) }
    var minimumResolution: Duration { .zero }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws { time.withLock { $0 = max($0, deadline) } }

    func hang(_ request: ProbeRequest) -> ProbeError {
        time.withLock { $0.offset += request.timeout }
        return ProbeError(.handshake, .deadlineExceeded(timeout: request.timeout), target: request.target)
    }
}
