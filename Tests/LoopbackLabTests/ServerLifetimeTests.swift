import LoopbackLab
import Testing

/// One of each kind of server.
private func everyBehavior() throws -> [ServerBehavior] {
    let world = try StandardPKI.shared()
    let chain = [world.leaf, world.interA]
    return [
        .presenting(chain), .tls(TLSServerSettings(presenting: chain).with { $0.application = .floods }),
        .presenting(chain, delivery: .stalls(afterBytes: 100)), .presenting(chain, delivery: .closes(afterBytes: 100)),
        .presenting(chain, delivery: .resets(afterBytes: 100)),
        .presenting(chain, delivery: .drips(bytes: 1, everyMilliseconds: 1_000)), .closes, .resets, .tarpit, .plainHTTP,
        .smtp, .ssh, .garbage(), .alert(80), .oversizedRecord,
    ]
}

@Suite(.timeLimit(.minutes(5))) struct ServerLifetimeTests {
    private struct Interruption: Error {}

    @Test func everyServerStartsAndStopsTwentyTimes() async throws {
        for behavior in try everyBehavior() {
            for _ in 0..<20 {
                try await LoopbackServer.serving(behavior) { server in
                    // The connection is still open on the server's side when some of these scopes end.
                    _ = await RawClient.exchange(
                        port: server.port, sending: OddServerTests.clientHello, limit: 1, patience: 1)
                }
            }
        }
    }

    @Test func aServerStopsWhenItsBodyThrows() async throws {
        // An address of this test's own: on another one a free port may be taken by whatever runs beside it.
        let address = "127.10.20.31"
        var port: UInt16 = 0
        await #expect(throws: Interruption.self) {
            try await LoopbackServer.serving(.tarpit, address: address) { server in
                port = server.port
                throw Interruption()
            }
        }
        // The port can be bound again: nothing holds it.
        try await LoopbackServer.serving(.tarpit, address: address, port: port) { server in #expect(server.port == port)
        }
    }

    @Test func waitingForConnectionsEndsWithTheTask() async throws {
        try await LoopbackServer.serving(.tarpit) { server in
            let waiting = Task { await server.connections(ended: 1) }
            waiting.cancel()
            #expect(await waiting.value.isEmpty)
        }
    }

    #if os(Linux)
    /// Entries of a directory below /proc/self.
    private static func count(_ directory: String) -> Int {
        guard let stream = opendir("/proc/self/" + directory) else { return -1 }
        defer { closedir(stream) }
        var count = 0
        while readdir(stream) != nil { count += 1 }
        return count
    }

    @Test func nothingIsLeftOfAServer() async {
        // In a process of its own, where no other test opens or closes descriptors.
        await #expect(processExitsWith: .success) {
            let behaviors = try everyBehavior()
            func round() async throws {
                for behavior in behaviors {
                    try await LoopbackServer.serving(behavior) { server in
                        let hello = OddServerTests.clientHello
                        _ = await RawClient.exchange(port: server.port, sending: hello, limit: 1, patience: 1)
                    }
                }
                try await RefusingPort.scoped { _ in }
                try await UnresponsivePort.scoped { _ in }
                _ = try TemporaryDirectory().write("text", to: "file")
            }
            try await round()
            let descriptors = Self.count("fd")
            for _ in 0..<5 { try await round() }
            #expect(Self.count("fd") == descriptors)
        }
    }
    #endif
}
