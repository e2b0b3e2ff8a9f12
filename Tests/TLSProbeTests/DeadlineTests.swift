import LoopbackLab
import NIOCore
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct DeadlineTests {
    /// Long enough to reach the handshake on a busy machine.
    let timeout = Duration.seconds(1)

    private static func serves(_ delivery: ServerBehavior.Delivery) -> ServerBehavior {
        .presenting([pki.leaf], delivery: delivery)
    }

    /// Servers that never answer, stall in the middle, drip, or move the end with urgent data and a HelloRequest now and then.
    private static let slow: [ServerBehavior] =
        [.tarpit, serves(.drips(bytes: 1, everyMilliseconds: 5)), .script([22, 3, 3, 0, 4, 0, 0, 0, 0], stalls: true)]
        + [1, 5, 100, 600].map { serves(.stalls(afterBytes: $0)) }
        + [0, 1, 3, 5, 100, 600].map { serves(.urges(afterBytes: $0, thenStalls: true)) }

    @Test(arguments: slow) func aServerThatDoesNotComeToAnEndIsLeft(behavior: ServerBehavior) async throws {
        let clock = ContinuousClock()
        let began = clock.now
        let error = try await failure(of: behavior) { $0.timeout = timeout }
        #expect(error.reason == .deadlineExceeded(timeout: timeout))
        #expect(error.phase == .handshake && error.id == "timeout")
        #expect(clock.now - began >= timeout)
    }

    /// Urgent data is no part of the handshake, and what drips fast enough is waited for.
    @Test(
        arguments: [.drips(bytes: 64, everyMilliseconds: 1)]
            + [0, 3, 5, 100].map { ServerBehavior.Delivery.urges(afterBytes: $0, thenStalls: false) })
    func aServerThatComesToAnEndIsSeen(delivery: ServerBehavior.Delivery) async throws {
        #expect(try await probe(.presenting([pki.leaf], delivery: delivery)).presented.leaf.der == pki.leaf.der)
    }

    @Test func aDeadlineInThePastIsMetAtOnce() async throws {
        try await LoopbackServer.serving(.tarpit) { server in
            // Whether the server sees a connection is all the same.
            let request = try ProbeRequest(server) { $0.timeout = .zero }
            let result = try await withProber { await outcome(of: request, by: $0) }
            #expect(result.failure?.reason == .deadlineExceeded(timeout: .zero))
        }
    }

    @Test func anEndlessTimeoutDoesNotOverflow() async throws {
        let result = try await probe(.presenting([pki.leaf])) { $0.timeout = .seconds(Int64.max) }
        #expect(result.handshakeCompleted)
    }

    @Test func whatArrivedInTimeCountsAlthoughItIsReadLate() async throws {
        try await LoopbackServer.serving(.presenting(served)) { server in
            try await withProber { prober in
                let request = try ProbeRequest(server) { $0.timeout = .seconds(2) }
                async let late = prober.probe(request)
                // From the ClientHello until after the deadline nothing is read, while the server answers within it.
                prober.holdEventLoopInHandshake(until: .now() + .milliseconds(2_100))
                #expect(try await late.handshakeCompleted)
            }
        }
    }

    @Test func aStepAfterTheDeadlineIsMadeForWhoSentLittle() async throws {
        try await withProber { prober in
            let request = ProbeRequest(to: .address(loopback), timeout: .zero)
            // Its deadline is when it was made, until it is started.
            let connection = TimedConnection(request, in: prober)
            var steps = 0
            func step() -> TLSConnection.Step {
                steps += 1
                return .needsInput
            }
            _ = connection.step(after: 5_000, step)
            #expect(steps == 1)
            _ = connection.step(after: 100_000, step)
            #expect(steps == 1)
        }
    }

    @Test func allThatOneTargetsServersMayCostAfterItsDeadlineIsLimited() {
        let work = TargetWork()
        #expect(work.allowsLateStep(after: 5_000))
        #expect(!work.allowsLateStep(after: 100_000))
        work.spendLate(.milliseconds(30))
        #expect(work.allowsLateStep(after: 5_000))
        work.spendLate(.milliseconds(30))
        #expect(!work.allowsLateStep(after: 5_000))
    }

    /// What comes of a probe whose deadline passes while the event loop has not come to what the kernel settled.
    private func outcomeOfLateLoop(_ request: ProbeRequest) async throws -> Result<Handshake, ProbeError> {
        try await withProber { prober in
            let loop = prober.loop
            let attempt = ProbeAttempt(request, in: prober)
            return await withCheckedContinuation { continuation in
                loop.execute {
                    attempt.start { continuation.resume(returning: $0) }
                    let end = NIODeadline.now() + .seconds(20)
                    while !attempt.connection.channels.contains(where: LastLook.isSettled), NIODeadline.now() < end {}
                    attempt.connection.handleScheduledCallback(eventLoop: loop)
                }
            }
        }
    }

    @Test func aConnectionThatIsThereAtTheDeadlineMakesItsHandshake() async throws {
        try await LoopbackServer.serving(.presenting([pki.leaf])) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(20) }
            #expect(try await outcomeOfLateLoop(request).get().handshakeCompleted)
        }
    }

    @Test func aRefusalThatIsThereAtTheDeadlineIsTheReason() async throws {
        try await DeadPort.refusing { port in
            let request = ProbeRequest(to: .address(loopback), port: port, timeout: .seconds(20))
            let result = try await outcomeOfLateLoop(request)
            #expect(result.failure?.id == "refused")
        }
    }

    @Test func theTimeInTheLoopsOwnQueueIsNotTheServers() async throws {
        try await LoopbackServer.serving(.presenting([pki.leaf])) { server in
            let request = try ProbeRequest(server) { $0.timeout = .milliseconds(300) }
            try await withProber { prober in
                let loop = prober.loop
                let attempt = ProbeAttempt(request, in: prober)
                let result = await withCheckedContinuation { continuation in
                    loop.execute {
                        attempt.start { continuation.resume(returning: $0) }
                        // The kernel connects at once; the loop comes to it when the time is over.
                        let end = NIODeadline.now() + .milliseconds(400)
                        while NIODeadline.now() < end {}
                    }
                }
                let deadline = attempt.connection.deadline
                #expect(deadline > attempt.connection.started + .milliseconds(500))
                // A machine may be too busy for the server even so; its handshake was begun.
                #expect(result.failure.map { $0.phase == .handshake } ?? true)
            }
        }
    }

    @Test func aPortThatAnswersNothingIsLeftWhileItConnects() async throws {
        try await DeadPort.unresponsive { port in
            let request = ProbeRequest(to: .address(loopback), port: port, timeout: timeout)
            let error = try await withProber { await outcome(of: request, by: $0).failure }
            #expect(error?.reason == .deadlineExceeded(timeout: timeout))
            #expect(error?.phase == .connect)
        }
    }

    @Test(arguments: Seeds.sample(12)) func aProbeEndsAtItsDeadlineWhateverTheServerDoes(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let behavior = ServerBehavior.presenting(
            served, delivery: .hostile(at: Int.random(in: 0...1_600, using: &generator), using: &generator))
        let timeout = timeout
        try await LoopbackServer.serving(behavior) { server in
            let request = try ProbeRequest(server) { $0.timeout = timeout }
            try await withProber { prober in
                let attempt = ProbeAttempt(request, in: prober)
                let watch = EndWatch(attempt, on: prober.loop)
                let result = await watch.ending().probe
                #expect(!watch.isLate, "\(behavior)")
                if let error = result.failure {
                    let ids = ["timeout", "closed-early", "reset"]
                    #expect(ids.contains(error.id), "\(behavior): \(error)")
                }
                let latest = max(attempt.connection.started, attempt.connection.connected ?? attempt.connection.started)
                #expect(attempt.connection.deadline <= latest + TimeAmount(timeout))
            }
        }
    }

    @Test func cancellingTheTaskEndsTheProbe() async throws {
        try await LoopbackServer.serving(.tarpit) { server in
            try await withProber { prober in
                let request = try ProbeRequest(server)
                let task = Task { await outcome(of: request, by: prober) }
                while server.connections.isEmpty { await Task.yield() }
                task.cancel()
                #expect(await task.value.failure?.reason == .cancelled)
                #expect(await server.connections(ended: 1).count == 1)
            }
        }
    }

    @Test func aCancelledTaskProbesNothing() async throws {
        try await withProber { prober in
            let request = ProbeRequest(to: .address(loopback), port: 9)
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                return await outcome(of: request, by: prober)
            }
            task.cancel()
            #expect(await task.value.failure?.reason == .cancelled)
        }
    }

    @Test func shuttingDownEndsTheProbesUnderWay() async throws {
        try await LoopbackServer.serving(.tarpit) { server in
            let prober = Prober()
            let request = try ProbeRequest(server)
            let task = Task { await outcome(of: request, by: prober) }
            while server.connections.isEmpty { await Task.yield() }
            await prober.shutdown()
            #expect(await task.value.failure?.reason == .cancelled)
            #expect(await outcome(of: request, by: prober).failure?.reason == .cancelled)
            await prober.shutdown()
        }
    }
}

extension Prober {
    /// Keeps the event loop busy from the start of a handshake until `end`.
    fileprivate func holdEventLoopInHandshake(until end: NIODeadline) {
        loop.scheduleRepeatedTask(initialDelay: .zero, delay: .microseconds(50)) { task in
            guard self.attempts.values.contains(where: { ($0 as? ProbeAttempt)?.phase == .handshake }) else { return }
            task.cancel()
            // Without a processor, which the server needs.
            while NIODeadline.now() < end { usleep(10_000) }
        }
    }
}
