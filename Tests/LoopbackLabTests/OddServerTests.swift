import Dispatch
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

    private static func serves(_ delivery: ServerBehavior.Delivery) -> ServerBehavior {
        .presenting([try! StandardPKI.shared().leaf], delivery: delivery)
    }

    /// A server, how many bytes it sends to a client of TLS, how they begin, and how the connection ends.
    private static let rows: [(behavior: ServerBehavior, count: ClosedRange<Int>, begins: [UInt8], RawClient.Ending)] =
        [
            (.closes, 0...0, [], .closed), (.tarpit, 0...0, [], .silence),
            (.alert(40), 7...7, [21, 3, 3, 0, 2, 2, 40], .closed),
            (.plainHTTP, 1...(.max), Array("HTTP/1.1 400 Bad Request\r\n".utf8), .closed),
            (.oversizedRecord, 65_540...65_540, [22, 3, 3, 0xff, 0xff], .closed),
            (serves(.resets(afterBytes: 60)), 0...60, [], .reset),
        ] + [1, 5, 50, 300].map { (serves(.stalls(afterBytes: $0)), $0...$0, [22], .silence) }
        + [1, 60, 300].map { (serves(.closes(afterBytes: $0)), $0...$0, [22], .closed) } + [
            (serves(.closes(afterBytes: 0)), 0...0, [], .closed)
        ]

    @Test(arguments: rows.indices) func aServerDoesWhatIsAskedOfIt(index: Int) async throws {
        let (behavior, count, begins, expected) = Self.rows[index]
        try await LoopbackServer.serving(behavior) { server in
            let (received, ending) = await RawClient.exchange(
                port: server.port, sending: Self.clientHello, expecting: expected == .silence ? count.lowerBound : .max)
            #expect(count.contains(received.count) && received.starts(with: begins))
            #expect(ending == expected)
            guard count == 0...0, expected == .silence else { return }
            #expect(await server.connections(ended: 1).first?.bytesReceived == Self.clientHello.count)
        }
    }

    @Test func aServerThatClosesOrResetsDoesSoBeforeAnythingIsSaid() async throws {
        for (behavior, expected) in [(ServerBehavior.closes, RawClient.Ending.closed), (.resets, .reset)] {
            try await LoopbackServer.serving(behavior) { server in
                let (received, ending) = await RawClient.exchange(port: server.port)
                #expect(received.isEmpty && ending == expected)
                #expect(await server.connections(ended: 1).count == 1)
            }
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

    @Test(arguments: [(ServerBehavior.smtp, "220 "), (.ssh, "SSH-2.0-")]) func aServerThatSpeaksFirstDoesNotWait(
        behavior: ServerBehavior, greeting: String
    ) async throws {
        try await LoopbackServer.serving(behavior) { server in
            let (received, _) = await RawClient.exchange(port: server.port, limit: greeting.utf8.count)
            #expect(received == Array(greeting.utf8))
        }
    }

    @Test func garbageIsThatOfItsSeed() async throws {
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

/// The value of `errno` when nothing listens on a port.
let connectionRefused = ECONNREFUSED

/// A TCP client of a few system calls, for servers that do not speak TLS, or not to the end.
enum RawClient {
    /// How a connection came to its end.
    enum Ending: Sendable, Hashable {
        /// The server closed its side in order.
        case closed
        /// The server reset the connection.
        case reset
        /// Nothing came for as long as the client was ready to wait.
        case silence
        /// As many bytes came as the client wanted.
        case enough
        /// There was no connection at all; the value of `errno`, 0 when connecting came to no end in time.
        case notConnected(Int32)
    }

    /// Connects, sends `bytes`, and reads until the connection is over, `limit` bytes came, or nothing came for `patience`.
    ///
    /// Silence is expected after `expecting` bytes and listened to for 50 ms only. What comes before has the whole patience, since
    /// the server may have to wait for a processor.
    static func exchange(
        _ address: String = "127.0.0.1", port: UInt16, sending bytes: [UInt8] = [], limit: Int = .max,
        expecting: Int = .max, patience milliseconds: Int32 = 30_000
    ) async -> (received: [UInt8], ending: Ending) {
        // On a thread of its own, because it blocks.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: converse(address, port, bytes, limit, expecting, milliseconds))
            }
        }
    }

    private static func converse(
        _ address: String, _ port: UInt16, _ bytes: [UInt8], _ limit: Int, _ expected: Int, _ patience: Int32
    ) -> (received: [UInt8], ending: Ending) {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        inet_pton(AF_INET, address, &name.sin_addr)
        let status = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status != 0 {
            guard errno == EINPROGRESS else { return ([], .notConnected(errno)) }
            guard isReady(descriptor, POLLOUT, patience) else { return ([], .notConnected(0)) }
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length)
            if code == ECONNRESET { return ([], .reset) }
            guard code == 0 else { return ([], .notConnected(code)) }
        }
        if !bytes.isEmpty, send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) < 0 { return ([], .reset) }
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while received.count < limit {
            guard isReady(descriptor, POLLIN, received.count < expected ? patience : min(50, patience)) else {
                return (received, .silence)
            }
            let count = recv(descriptor, &buffer, min(buffer.count, limit - received.count), 0)
            if count == 0 { return (received, .closed) }
            if count < 0 { return (received, .reset) }
            received += buffer.prefix(count)
        }
        return (received, .enough)
    }

    private static func isReady(_ descriptor: Int32, _ event: some BinaryInteger, _ patience: Int32) -> Bool {
        var interest = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&interest, 1, patience) == 1
    }
}
