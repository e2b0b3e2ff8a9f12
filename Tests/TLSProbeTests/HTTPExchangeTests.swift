import LoopbackLab
import NIOCore
import Pinning
import Synchronization
import Testing

@testable import TLSProbe

/// A request on the connection of a probe: nothing before the verdict, and no longer than the deadline.
@Suite(.timeLimit(.minutes(5))) struct HTTPExchangeTests {
    private let ok = "HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n".bytes

    @Test func whatTheServerSaysOfItsOwnAccordIsNoAnswer() async throws {
        let keeper = Keeper()
        let exchange = try exchange(to: keeper)
        // Without tickets, so that what comes after the handshake is what the server says.
        try await probing(server(.greets(ok)) { $0.options["NumTickets"] = "0" }) { prober, request, server in
            let attempt = ProbeAttempt(request, in: prober, keepsOpen: true)
            let loop = prober.loop
            let end: Result<HTTPResponse, HTTPError> = await withCheckedContinuation { continuation in
                loop.execute {
                    attempt.start { _ in
                        loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(1)) { task in
                            guard case .held(let tls, _) = attempt.kept, tls.received > 0 else { return }
                            task.cancel()
                            attempt.carry(exchange, within: .seconds(60)) { continuation.resume(returning: $0) }
                        }
                    }
                }
            }
            #expect(end.failure == .spokeFirst && keeper.head.withLock { $0 } == nil)
            #expect(await server.connections(ended: 1).first?.applicationOpening.isEmpty == true)
        }
    }

    @Test(arguments: versions) func nothingIsSentToAServerThatIsNotAccepted(version: ServerVersion) async throws {
        try await probing(server(.answers(ok)) { $0.maximumVersion = version }) { prober, request, server in
            let outcome = try await prober.probe(request) { _ in ("rejected", exchange: nil) }
            #expect(outcome.judgement == "rejected" && outcome.response == nil)
            await prober.shutdown()
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.completedHandshake && seen.applicationOpening.isEmpty)
            #expect(seen.receivedCloseNotify && seen.failure == nil)
        }
    }

    @Test func nothingIsSentWhileTheChainIsJudged() async throws {
        let exchange = try exchange()
        try await probing(server(.silent)) { prober, request, server in
            let bytes = Mutex<Int?>(nil)
            async let answer = prober.probe(request) { _ in
                // The server is there and has all that was sent: the client's part of the handshake.
                while server.connections.first?.completedHandshake != true { await Task.yield() }
                bytes.withLock { $0 = server.connections.first?.applicationOpening.count }
                return ((), exchange: exchange)
            }
            while server.connections.first?.applicationOpening.isEmpty != false { await Task.yield() }
            #expect(bytes.withLock { $0 } == 0)
            await prober.shutdown()
            let ended = try await answer
            #expect(ended.response?.failure == .cancelled)
        }
    }

    @Test(arguments: [
        (LoopbackLab.TLSVersion.tls12, HTTPError.handshakeNotCompleted), (.tls13, .alert(.certificateRequired)),
    ]) func aServerThatInsistsOnAClientCertificateSaysSo(version: ServerVersion, expected: HTTPError) async throws {
        let behavior = server(.answers(ok)) {
            $0.clientCertificate = .required
            $0.maximumVersion = version
        }
        let (end, seen) = try await fetch(behavior)
        #expect(end.failure == expected && seen.applicationOpening.isEmpty)
    }

    @Test func noServerPresentsAnotherChainAfterTheVerdict() async throws {
        // Renegotiation is refused: the request goes to the one that was judged, or nowhere.
        let behavior = server(.greets([], .renegotiates)) { $0.maximumVersion = .tls12 }
        let (end, seen) = try await fetch(behavior, timeout: .seconds(1))
        #expect(end.failure != nil && seen.completedHandshake && seen.clientHellos == 1)
    }

    @Test(arguments: [true, false]) func theTimeOfTheJudgeIsNotTheServers(answers: Bool) async throws {
        let exchange = try exchange()
        let behavior = server(answers ? .answers(ok) : .silent)
        try await probing(behavior, timeout: .seconds(1)) { prober, request, server in
            let deadline = NIODeadline.now() + .seconds(2)
            let outcome = try await prober.probe(request) { result in
                while NIODeadline.now() < deadline { await Task.yield() }
                return (result.presented.leaf.der, exchange: exchange)
            }
            #expect(outcome.judgement == pki.leaf.der)
            #expect(outcome.response?.failure == (answers ? nil : .deadlineExceeded))
            #expect(await server.connections(ended: 1).first?.applicationOpening.isEmpty == false)
        }
    }

    @Test(arguments: Seeds.sample(16)) func aQuestionEndsAtTheDeadlineWhateverTheServerDoes(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        // From the ServerHello to the end of the answer and beyond.
        let position = Int.random(in: 0...2_600, using: &generator)
        let delivery = ServerBehavior.Delivery.hostile(at: position, using: &generator)
        let head = "HTTP/1.1 200 Fine\r\nA: \(String(repeating: "b", count: 400))\r\n\r\n".bytes
        let interim = "HTTP/1.1 100 Continue\r\n\r\n".bytes
        let application: Responder =
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: .answers(head)
            case 1: .answers(interim, .repeats(interim))
            case 2: .answers(head.dropLast(2), .repeats("A: b\r\n".bytes))
            default: .answers(head, .silence)
            }
        let version = Bool.random(using: &generator) ? LoopbackLab.TLSVersion.tls12 : .tls13
        let behavior = server(application, delivery: delivery) { $0.maximumVersion = version }
        let timeout = Duration.seconds(1)
        let exchange = try exchange()
        try await probing(behavior, timeout: timeout) { prober, request, _ in
            let attempt = ProbeAttempt(request, in: prober, keepsOpen: true)
            let watch = EndWatch(attempt, asking: exchange, on: prober.loop)
            let ending = await watch.ending()
            let what = "\(delivery), \(application), \(version)"
            #expect(!watch.isLate, "\(what)")
            #expect(prober.attempts.isEmpty)
            switch ending.answer {
            case nil: #expect(ending.probe.failure != nil, "\(what)")
            case .success(let answer): #expect(answer.statusLine == "HTTP/1.1 200 Fine", "\(what)")
            case .failure(.deadlineExceeded), .failure(.closedEarly), .failure(.reset), .failure(.tooLong): break
            case .failure(let error): Issue.record("\(what): \(error)")
            }
            let latest = max(attempt.connection.started, attempt.connection.connected ?? attempt.connection.started)
            #expect(attempt.connection.deadline <= latest + TimeAmount(timeout) + watch.judging)
        }
    }

    @Test func aCancelledTransferLeavesNothingBehind() async throws {
        let part = Responder.Answer("HTTP/1.1 200 Fine\nContent-Length: 10", [1, 2, 3], .silence)
        let keeper = Keeper()
        let exchange = try exchange(to: keeper)
        try await probing(server(Responder { _ in part })) { prober, request, server in
            let task = Task { try await prober.probe(request) { _ in ((), exchange: exchange) }.response }
            while keeper.body.count < 3 { await Task.yield() }
            task.cancel()
            let ended = try await task.value
            #expect(ended?.failure == .cancelled)
            #expect(prober.attempts.isEmpty)
            #expect(await server.connections(ended: 1).first?.receivedCloseNotify == true)
        }
    }

    @Test func cancellingTheTaskClosesTheConnectionThatIsKept() async throws {
        let exchange = try exchange()
        try await probing(server(.silent)) { prober, request, server in
            let task = Task {
                try await prober.probe(request) { _ in
                    while !Task.isCancelled { await Task.yield() }
                    return ((), exchange: exchange)
                }.response
            }
            while server.connections.first?.completedHandshake != true { await Task.yield() }
            task.cancel()
            let ended = try await task.value
            #expect(ended?.failure == .cancelled)
            #expect(await server.connections(ended: 1).map(\.applicationOpening) == [[]])
        }
    }
}
