import PinCheckCLI
import Synchronization
import Testing

/// The connections of an exporter, and what hostile clients do to them.
@Suite(.endsSomeTime) struct ServedConnectionTests {
    /// A server that says what it was asked for, while `body` runs.
    private func serving(
        _ change: (inout ServerLimits) -> Void = { _ in },
        respond: @escaping @Sendable (ServedRequest) async -> ServedAnswer = {
            ServedAnswer(status: 200, body: "\($0.method) \($0.place)\n")
        }, _ body: (_ server: HTTPServer, _ port: Int, _ events: Events) async throws -> Void
    ) async throws {
        var limits = ServerLimits()
        // No machine is so busy that a test would see one of these.
        limits.requestTime = .seconds(600)
        limits.idleTime = .seconds(600)
        limits.answerTime = .seconds(600)
        limits.farewellTime = .seconds(600)
        change(&limits)
        let events = Events()
        let server = HTTPServer(limits, tell: { events.add($0) }, respond: respond)
        let result: Result<Void, any Error>
        do {
            let port = try await server.listen(address: "127.0.0.1", port: 0)
            result = .success(try await body(server, port, events))
        } catch { result = .failure(error) }
        await server.end(within: .seconds(1))
        try result.get()
    }

    private final class Events: Sendable {
        private let events = Mutex<[ServerEvent]>([])
        func add(_ event: ServerEvent) { events.withLock { $0.append(event) } }
        func count(_ event: ServerEvent) -> Int { events.withLock { $0.count { $0 == event } } }
        /// Waits until so many connections are gone.
        func closed(_ wanted: Int) async { while count(.closed) < wanted { await Task.yield() } }
    }

