import NIOCore

@testable import TLSProbe

/// Sees whether a probe has ended 100 ms after its deadline, by the clock and in the order of the loop it runs on: a machine that is
/// busy makes both late.
final class EndWatch: @unchecked Sendable {
    typealias Ending = (probe: Result<Handshake, ProbeError>, answer: Result<HTTPResponse, HTTPError>?)

    private let attempt: ProbeAttempt
    private let loop: any EventLoop
    private let exchange: HTTPExchange?
    private var hasEnded = false
    /// Whether the probe was still under way then.
    private(set) var isLate = false

    /// A watch over an attempt; with an exchange it has to be one that keeps its connection.
    init(_ attempt: ProbeAttempt, asking exchange: HTTPExchange? = nil, on loop: any EventLoop) {
        self.attempt = attempt
        self.exchange = exchange
        self.loop = loop
    }

    /// Makes the probe and waits until it has ended and the watch with it.
    func result() async -> Result<Handshake, ProbeError> { await ending().probe }

    /// The same with the response, which is asked for as soon as there is a chain.
    func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.attempt.start { result in
                    guard let exchange = self.exchange, case .success = result else {
                        self.hasEnded = true
                        return continuation.resume(returning: (result, nil))
                    }
                    // Not in the middle of the handshake's last step, where nobody judges either.
                    self.loop.execute {
                        self.attempt.carry(exchange) { answer in
                            self.hasEnded = true
                            continuation.resume(returning: (result, answer))
                        }
                    }
                }
                self.watch()
            }
        }
    }

    private func watch() {
        let deadline = attempt.connection.deadline
        loop.scheduleTask(deadline: deadline + .milliseconds(100)) {
            guard !self.hasEnded else { return }
            // It learnt of its connection late, and left that out.
            if self.attempt.connection.deadline > deadline { return self.watch() }
            self.isLate = true
            self.attempt.cancel()
        }
    }
}
