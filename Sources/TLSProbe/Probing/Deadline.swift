import Base
import NIOCore

/// The end of one target's time, which includes all look-ups, connections and retries.
package struct Deadline {
    package let timeout: Duration
    private let end: ContinuousClock.Instant

    package init(in timeout: Duration) {
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

    package var remaining: Duration { max(.zero, ContinuousClock.now.duration(to: end)) }
}

extension ProbeRequest {
    /// Makes an attempt, and up to `retries` more; the timeout covers all attempts and the pauses between them.
    package func retrying<Value: Sendable, Time: Clock>(
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

/// The kernel's state of a connection that a busy event loop has not noticed; each call returns at once.
enum LastLook {
    private static let limit = TLSHandler.inputLimit

    /// `true` if the kernel has settled an attempt to connect, so that the event loop will learn its result.
    static func isSettled(_ channel: any Channel) -> Bool {
        look(at: channel) { descriptor in
            // A socket is neither writable nor broken before the other side answers.
            var query = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            return poll(&query, 1, 0) > 0
        } ?? false
    }

    /// The time since the server's last packet, for which it waited here; `nil` if the system does not know it.
    static func silence(of channel: any Channel) -> TimeAmount? {
        #if canImport(Darwin)
        nil
        #else
        look(at: channel) { descriptor in
            var information = tcp_info()
            var length = socklen_t(MemoryLayout<tcp_info>.size)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &length) == 0 else { return nil }
            return .milliseconds(Int64(information.tcpi_last_ack_recv))
        } ?? nil
        #endif
    }

    /// Gives all bytes that can be read now, except urgent data, to the channel's handlers, as the event loop would.
    static func deliver(on channel: any Channel) {
        let pipeline = channel.pipeline.syncOperations
        var hasRead = false
        var rest = limit
        while rest > 0 {
            var bytes = channel.allocator.buffer(capacity: min(rest, 65_536))
            let count = look(at: channel) { descriptor in
                bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: 1) { space in
                    // The event loop's sockets never block.
                    max(0, recv(descriptor, space.baseAddress, space.count, 0))
                }
            }
            guard let count, count > 0 else { break }
            rest -= count
            hasRead = true
            pipeline.fireChannelRead(NIOAny(bytes))
        }
        if hasRead { pipeline.fireChannelReadComplete() }
    }

    private static func look<Value>(at channel: any Channel, _ body: (Int32) -> Value) -> Value? {
        // NIO calls the closure only if it has the transport's type.
        try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self, body)
    }
}
