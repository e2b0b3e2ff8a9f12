import LoopbackLab
import NIOCore
import Pinning
import Synchronization
import Testing

@testable import TLSProbe

/// A request on the connection of a probe, between the verdict and the goodbye, and the document that it brings.
@Suite(.timeLimit(.minutes(5))) struct HTTPExchangeTests {
    typealias End = Result<HTTPResponse, HTTPError>

    private let ok = Array("HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n".utf8)

    /// Keeps what comes.
    private final class Keeper: HTTPReceiver {
        let head = Mutex<HTTPResponse?>(nil)
        let body = Mutex<[UInt8]>([])
        let limit: Int

        init(limit: Int = .max) { self.limit = limit }

        func receive(_ head: HTTPResponse) -> Bool {
            self.head.withLock { $0 = head }
            return true
        }

        func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
            body.withLock { body in
                body += bytes
                return body.count < limit
            }
        }
    }

    private func server(
        _ application: TLSServerSettings.Application, delivery: ServerBehavior.Delivery = .immediate,
        _ change: (inout TLSServerSettings) -> Void = { _ in }
    ) -> ServerBehavior {
        let settings = TLSServerSettings(presenting: [world.leaf, world.interA]).with { $0.application = application }
        return .tls(settings.with(change), delivery: delivery)
    }

    private func answer(_ head: String, _ body: some Sequence<UInt8> = [], _ ending: Responder.Answer.Ending = .goodbye)
        -> TLSServerSettings.Application
    {
        let answer = Responder.Answer(head, Array(body), ending)
        return .responds(Responder { _ in answer })
    }

    /// Without a keeper the head is all that is wanted.
    private func exchange(to keeper: Keeper?, patience: Duration? = .seconds(30)) throws -> HTTPExchange {
        HTTPExchange(HTTPRequest(try HTTPLocation("https://api.example.com/a?b=c")), for: keeper, patience: patience)
    }

    /// How the transfer from a server that is accepted ends, and what the server saw.
    private func fetch(
        _ behavior: ServerBehavior, to keeper: Keeper?, timeout: Duration = .seconds(60),
        patience: Duration? = .seconds(30)
    ) async throws -> (end: End?, seen: ConnectionObservation) {
        let exchange = try exchange(to: keeper, patience: patience)
        return try await LoopbackServer.serving(behavior) { server in
            let request = try ProbeRequest(server) { $0.timeout = timeout }
            let end = try await withProber { prober in
                let end = try await prober.probe(request) { _ in ((), exchange: exchange) }.response
                #expect(prober.workshop.attempts.isEmpty)
                return end
            }
            return (end, try #require(await server.connections(ended: 1).first))
        }
    }

    @Test func aServerThatTalksForEverBeforeItAnswersIsLeft() async throws {
        let tickets = server(answer("HTTP/1.1 200 Fine\nContent-Length: 3", Array("abc".utf8))) {
            $0.sessionTickets = 20_000
        }
        // What comes before anything is asked for has a limit of its own.
        let ends = [HTTPError.tlsFailure(TLSConnection.tooTalkative), .tooLong(limit: TLSDataHandler.heldLimit)]
        let ofText = [HTTPError.notHTTP, .spokeFirst, .tooLong(limit: TLSDataHandler.heldLimit)]
        let greeting = TLSServerSettings.Application.greets(Array("220 ready\r\n".utf8))
        for (behavior, ends) in [
            (tickets, ends), (server(.renewsKeys), ends), (server(.floods), ofText), (server(greeting), ofText),
            (server(.goesOn([0], repeating: [0])), [.notHTTP]),
        ] {
            let failure = try #require(try await fetch(behavior, to: nil).end?.failure)
            #expect(ends.contains(failure), "\(failure)")
        }
    }

    @Test func aServerThatSendsARecordForEachByteIsLeft() async throws {
        let head = Array("HTTP/1.1 200 Fine\r\nContent-Length: 1000000000\r\n\r\n".utf8)
        let keeper = Keeper()
        let (end, _) = try await fetch(server(.crumbles(head)), to: keeper)
        guard case .tlsFailure(let reason)? = end?.failure else { return #expect(Bool(false), "\(end as Any)") }
        #expect(reason.hasPrefix("the server sent ") && reason.hasSuffix(" of data in them"), "\(reason)")
        // An honest answer may come in small records, a short one in the smallest.
        #expect(keeper.body.withLock(\.count) > 1_000)
    }

    @Test func recordsMayBePaddedToTheirMost() async throws {
        let chunks = (0..<100).map { _ in "1\r\nx\r\n" }.joined() + "0\r\n\r\n"
        let keeper = Keeper()
        let behavior = server(answer("HTTP/1.1 200 Fine\nTransfer-Encoding: chunked", chunks.utf8)) {
            $0.recordPadding = 16_384
            $0.sessionTickets = 8
        }
        let (end, _) = try await fetch(behavior, to: keeper)
        #expect(end?.failure == nil && end != nil)
        #expect(keeper.body.withLock { $0 } == [UInt8](repeating: 0x78, count: 100))
    }

    @Test(arguments: [(64, nil), (65, HTTPError.tooLong(limit: HTTPHeadReader.limit))]) func interimAnswersHaveAnEnd(
        count: Int, error: HTTPError?
    ) async throws {
        let hints = String(repeating: "HTTP/1.1 103 Hints\n\n", count: count)
        let (end, _) = try await fetch(server(answer(hints + "HTTP/1.1 200 Fine\nContent-Length: 0")), to: Keeper())
        #expect(end?.failure == error && end != nil)
    }

    @Test(arguments: [
        ("", "A: b\n", HTTPError.tooLong(limit: HTTPHeadReader.limit)),
        ("Transfer-Encoding: chunked\n\n1;", "a", .tooMuchOverhead),
        ("Transfer-Encoding: chunked\n\n0\n", "A: b\n", .tooMuchOverhead),
    ]) func headsAndChunksWithoutEndAreGivenUp(start: String, rest: String, error: HTTPError) async throws {
        let text = "HTTP/1.1 200 Fine\n" + start + String(repeating: rest, count: 900_000 / rest.count)
        let bytes = Array(text.replacing("\n", with: "\r\n").utf8)
        let endless = Responder { _ in Responder.Answer(bytes, .silence) }
        let (end, _) = try await fetch(server(.responds(endless)), to: Keeper())
        #expect(end?.failure == error)
    }

    @Test(arguments: versions) func theDocumentComesOverTheConnectionThatWasJudged(version: ServerVersion) async throws
    {
        let document = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 251) }
        let keeper = Keeper()
        let behavior = server(answer("HTTP/1.1 200 Fine\nContent-Length: 300000\nA: b", document)) {
            $0.maximumVersion = version
        }
        let (end, seen) = try await fetch(behavior, to: keeper)
        #expect(end?.failure == nil && end != nil)
        #expect(keeper.body.withLock { $0 } == document)
        let head = try #require(keeper.head.withLock { $0 })
        #expect(head.time > .zero)
        #expect(head.status == 200 && head.statusLine == "HTTP/1.1 200 Fine" && head.value(of: "a") == "b")
        #expect(seen.clientHellos == 1 && seen.receivedCloseNotify)
        #expect(
            String(decoding: seen.applicationOpening, as: UTF8.self) == """
                GET /a?b=c HTTP/1.1\r\nHost: api.example.com\r\nUser-Agent: pincheck\r\nAccept: */*\r\n\
                Connection: close\r\n\r\n
                """)
    }

    @Test func whatTheServerSaysOfItsOwnAccordIsNoAnswer() async throws {
        let keeper = Keeper()
        let exchange = try exchange(to: keeper)
        let head = Array("HTTP/1.1 200 Fine\r\nContent-Length: 0\r\n\r\n".utf8)
        // Without tickets, so that what comes after the handshake is what the server says.
        try await LoopbackServer.serving(server(.greets(head)) { $0.sessionTickets = 0 }) { server in
            let request = try ProbeRequest(server)
            try await withProber { prober in
                let attempt = ProbeAttempt(request, in: prober.workshop, keepsOpen: true)
                let loop = prober.workshop.loop
                let end: End = await withCheckedContinuation { continuation in
                    loop.execute {
                        attempt.start { _ in
                            // Once what it said is there.
                            loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(1)) { task in
                                guard case .held(let tls) = attempt.kept, tls.received > 0 else { return }
                                task.cancel()
                                attempt.carry(exchange) { continuation.resume(returning: $0) }
                            }
                        }
                    }
                }
                #expect(end.failure == .spokeFirst)
            }
            #expect(keeper.head.withLock { $0 } == nil)
            #expect(await server.connections(ended: 1).first?.applicationBytesReceived == 0)
        }
    }

    @Test func whoWantsNoMoreLeaves() async throws {
        let keeper = Keeper(limit: 1)
        let (end, seen) = try await fetch(
            server(answer("HTTP/1.1 200 Fine\nContent-Length: 10", [1, 2, 3], .silence)), to: keeper)
        #expect(end?.failure == .stopped && seen.receivedCloseNotify)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 Fine\nContent-Length: 4", 4, Responder.Answer.Ending.cut, nil),
        ("HTTP/1.1 200 Fine\nContent-Length: 4", 3, .cut, HTTPError.cutOff),
        ("HTTP/1.1 200 Fine\nContent-Length: 4", 3, .goodbye, .cutOff),
        ("HTTP/1.1 200 Fine\nContent-Length: 2", 4, .goodbye, nil), ("HTTP/1.1 200 Fine", 4, .goodbye, nil),
        ("HTTP/1.1 200 Fine", 4, .cut, .cutOff), ("HTTP/1.0 200 Fine", 4, .goodbye, nil),
        ("HTTP/1.1 200 Fine", 0, .cut, .cutOff),
        ("HTTP/1.1 200 Fine\nContent-Length: 4\nContent-Length: 4", 4, .goodbye, .malformed),
        ("HTTP/1.1 200 Fine\nContent-Length: 4, 4", 4, .goodbye, .malformed),
        ("HTTP/1.1 200 Fine\nContent-Length: 4\nTransfer-Encoding: chunked", 4, .goodbye, .malformed),
        ("HTTP/1.1 200 Fine\nContent-Length: 99999999999999999999", 4, .goodbye, .malformed),
        ("HTTP/1.1 200 Fine\nTransfer-Encoding: gzip, chunked", 4, .goodbye, .malformed),
        ("HTTP/1.1 200 Fine\nTransfer-Encoding: gzip\nTransfer-Encoding: chunked", 4, .goodbye, .malformed),
        ("HTTP/1.1 200 Fine\nTransfer-Encoding: identity", 4, .goodbye, .malformed),
        (
            "HTTP/1.1 200 Fine\nContent-Length: 4\nA: " + String(repeating: "b", count: 90_000), 4, .cut,
            .tooLong(limit: HTTPHeadReader.limit)
        ), ("HTTP/2.0 200 Fine\nContent-Length: 0", 0, .goodbye, .notHTTP),
        ("HTTP/1.0 200 Fine\nTransfer-Encoding: chunked", 4, .goodbye, .malformed),
        ("RTSP/1.0 200 Fine\nContent-Length: 4", 4, .goodbye, .notHTTP),
        ("ICE/1.0 200 Fine\nContent-Length: 4", 4, .goodbye, .notHTTP),
        ("HTTP/1.1 103 Hints\nA: b\n\nICE/1.0 200 Fine\nContent-Length: 4", 4, .goodbye, .notHTTP),
        (
            "HTTP/1.1 100 Wait\n\nHTTP/1.1 103 Hints\nA: b\n\nRTSP/1.0 200 Fine\nContent-Length: 4", 4, .goodbye,
            .notHTTP
        ), ("HTTP/1.1 100 Wait\n\nHTTP/1.1 103 Hints\nA: b\n\nHTTP/1.1 200 Fine\nContent-Length: 4", 4, .goodbye, nil),
        ("HTTP/1.1 20 Fine\nContent-Length: 0", 0, .goodbye, .notHTTP),
        ("HTTP/1.1 101 Other\nUpgrade: h2c", 0, .goodbye, .malformed),
        ("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Hints\nLink: x\n\nHTTP/1.1 200 Fine\nContent-Length: 4", 4, .cut, nil),
    ]) func anAnswerEndsWhereItsFramingSaysAndNowhereElse(
        head: String, count: Int, ending: Responder.Answer.Ending, error: HTTPError?
    ) async throws {
        let keeper = Keeper()
        let (end, _) = try await fetch(server(answer(head, [1, 2, 3, 4].prefix(count), ending)), to: keeper)
        #expect(end?.failure == error)
        guard error == nil else { return }
        #expect(keeper.head.withLock { $0?.status } == 200)
        #expect(keeper.body.withLock { $0 } == Array([1, 2, 3, 4].prefix(head.contains("Length: 2") ? 2 : 4)))
    }

    @Test(arguments: [
        ("4\r\nabcd\r\n0\r\n\r\n", nil), ("4;x=\"y\"\r\nabcd\r\n0\r\nA: b\r\nC: d\r\n\r\n", nil),
        ("0004\r\nabcd\r\n0\r\n\r\n", nil), ("5\r\nabcd\r\n0\r\n\r\n", HTTPError.malformed),
        ("4\r\nabcde\r\n0\r\n\r\n", .malformed), ("g\r\nabcd\r\n0\r\n\r\n", .malformed),
        ("-4\r\nabcd\r\n0\r\n\r\n", .malformed), ("ffffffffffffffffff\r\nabcd\r\n0\r\n\r\n", .malformed),
        ("4\r\nabcd\r\n", .cutOff), ("4\r\nabcd\r\n0\r\n", .cutOff), ("4\r\nab", .cutOff),
    ]) func chunksAreTakenAsTheyAreOrNotAtAll(body: String, error: HTTPError?) async throws {
        let keeper = Keeper()
        let head = "HTTP/1.1 200 Fine\nTransfer-Encoding: chunked"
        let (end, _) = try await fetch(server(answer(head, body.utf8)), to: keeper)
        #expect(end?.failure == error)
        if error == nil { #expect(keeper.body.withLock { $0 } == Array("abcd".utf8)) }
    }

    @Test(arguments: ["204 None", "304 Same\nContent-Length: 9"]) func anAnswerWithoutABodyEndsWithItsHead(head: String)
        async throws
    {
        let keeper = Keeper()
        let (end, _) = try await fetch(server(answer("HTTP/1.1 \(head)", "garbage".utf8)), to: keeper)
        #expect(end?.failure == nil && end != nil)
        #expect(keeper.body.withLock { $0.isEmpty } && keeper.head.withLock { $0 } != nil)
    }

    @Test func aCancelledTransferLeavesNothingBehind() async throws {
        let silent = server(answer("HTTP/1.1 200 Fine\nContent-Length: 10", [1, 2, 3], .silence))
        let keeper = Keeper()
        let exchange = try exchange(to: keeper)
        try await LoopbackServer.serving(silent) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(60) }
            try await withProber { prober in
                let task = Task { try await prober.probe(request) { _ in ((), exchange: exchange) }.response }
                while keeper.body.withLock({ $0.count }) < 3 { await Task.yield() }
                task.cancel()
                let end = try await task.value
                #expect(end?.failure == .cancelled)
                #expect(prober.workshop.attempts.isEmpty)
            }
            #expect(await server.connections(ended: 1).first?.receivedCloseNotify == true)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 Fine\r\nContent-Length: 4\r\n\r\nabcd", true, nil),
        ("HTTP/1.1 200 Fine\r\n\r\nabcd", false, nil),
        ("HTTP/1.1 200 Fine\r\nContent-Length: 5\r\n\r\nabcd", false, HTTPError.cutOff),
        ("220 ready\r\n", false, .notHTTP), ("", false, .closedEarly(received: 0)), ("", true, .deadlineExceeded),
    ]) func anAnswerWithoutTLSEndsAsItsFramingSays(answer: String, stalls: Bool, error: HTTPError?) async throws {
        let keeper = Keeper()
        let exchange = try exchange(to: keeper)
        try await LoopbackServer.serving(.script(Array(answer.utf8), stalls: stalls)) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(error == .deadlineExceeded ? 1 : 60) }
            try await withProber { prober in
                #expect(await prober.exchangePlainly(request, exchange).failure == error)
                #expect(prober.workshop.attempts.isEmpty)
            }
            if error == nil { #expect(keeper.body.withLock { $0 } == Array("abcd".utf8)) }
        }
    }

    /// Damaged answers over connections of all kinds: each comes to an end, and what is called whole is.
    @Test(arguments: Seeds.sample(32)) func whateverTheServerDoesItEnds(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let document = (0..<2_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        let isChunked = Bool.random(using: &generator)
        var bytes = Array("HTTP/1.1 200 Fine\r\nA: b\r\n".utf8)
        if isChunked {
            bytes += Array("Transfer-Encoding: chunked\r\n\r\n".utf8)
            var rest = document[...]
            while !rest.isEmpty {
                let chunk = rest.prefix(Int.random(in: 1...700, using: &generator))
                bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8) + chunk + [13, 10]
                rest = rest.dropFirst(chunk.count)
            }
            bytes += Array("0\r\n\r\n".utf8)
        } else {
            bytes += Array("Content-Length: \(document.count)\r\n\r\n".utf8) + document
        }
        let isDamaged = Bool.random(using: &generator)
        if isDamaged {
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.remove(at: place)
                default: bytes.insert([10, 13, 32, 0x31].randomElement(using: &generator) ?? 10, at: place)
                }
            }
        }
        let ending = [Responder.Answer.Ending.goodbye, .cut, .silence].randomElement(using: &generator) ?? .cut
        let isHostile = Bool.random(using: &generator)
        let delivery =
            isHostile
            ? ServerBehavior.Delivery.hostile(at: Int.random(in: 0...5_000, using: &generator), using: &generator)
            : .immediate
        let application = TLSServerSettings.Application.responds(
            Responder { [bytes] _ in Responder.Answer(bytes, ending) })
        let keeper = Keeper()
        let exchange = try exchange(to: keeper, patience: .seconds(1))
        try await LoopbackServer.serving(server(application, delivery: delivery)) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(isHostile ? 2 : 60) }
            try await withProber { prober in
                let end = try? await prober.probe(request) { _ in ((), exchange: exchange) }.response
                #expect(prober.workshop.attempts.isEmpty)
                let what = "\(delivery), \(ending), damaged: \(isDamaged)"
                if case .success = end, !isDamaged { #expect(keeper.body.withLock { $0 } == document, "\(what)") }
                if !isDamaged, !isHostile { #expect(end?.failure == nil && end != nil, "\(what)") }
            }
        }
    }

    @Test func aServerThatDoesNotAnswerIsLeftAtTheDeadlineAndASlowOneLater() async throws {
        let clock = ContinuousClock()
        for start in ["", "HTTP/1.1 200 OK\r\nServer: ", "HTTP/1.1 100 Wait\r\n\r\n"] {
            let began = clock.now
            let (end, _) = try await fetch(server(.goesOn(Array(start.utf8))), to: nil, timeout: .seconds(1))
            #expect(end?.failure == .deadlineExceeded && clock.now - began >= .seconds(1))
        }
        let slow = server(answer("HTTP/1.1 200 Fine\nContent-Length: 10", [1], .silence))
        let (end, _) = try await fetch(slow, to: Keeper(), patience: .seconds(2))
        #expect(end?.failure == .tooSlow(.seconds(2)))
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Le"]) func aServerThatClosesBeforeTheEndOfItsHeadHasNotAnswered(
        start: String
    ) async throws {
        let (end, _) = try await fetch(server(.answers(Array(start.utf8))), to: nil)
        #expect(end?.failure == .closedEarly(received: start.utf8.count))
    }

    // MARK: Nothing before the verdict, and no longer than the deadline

    @Test(arguments: versions) func nothingIsSentToAServerThatIsNotAccepted(version: ServerVersion) async throws {
        try await LoopbackServer.serving(server(.answers(ok)) { $0.maximumVersion = version }) { server in
            let request = try ProbeRequest(server)
            let outcome = try await withProber { prober in
                try await prober.probe(request) { _ in ("rejected", exchange: nil) }
            }
            #expect(outcome.judgement == "rejected" && outcome.response == nil)
            let seen = try #require(await server.connections(ended: 1).first)
            #expect(seen.completedHandshake && seen.applicationBytesReceived == 0)
            #expect(seen.receivedCloseNotify && seen.failure == nil)
        }
    }

    @Test func nothingIsSentWhileTheChainIsJudged() async throws {
        try await LoopbackServer.serving(server(.goesOn([]))) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(60) }
            let exchange = try exchange(to: nil)
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
            let exchange = try exchange(to: nil)
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

    @Test func aServerThatKeepsTheConnectionOpenIsNotWaitedFor() async throws {
        let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n".utf8)
        for rest in [[], [0x78]] as [[UInt8]] {
            let (end, seen) = try await fetch(server(.goesOn(head, repeating: rest)), to: nil)
            #expect(try end?.get().status == 200)
            // A server that never stops sending does not come to the goodbye.
            #expect(seen.receivedCloseNotify || !rest.isEmpty)
        }
    }

    @Test(arguments: [
        (LoopbackLab.TLSVersion.tls12, HTTPError.handshakeNotCompleted), (.tls13, .alert(.certificateRequired)),
    ]) func aServerThatInsistsOnAClientCertificateSaysSo(version: ServerVersion, expected: HTTPError) async throws {
        let behavior = server(.answers(ok)) {
            $0.clientCertificate = .required
            $0.maximumVersion = version
        }
        let (end, seen) = try await fetch(behavior, to: nil)
        #expect(end?.failure == expected && seen.applicationBytesReceived == 0)
    }

    @Test func noServerPresentsAnotherChainAfterTheVerdict() async throws {
        // Renegotiation is refused: the request goes to the one that was judged, or nowhere.
        let behavior = server(.renegotiates) { $0.maximumVersion = .tls12 }
        let (end, seen) = try await fetch(behavior, to: nil, timeout: .seconds(1))
        #expect(end?.failure != nil && seen.completedHandshake && seen.clientHellos == 1)
    }

    @Test func theTimeOfTheJudgeIsPartOfTheDeadline() async throws {
        try await LoopbackServer.serving(server(.answers(ok))) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(1) }
            let exchange = try exchange(to: nil)
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
            let exchange = try exchange(to: nil)
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

    @Test func cancellingTheTaskClosesTheConnectionThatIsKept() async throws {
        try await LoopbackServer.serving(server(.goesOn([]))) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(60) }
            let exchange = try exchange(to: nil)
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

    // MARK: What is asked for

    @Test(arguments: [
        ("api.example.com", 443, "api.example.com"), ("api.example.com", 8443, "api.example.com:8443"),
        ("203.0.113.7", 443, "203.0.113.7"), ("2001:db8::1", 443, "[2001:db8::1]"),
        ("2001:db8::1", 8443, "[2001:db8::1]:8443"),
    ]) func theHostHeaderHasThePortUnlessItIsTheUsualOne(host: String, port: Int, expected: String) throws {
        #expect(try HTTPRequest(HTTPPath("/"), host: ServerName(host), port: port).authority == expected)
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

    func aPathIsSentAsItIs(text: String) throws { #expect(try HTTPPath(text).description == text) }
}
