import LoopbackLab
import Testing

@Suite(.timeLimit(.minutes(5))) struct OddServerTests {
    /// What a client of TLS 1.2 says first: one cipher suite, one curve, one signature algorithm.
    static let clientHello: [UInt8] = {
        let extensions: [UInt8] = [0, 10, 0, 4, 0, 2, 0, 23, 0, 13, 0, 4, 0, 2, 4, 3]
        let body: [UInt8] =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xc0, 0x2b, 1, 0, 0, UInt8(extensions.count)]
            + extensions
        return [22, 3, 1, 0, UInt8(body.count + 4), 1, 0, 0, UInt8(body.count)] + body
    }()

    @Test func aServerThatClosesSendsNothingAndNoReset() async throws {
        try await LoopbackServer.serving(.closes) { server in
            for hello in [[], Self.clientHello] {
                let (received, ending) = await RawClient.exchange(port: server.port, sending: hello)
                #expect(received.isEmpty)
                #expect(ending == .closed)
            }
        }
    }

    @Test func aServerThatResetsDoesSo() async throws {
        try await LoopbackServer.serving(.resets) { server in
            #expect(await RawClient.exchange(port: server.port).ending == .reset)
            #expect(await server.connections(ended: 1).count == 1)
        }
    }

    @Test func aTarpitReadsAndStaysSilent() async throws {
        try await LoopbackServer.serving(.tarpit) { server in
            let (received, ending) = await RawClient.exchange(
                port: server.port, sending: Self.clientHello, expecting: 0)
            #expect(received.isEmpty)
            #expect(ending == .silence)
            #expect(await server.connections(ended: 1).first?.bytesReceived == Self.clientHello.count)
        }
    }

    @Test(arguments: [1, 5, 50, 300]) func aHandshakeStallsAfterTheBytesAskedFor(count: Int) async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf], delivery: .stalls(afterBytes: count))) { server in
            let (received, ending) = await RawClient.exchange(
                port: server.port, sending: Self.clientHello, expecting: count)
            #expect(received.count == count)
            #expect(received.first == 22)
            #expect(ending == .silence)
        }
    }

    @Test(arguments: [0, 1, 60, 300]) func aHandshakeBreaksOffAfterTheBytesAskedFor(count: Int) async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf], delivery: .closes(afterBytes: count))) { server in
            let (received, ending) = await RawClient.exchange(port: server.port, sending: Self.clientHello)
            #expect(received.count == count)
            #expect(ending == .closed)
        }
    }

    @Test func aResetMayComeInTheMiddle() async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf], delivery: .resets(afterBytes: 60))) { server in
            let (received, ending) = await RawClient.exchange(port: server.port, sending: Self.clientHello)
            #expect(received.count <= 60)
            #expect(ending == .reset)
        }
    }

    @Test func dripsComeToTheSameAsAStream() async throws {
        let world = try StandardPKI.shared()
        var certificates: [[UInt8]] = []
        for delivery in [ServerBehavior.Delivery.immediate, .drips(bytes: 1, everyMilliseconds: 1)] {
            try await LoopbackServer.serving(.presenting([world.leaf], delivery: delivery)) { server in
                let size = world.leaf.der.count
                let (received, _) = await RawClient.exchange(
                    port: server.port, sending: Self.clientHello, limit: size + 120)
                let start = received.indices.first { received[$0...].starts(with: world.leaf.der) } ?? 0
                certificates.append(Array(received[start...].prefix(size)))
            }
        }
        #expect(certificates == [world.leaf.der, world.leaf.der])
    }

    @Test func aWebServerWithoutTLSAnswersInPlainText() async throws {
        try await LoopbackServer.serving(.plainHTTP) { server in
            let (received, ending) = await RawClient.exchange(port: server.port, sending: Self.clientHello)
            #expect(String(decoding: received, as: UTF8.self).hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
            #expect(ending == .closed)
        }
    }

    @Test(arguments: [(ServerBehavior.smtp, "220 "), (.ssh, "SSH-2.0-")]) func aServerThatSpeaksFirstDoesNotWait(
        behavior: ServerBehavior, greeting: String
    ) async throws {
        try await LoopbackServer.serving(behavior) { server in
            let (received, _) = await RawClient.exchange(port: server.port, limit: greeting.utf8.count)
            #expect(received == Array(greeting.utf8))
        }
    }

    @Test func fixedBytesArriveAsTheyAre() async throws {
        let alert = ServerBehavior.alert(40)
        try await LoopbackServer.serving(alert) { server in
            let (received, ending) = await RawClient.exchange(port: server.port, sending: Self.clientHello)
            #expect(received == [21, 3, 3, 0, 2, 2, 40])
            #expect(ending == .closed)
        }
        try await LoopbackServer.serving(.oversizedRecord) { server in
            let (received, ending) = await RawClient.exchange(port: server.port, sending: Self.clientHello)
            #expect(received.count == 65_540)
            #expect(received.prefix(5) == [22, 3, 3, 0xff, 0xff])
            #expect(ending == .closed)
        }
        var runs: [[UInt8]] = []
        for seed in [1, 1, 2] as [UInt64] {
            try await LoopbackServer.serving(.garbage(count: 500, seed: seed)) { server in
                runs.append(await RawClient.exchange(port: server.port, sending: Self.clientHello).received)
            }
        }
        #expect(runs[0].count == 500)
        #expect(runs[0] == runs[1])
        #expect(runs[0] != runs[2])
        #expect(runs.allSatisfy { $0.first.map { $0 >= 0x80 } == true })
    }

    @Test func garbageFromTheClientEndsTheHandshakeOnly() async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf])) { server in
            let (_, ending) = await RawClient.exchange(port: server.port, sending: Array("GET / HTTP/1.1\r\n\r\n".utf8))
            #expect(ending == .closed)
            let connection = try #require(await server.connections(ended: 1).first)
            #expect(connection.failure?.contains("http request") == true)
            #expect(await RawClient.exchange(port: server.port, sending: Self.clientHello, limit: 1).received == [22])
        }
    }

    @Test func aRefusingPortRefuses() async throws {
        try await RefusingPort.scoped { refusing in
            for _ in 0..<3 {
                #expect(await RawClient.exchange(port: refusing.port).ending == .notConnected(connectionRefused))
            }
        }
    }

    #if os(Linux)
    @Test func anUnresponsivePortNeitherTakesNorRefuses() async throws {
        try await UnresponsivePort.scoped { port in
            #expect(await RawClient.exchange(port: port.port, patience: 100).ending == .notConnected(0))
        }
    }
    #endif

    @Test func anAddressThatIsNoneIsNamedInTheError() async throws {
        await #expect(throws: LabError.unsupported("the address \"localhost\"; use 127.0.0.0/8 or ::1")) {
            try await LoopbackServer.serving(.tarpit, address: "localhost") { _ in }
        }
    }
}