    @Test func requestsThatComeAtOnceAreAnsweredInTheirOrder() async throws {
        try await serving { _, port, _ in
            let connection = try ScrapeConnection(port: port)
            let text = (0..<1_000).map { "GET /\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined()
            // More than the other side reads at a time; it is sent beside what comes.
            async let sent = connection.send(text)
            for number in 0..<1_000 { #expect(try await connection.answer().body == "GET /\(number)\n") }
            #expect(await sent)
        }
    }

    @Test func aRequestInPiecesIsOne() async throws {
        try await serving { _, port, _ in
            let connection = try ScrapeConnection(port: port)
            for byte in "GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8 { connection.send([byte]) }
            #expect(try await connection.answer().body == "GET /a\n")
            connection.send("GET /b HTTP/1.0\r\n\r\n")
            #expect(try await connection.answer().fields.contains("Connection: close"))
            #expect(await connection.rest().isEmpty)
        }
    }

    @Test func whoSendsAndClosesItsSideIsAnswered() async throws {
        try await serving { _, port, events in
            let connection = try ScrapeConnection(port: port)
            connection.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
            connection.endSending()
            #expect(try await connection.answer().body == "GET /a\n")
            #expect(try await connection.answer().body == "GET /b\n")
            #expect(await connection.rest().isEmpty)
            await events.closed(1)
        }
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "hello\r\n\r\n", "GET / HTTP/1.1\r\nHost x\r\n\r\n", "GET /\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\nA: b\u{0}c\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzz\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ]) func whatIsNoRequestIsToldSo(text: String) async throws {
        try await serving { _, port, events in
            let connection = try ScrapeConnection(port: port)
            connection.send(text)
            let answer = try await connection.answer()
            #expect((400..<600).contains(answer.status) && answer.fields.contains("Connection: close"), "\(answer)")
            #expect(await connection.rest().isEmpty)
            #expect(events.count(.refused(answer.status)) == 1)
        }
    }

    @Test func whatFollowsAGoodRequestTakesNoAnswerWithIt() async throws {
        try await serving { _, port, _ in
            let connection = try ScrapeConnection(port: port)
            connection.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\nnonsense\r\n\r\n")
            #expect(try await connection.answer().body == "GET /a\n")
            // Whether it is told depends on when it came.
            _ = await connection.rest()
        }
    }

    @Test(arguments: ["GET / HTTP/1.1\r\n", "", "GET /", "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"])
    func aRequestWithoutAnEndIsBounded(start: String) async throws {
        try await serving { _, port, events in
            let connection = try ScrapeConnection(port: port)
            connection.send(start)
            let line = Array("X-Header: \(String(repeating: "a", count: 1_000))\r\n".utf8)
            // What it still sends is thrown away, so that it learns why.
            for _ in 0..<100 { connection.send(line) }
            let answer = try await connection.answer()
            #expect([400, 413, 414, 431].contains(answer.status), "\(answer)")
            connection.endSending()
            #expect(await connection.rest().isEmpty)
            await events.closed(1)
        }
    }

    @Test func whoIsSlowIsDropped() async throws {
        try await serving { limits in
            limits.requestTime = .milliseconds(50)
            limits.farewellTime = .milliseconds(50)
        } _: { _, port, events in
            let half = try ScrapeConnection(port: port)
            half.send("GET / HTTP/1.1\r\nHost:")
            let answer = try await half.answer()
            #expect(answer.status == 408)
            // It does not close its side, and is not waited for.
            #expect(await half.rest().isEmpty)
            let silent = try ScrapeConnection(port: port)
            #expect(await silent.rest().isEmpty)
            await events.closed(2)
            #expect(events.count(.refused(408)) == 1)
        }
    }

    @Test func whoDoesNotTakeItsAnswerIsDropped() async throws {
        let body = String(repeating: "a", count: 32 << 20)
        try await serving {
            $0.answerTime = .milliseconds(100)
        } respond: { _ in
            ServedAnswer(status: 200, body: body)
        } _: { _, port, events in
            let connection = try ScrapeConnection(port: port, receiveBuffer: 4_096)
            connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await events.closed(1)
            #expect(events.count(.dropped(.slow)) == 1)
        }
    }

    @Test func manyThatDoNothingKeepNobodyOut() async throws {
        try await serving {
            $0.connections = 16
        } _: { _, port, events in
            var idle: [ScrapeConnection] = []
            for index in 0..<400 {
                idle.append(try ScrapeConnection(port: port))
                if index % 3 == 0 { idle[index].send("GET / HT") }
                if index % 50 == 0 {
                    let connection = try ScrapeConnection(port: port)
                    connection.send("GET /\(index) HTTP/1.1\r\nHost: x\r\n\r\n")
                    #expect(try await connection.answer().body == "GET /\(index)\n")
                }
            }
            await events.closed(400 + 8 - (16 + 8))
            #expect(events.count(.dropped(.full)) >= 300)
        }
    }

    @Test func whereAllAreBusyAnotherIsToldSo() async throws {
        let (stream, release) = AsyncStream.makeStream(of: Void.self)
        try await serving {
            $0.connections = 2
            $0.reserve = 0
        } respond: { _ in
            for await _ in stream {}
            return ServedAnswer(status: 200, body: "done\n")
        } _: { _, port, events in
            let busy = try (0..<2).map { _ in try ScrapeConnection(port: port) }
            for connection in busy { connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n") }
            // The third is told once the two are being answered; before that it takes the place of one that has sent nothing yet.
            while events.count(.opened) < 2 { await Task.yield() }
            var status = 0
            for _ in 0..<1_000 where status == 0 {
                let third = try ScrapeConnection(port: port)
                status = (try? await third.answer().status) ?? 0
            }
            #expect(status == 503)
            release.finish()
        }
    }

    @Test func theEndWaitsForAnswersAndForNothingElse() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (stream, release) = AsyncStream.makeStream(of: Void.self)
        try await serving { _ in
        } respond: { request in
            if request.place == "/slow" {
                begin.finish()
                for await _ in stream {}
            }
            return ServedAnswer(status: 200, body: "done\n")
        } _: { server, port, events in
            let idle = try ScrapeConnection(port: port)
            idle.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await idle.answer()
            let slow = try ScrapeConnection(port: port)
            slow.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            for await _ in begun {}
            async let end: Void = server.end(within: .seconds(600))
            #expect(await idle.rest().isEmpty)
            #expect((try? ScrapeConnection(port: port)) == nil)
            release.finish()
            let answer = try await slow.answer()
            #expect(answer.body == "done\n" && answer.fields.contains("Connection: close"))
            slow.endSending()
            await end
        }
    }

    @Test func whatIsNeverAnsweredEndsWithTheServer() async throws {
        let (stream, release) = AsyncStream.makeStream(of: Void.self)
        _ = release
        try await serving { _ in
        } respond: { _ in
            for await _ in stream {}
            return ServedAnswer(status: 200, body: "\(Task.isCancelled)")
        } _: { server, port, events in
            let connection = try ScrapeConnection(port: port)
            connection.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
            while events.count(.opened) < 1 { await Task.yield() }
            await server.end(within: .milliseconds(50))
            #expect(await connection.rest().isEmpty)
        }
    }

    @Test func someIsAnsweredWhereAllOthersWait() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (stream, release) = AsyncStream.makeStream(of: Void.self)
        try await serving {
            $0.connections = 2
            $0.reserve = 2
        } respond: { request in
            if request.place == "/slow" {
                begin.yield()
                for await _ in stream {}
            }
            return ServedAnswer(status: 200, body: "\(request.isInReserve)\n")
        } _: { _, port, _ in
            var beginnings = begun.makeAsyncIterator()
            var busy: [ScrapeConnection] = []
            for _ in 0..<2 {
                let connection = try ScrapeConnection(port: port)
                connection.send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
                await beginnings.next()
                busy.append(connection)
            }
            // Nor do those keep it out that do nothing.
            let idle = try (0..<20).map { _ in try ScrapeConnection(port: port) }
            for _ in 0..<20 {
                let connection = try ScrapeConnection(port: port)
                connection.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try await connection.answer()
                #expect(answer.body == "true\n" && answer.fields.contains("Connection: close"), "\(answer)")
            }
            release.finish()
            for connection in busy { #expect(try await connection.answer().body == "false\n") }
            withExtendedLifetime(idle) {}
        }
    }
}
