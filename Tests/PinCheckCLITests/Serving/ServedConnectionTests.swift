import Pinning
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct ServedConnectionTests {
    private func serving(
        connections: Int = 512, time: Duration = .seconds(600), isEndedByBody: Bool = false,
        respond: @escaping @Sendable (ScrapeServer.Request) async -> ScrapeServer.Answer = {
            .init(status: 200, body: "GET \($0.place)\n")
        }, _ body: (_ server: ScrapeServer, _ port: Int, _ metrics: ServeMetrics) async throws -> Void
    ) async throws {
        let metrics = ServeMetrics(at: Timestamp(secondsSinceEpoch: 0))
        // No machine is so busy that a test would see the time.
        let server = ScrapeServer(connections: connections, requestTime: time, metrics, respond: respond)
        let result: Result<Void, any Error>
        do {
            let port = try await server.listen(address: "127.0.0.1", port: 0)
            result = .success(try await body(server, port, metrics))
        } catch { result = .failure(error) }
        if !isEndedByBody { await server.end(within: .seconds(1)) }
        try result.get()
        #expect(metrics.connections == 0)
    }

    private func request(_ place: String) -> String { "GET \(place) HTTP/1.1\r\nHost: localhost\r\n\r\n" }

    @Test func requestsThatComeAtOnceAreAnsweredInTheirOrder() async throws {
        try await serving { _, port, _ in
            let connection = try ScrapeConnection(port: port)
            let text = (0..<1_000).map { request("/\($0)") }.joined()
            // More than the other side reads at a time; it is sent beside what comes.
            async let sent = connection.send(text)
            for number in 0..<1_000 { #expect(try await connection.answer().body == "GET /\(number)\n") }
            #expect(await sent)
        }
    }

    @Test func aRequestInPiecesIsOne() async throws {
        try await serving { _, port, _ in
            let connection = try ScrapeConnection(port: port)
            for byte in request("/a").utf8 { connection.send([byte]) }
            #expect(try await connection.answer().body == "GET /a\n")
            connection.send("GET /b HTTP/1.0\r\n\r\n")
            #expect(try await connection.answer().fields.contains("Connection: close"))
            #expect(await connection.rest().isEmpty)
        }
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}", "hello\r\n\r\n", "GET / HTTP/1.1\r\nHost x\r\n\r\n", "GET /\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "GET / HTTP/1.1\r\nA: b\u{0}c\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nzz\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        // Behind a good request it takes no answer with it.
        "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\nnonsense\r\n\r\n",
    ]) func whatIsNoRequestIsToldSo(text: String) async throws {
        try await serving { _, port, metrics in
            let connection = try ScrapeConnection(port: port)
            connection.send(text)
            if text.hasPrefix("GET /a") { #expect(try await connection.answer().body == "GET /a\n") }
            let answer = try await connection.answer()
            #expect(answer.status == 400 && answer.fields.contains("Connection: close"), "\(answer)")
            #expect(await connection.rest().isEmpty)
            #expect(metrics.text.contains("requests_total{code=\"400\"} 1"))
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\n", "GET /", "POST / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFF\r\n",
    ]) func aRequestWithoutAnEndIsBounded(start: String) async throws {
        // Heads are bounded by their length, and bodies, of which nothing is kept, by their time.
        try await serving(time: start.hasPrefix("POST") ? .milliseconds(200) : .seconds(600)) { _, port, _ in
            let connection = try ScrapeConnection(port: port)
            connection.send(start)
            // Until the other side has closed the connection.
            while connection.send("X-Header: \(String(repeating: "a", count: 1_000))\r\n") {}
            let rest = await connection.rest()
            #expect(rest.isEmpty || rest.hasPrefix("HTTP/1.1 4"), "\(rest)")
        }
    }

    @Test(arguments: ["", "GET / HTTP/1.1\r\nHost:", "POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"])
    func whoIsSlowIsDropped(text: String) async throws {
        try await serving(time: .milliseconds(50)) { _, port, _ in
            let connection = try ScrapeConnection(port: port)
            connection.send(text)
            #expect(await connection.rest().isEmpty)
        }
    }

    @Test func whoDoesNotTakeItsAnswersIsDropped() async throws {
        let body = String(repeating: "a", count: 32 << 20)
        try await serving(time: .milliseconds(500)) { _ in
            .init(status: 200, body: body)
        } _: { _, port, metrics in
            let connection = try ScrapeConnection(port: port, receiveBuffer: 4_096)
            connection.send(String(repeating: request("/"), count: 100))
            while metrics.connections == 0 { await Task.yield() }
            while metrics.connections > 0 { await Task.yield() }
            // The second was not begun: the first was not taken.
            #expect(metrics.text.contains("requests_total{code=\"200\"} 1"))
            withExtendedLifetime(connection) {}
        }
    }

    @Test func whoGoesAwayIsAnsweredNoMore() async throws {
        for goAway in [{ $0.reset() }, { $0.endSending() }] as [(ScrapeConnection) -> Void] {
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (gone, go) = AsyncStream.makeStream(of: Void.self)
            try await serving { _ in
                begin.finish()
                await withTaskCancellationHandler {
                    for await _ in gone {}
                } onCancel: {
                    go.finish()
                }
                return .init(status: 200, body: "")
            } _: { _, port, metrics in
                let connection = try ScrapeConnection(port: port)
                connection.send(request("/"))
                for await _ in begun {}
                goAway(connection)
                for await _ in gone {}
                while metrics.connections > 0 { await Task.yield() }
            }
        }
    }

    @Test func slowClientsKeepNobodyOutUntilAllConnectionsAreInUse() async throws {
        try await serving(connections: 200) { _, port, metrics in
            var slow = try (0..<199).map { _ in try ScrapeConnection(port: port) }
            for connection in slow { connection.send("GET / HT") }
            while metrics.connections < 199 { await Task.yield() }
            let last = try ScrapeConnection(port: port)
            last.send(request("/a"))
            #expect(try await last.answer().body == "GET /a\n")
            // More find a closed door.
            for _ in 0..<3 { #expect(await (try ScrapeConnection(port: port)).rest().isEmpty) }
            withExtendedLifetime(last) {}
            slow = []
            while metrics.connections > 1 { await Task.yield() }
            let next = try ScrapeConnection(port: port)
            next.send(request("/b"))
            #expect(try await next.answer().body == "GET /b\n")
        }
    }

    @Test func theEndWaitsForAnswersAndForNothingElse() async throws {
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (stream, release) = AsyncStream.makeStream(of: Void.self)
        try await serving(isEndedByBody: true) { request in
            if request.place == "/slow" {
                begin.finish()
                for await _ in stream {}
            }
            return .init(status: 200, body: "done\n")
        } _: { server, port, _ in
            let idle = try ScrapeConnection(port: port)
            idle.send(request("/a"))
            _ = try await idle.answer()
            let slow = try ScrapeConnection(port: port)
            slow.send(request("/slow"))
            for await _ in begun {}
            async let end: Void = server.end(within: .seconds(600))
            #expect(await idle.rest().isEmpty)
            #expect((try? ScrapeConnection(port: port)) == nil)
            release.finish()
            let answer = try await slow.answer()
            #expect(answer.body == "done\n" && answer.fields.contains { $0.lowercased() == "connection: close" })
            #expect(await slow.rest().isEmpty)
            await end
        }
    }

    @Test func whatIsNeverAnsweredEndsWithTheServer() async throws {
        let (stream, release) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        try await serving(isEndedByBody: true) { _ in
            begin.finish()
            for await _ in stream {}
            return .init(status: 200, body: "\(Task.isCancelled)")
        } _: { server, port, _ in
            let connection = try ScrapeConnection(port: port)
            connection.send(request("/slow"))
            for await _ in begun {}
            await server.end(within: .milliseconds(50))
            #expect(await connection.rest().isEmpty)
        }
        release.finish()
    }
}

extension ServeMetrics {
    fileprivate var connections: Int {
        let line = text.split(separator: "\n").first { $0.hasPrefix("pincheck_exporter_connections ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}
