import LoopbackLab
import NIOCore
import Pinning
import Synchronization
import Testing

@testable import TLSProbe

/// A request on the connection of a probe, between the verdict and the goodbye.
@Suite(.timeLimit(.minutes(5))) struct HTTPRequestTests {
    typealias Answer = Result<HTTPResponse, HTTPError>

    let world: StandardPKI
    let ok = Array("HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n".utf8)

    init() throws { world = try StandardPKI.shared() }

    private func exchange(_ path: String = "/health?deep=1", host: String = "api.example.com", port: Int = 443) throws
        -> HTTPExchange
    { HTTPExchange(HTTPRequest(try HTTPPath(path), host: try ServerName(host), port: port)) }

    private func server(
        _ application: TLSServerSettings.Application, delivery: ServerBehavior.Delivery = .immediate,
        _ change: (inout TLSServerSettings) -> Void = { _ in }
    ) -> ServerBehavior {
        let settings = TLSServerSettings(presenting: [world.leaf, world.interA]).with { $0.application = application }
        return .tls(settings.with(change), delivery: delivery)
    }

    /// What a server answers that is accepted, and what it saw.
    private func ask(_ behavior: ServerBehavior, _ exchange: HTTPExchange? = nil, timeout: Duration = .seconds(60))
        async throws -> (answer: Answer?, seen: ConnectionObservation)
    {
        let exchange = try exchange ?? self.exchange()
        return try await LoopbackServer.serving(behavior) { server in
            let request = try ProbeRequest(server) { $0.timeout = timeout }
            let answer = try await withProber { prober in
                try await prober.probe(request) { result in (result.presented.leaf.der, exchange: exchange) }.response
            }
            return (answer, try #require(await server.connections(ended: 1).first))
        }
    }

    private func failure(_ behavior: ServerBehavior, timeout: Duration = .seconds(60)) async throws -> HTTPError? {
        try await ask(behavior, timeout: timeout).answer?.failure
    }

    // MARK: What is sent

    @Test(arguments: [LoopbackLab.TLSVersion.tls12, .tls13]) func oneRequestIsSentAndTheConnectionClosed(
        version: LoopbackLab.TLSVersion
    ) async throws {
        let (answer, seen) = try await ask(server(.answers(ok)) { $0.maximumVersion = version })
        let head = try #require(try answer?.get())
        #expect(head.status == 200)
        #expect(head.statusLine == "HTTP/1.1 200 Fine")
        #expect(head.time > .zero)
        #expect(
            String(decoding: seen.applicationOpening, as: UTF8.self)
                == "GET /health?deep=1 HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: pincheck\r\nAccept: */*\r\n"
                + "Connection: close\r\n\r\n")
        #expect(seen.receivedCloseNotify)
    }

    @Test(arguments: [
        ("api.example.com", 443, "api.example.com"), ("api.example.com", 8443, "api.example.com:8443"),
        ("203.0.113.7", 443, "203.0.113.7"), ("2001:db8::1", 443, "[2001:db8::1]"),
        ("2001:db8::1", 8443, "[2001:db8::1]:8443"),
    ]) func theHostHeaderHasThePortUnlessItIsTheUsualOne(host: String, port: Int, expected: String) throws {
        #expect(try exchange("/", host: host, port: port).request.authority == expected)
    }

    @Test(arguments: [
        ("", HTTPPathError.noSlash), ("health", .noSlash), ("https://example.com/", .noSlash), ("*", .noSlash),
        ("/a b", .character), ("/a\r\nX: y", .character), ("/\u{0}", .character), ("/é", .character),
        ("/\"", .character), ("/\u{7F}", .character), ("/a#b", .fragment),
        ("/" + String(repeating: "a", count: 8_000), .tooLong),
    ]) func aTextThatIsNoPathIsRefused(text: String, expected: HTTPPathError) {
        #expect(throws: expected) { try HTTPPath(text) }
        #expect(!expected.description.contains("\n"))
    }

    @Test(arguments: ["/", "/a/b?c=d&e=%20", "//", "/~.-_:@!$'()*+,;=", "/" + String(repeating: "a", count: 7_999)])
    func aPathIsSentAsItIs(text: String) throws { #expect(try HTTPPath(text).description == text) }

    // MARK: Nothing before the verdict

    @Test(arguments: [LoopbackLab.TLSVersion.tls12, .tls13]) func nothingIsSentToAServerThatIsNotAccepted(
        version: LoopbackLab.TLSVersion
    ) async throws {
        try await LoopbackServer.serving(server(.answers(ok)) { $0.maximumVersion = version }) { server in
            let request = try ProbeRequest(server)
            let outcome = try await withProber { prober in
                try await prober.probe(request) { _ in ("rejected", exchange: nil) }
            }
            #expect(outcome.judgement == "rejected")
            #expect(outcome.response == nil)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.completedHandshake)
            #expect(seen.applicationBytesReceived == 0)
            #expect(seen.receivedCloseNotify)
            #expect(seen.failure == nil)
        }
    }

    @Test func nothingIsSentWhileTheChainIsJudged() async throws {
        try await LoopbackServer.serving(server(.goesOn([]))) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(60) }
            let exchange = try exchange()
            try await withProber { prober in
                let bytes = Mutex<Int?>(nil)
                async let answer = prober.probe(request) { _ in
                    // The server is there and has all that was sent: the client's part of the handshake.
                    while server.connections.first?.completedHandshake != true { await Task.yield() }
                    bytes.withLock { $0 = server.connections.first?.applicationBytesReceived }
                    return ((), exchange: exchange)
                }
                while server.connections.first?.applicationBytesReceived ?? 0 == 0 { await Task.yield() }
                #expect(bytes.withLock { $0 } == 0)
                await prober.shutdown()
                let ended = try await answer
                #expect(ended.response?.failure == .cancelled)
            }
        }
    }

    @Test func aProbeWithoutAChainIsNotJudged() async throws {
        try await LoopbackServer.serving(.plainHTTP) { server in
            let request = try ProbeRequest(server)
            let exchange = try exchange()
            try await withProber { prober in
                let error = await #expect(throws: ProbeError.self) {
                    _ = try await prober.probe(request) { _ in
                        Issue.record("there is nothing to judge")
                        return ((), exchange: exchange)
                    }
                }
                #expect(error?.reason == .notTLS(.http))
            }
        }
    }

    // MARK: What answers are

    @Test func theConnectionThatIsAskedIsTheOneThatWasJudged() async throws {
        try await LoopbackServer.serving(server(.answers(ok))) { server in
            let request = try ProbeRequest(server)
            let exchange = try exchange()
            let outcome = try await withProber { prober in
                try await prober.probe(request) { ($0.presented.leaf.der, exchange: exchange) }
            }
            #expect(outcome.judgement == world.leaf.der)
            #expect(outcome.handshake.presented.leaf.der == world.leaf.der)
            #expect(try outcome.response?.get().status == 200)
            #expect(await server.connections(ended: 1).count == 1)
        }
    }

    @Test func anAnswerThatDripsIsReadToTheEndOfItsHead() async throws {
        let drips = ServerBehavior.Delivery.drips(bytes: 64, everyMilliseconds: 1)
        #expect(try await ask(server(.answers(ok), delivery: drips)).answer?.get().status == 200)
    }

    @Test func aServerThatKeepsTheConnectionOpenIsNotWaitedFor() async throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8)
        let (answer, seen) = try await ask(server(.goesOn(head)))
        #expect(try answer?.get().status == 200)
        #expect(seen.receivedCloseNotify)
        let (endless, _) = try await ask(server(.goesOn(head, repeating: [0x78])))
        #expect(try endless?.get().status == 200)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 ", "x", HTTPHeadReader.statusLineLimit),
        ("HTTP/1.1 200 OK\r\n", "A: b\r\n", HTTPHeadReader.limit),
        ("", "HTTP/1.1 100 Continue\r\n\r\n", HTTPHeadReader.limit),
    ]) func anAnswerWithoutEndIsLeftAtItsLimit(start: String, rest: String, limit: Int) async throws {
        let behavior = server(.goesOn(Array(start.utf8), repeating: Array(rest.utf8)))
        #expect(try await failure(behavior) == .tooLong(limit: limit))
    }

    @Test func aLineOfSixteenMegabytesIsNotTaken() async throws {
        let line = Array("HTTP/1.1 200 ".utf8) + [UInt8](repeating: 0x78, count: 16 << 20) + Array("\r\n\r\n".utf8)
        let error = try await failure(server(.answers(line)))
        #expect(error == .tooLong(limit: HTTPHeadReader.statusLineLimit))
    }

    @Test func whatIsNoHTTPIsSaidToBeNone() async throws {
        #expect(try await failure(server(.answers(Array("220 ready\r\n".utf8)))) == .notHTTP)
        #expect(try await failure(server(.goesOn([0], repeating: [0]))) == .notHTTP)
        // Whether it comes before the question or after it.
        for application in [TLSServerSettings.Application.floods, .greets(Array("220 ready\r\n".utf8))] {
            let error = try await failure(server(application))
            #expect(error == .notHTTP || error == .spokeFirst || error == .tooLong(limit: TLSDataHandler.heldLimit))
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le"]) func aServerThatClosesBeforeTheEndOfItsHeadHasNotAnswered(
        start: String
    ) async throws {
        let error = try await failure(server(.answers(Array(start.utf8))))
        #expect(error == .closedEarly(received: start.utf8.count))
    }

    @Test(arguments: [
        (LoopbackLab.TLSVersion.tls12, HTTPError.handshakeNotCompleted), (.tls13, .alert(.certificateRequired)),
    ]) func aServerThatInsistsOnAClientCertificateSaysSo(version: LoopbackLab.TLSVersion, expected: HTTPError)
        async throws
    {
        let behavior = server(.answers(ok)) {
            $0.clientCertificate = .required
            $0.maximumVersion = version
        }
        let (answer, seen) = try await ask(behavior)
        #expect(answer?.failure == expected)
        #expect(seen.applicationBytesReceived == 0)
    }

    @Test func noServerPresentsAnotherChainAfterTheVerdict() async throws {
        // Renegotiation is refused: the request goes to the one that was judged, or nowhere.
        let behavior = server(.renegotiates) { $0.maximumVersion = .tls12 }
        try await LoopbackServer.serving(behavior) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(1) }
            let exchange = try exchange()
            let outcome = try await withProber { prober in
                try await prober.probe(request) { ($0.presented.leaf.der, exchange: exchange) }
            }
            #expect(outcome.response?.failure != nil)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.completedHandshake)
            #expect(seen.clientHellos == 1)
        }
    }

    // MARK: The deadline

    @Test func aServerThatDoesNotAnswerIsLeftAtTheDeadline() async throws {
        for start in ["", "HTTP/1.1 200 OK\r\nServer: "] {
            let clock = ContinuousClock()
            let began = clock.now
            let error = try await failure(server(.goesOn(Array(start.utf8))), timeout: .seconds(1))
            #expect(error == .deadlineExceeded)
            #expect(clock.now - began >= .seconds(1))
        }
    }

    @Test func theTimeOfTheJudgeIsPartOfTheDeadline() async throws {
        try await LoopbackServer.serving(server(.answers(ok))) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(1) }
            let exchange = try exchange()
            let outcome = try await withProber { prober in
                try await prober.probe(request) { result in
                    // Until the connection was closed for it.
                    while server.connections.first?.hasEnded != true { await Task.yield() }
                    return (result.presented.leaf.der, exchange: exchange)
                }
            }
            #expect(outcome.judgement == world.leaf.der)
            #expect(outcome.response?.failure == .deadlineExceeded)
            #expect(server.connections.first?.applicationBytesReceived == 0)
            #expect(server.connections.first?.receivedCloseNotify == true)
        }
    }

    @Test(arguments: Seeds.sample(32)) func aQuestionEndsAtTheDeadlineWhateverTheServerDoes(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        // From the ServerHello to the end of the answer and beyond.
        let position = Int.random(in: 0...2_600, using: &generator)
        let delivery = ServerBehavior.Delivery.hostile(at: position, using: &generator)
        let head = Array("HTTP/1.1 200 Fine\r\nA: \(String(repeating: "b", count: 400))\r\n\r\n".utf8)
        let interim = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        let application: TLSServerSettings.Application =
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: .answers(head)
            case 1: .goesOn(interim, repeating: interim)
            case 2: .goesOn(head.dropLast(2), repeating: Array("A: b\r\n".utf8))
            default: .goesOn(head)
            }
        let version = Bool.random(using: &generator) ? LoopbackLab.TLSVersion.tls12 : .tls13
        let behavior = server(application, delivery: delivery) { $0.maximumVersion = version }
        let timeout = Duration.seconds(1)
        try await LoopbackServer.serving(behavior) { server in
            let request = try ProbeRequest(server) { $0.timeout = timeout }
            let exchange = try exchange()
            try await withProber { prober in
                let attempt = ProbeAttempt(request, in: prober.workshop, keepsOpen: true)
                let watch = EndWatch(attempt, asking: exchange, on: prober.workshop.loop)
                let ending = await watch.ending()
                let what = "\(delivery), \(application), \(version)"
                #expect(!watch.isLate, "\(what)")
                #expect(prober.workshop.attempts.isEmpty)
                switch ending.answer {
                case nil: #expect(ending.probe.failure != nil, "\(what)")
                case .success(let answer): #expect(answer.statusLine == "HTTP/1.1 200 Fine", "\(what)")
                case .failure(.deadlineExceeded), .failure(.closedEarly), .failure(.reset), .failure(.tooLong): break
                case .failure(let error): Issue.record("\(what): \(error)")
                }
                let latest = max(attempt.connection.started, attempt.connection.connected ?? attempt.connection.started)
                #expect(attempt.connection.deadline <= latest + TimeAmount(timeout))
            }
        }
    }

    // MARK: Cancelling

    @Test func cancellingTheTaskClosesTheConnectionThatIsKept() async throws {
        try await LoopbackServer.serving(server(.goesOn([]))) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(60) }
            let exchange = try exchange()
            try await withProber { prober in
                let task = Task {
                    try await prober.probe(request) { _ in
                        while !Task.isCancelled { await Task.yield() }
                        return ((), exchange: exchange)
                    }.response
                }
                while server.connections.first?.completedHandshake != true { await Task.yield() }
                task.cancel()
                let answer = try await task.value
                #expect(answer?.failure == .cancelled)
                let seen = await server.connections(ended: 1)
                #expect(seen.map(\.applicationBytesReceived) == [0])
            }
        }
    }
}
