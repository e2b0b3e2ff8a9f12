import Base
import Testing

@testable import LoopbackLab

/// Servers come and go without a trace. What each does is seen by TLSProbeTests.
@Suite(.timeLimit(.minutes(5))) struct ServerLifetimeTests {
    private struct Interruption: Error {}

    /// Connects to a port of this machine and says something; the server has the connection when this ends, or will have it.
    private static func knock(at port: UInt16) throws {
        let descriptor = try Sockets.make("127.0.0.1", port, "connect to") { connect($0, $1, $2) }
        defer { close(descriptor) }
        _ = Descriptor.wait(for: POLLOUT, on: descriptor, milliseconds: 1_000)
        _ = Sockets.transmit([22, 3, 1], to: descriptor)
    }

    @Test func aServerStopsWhenItsBodyThrowsAndWaitingEndsWithTheTask() async throws {
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
        try await LoopbackServer.serving(.tarpit, address: address, port: port) { server in
            #expect(server.port == port)
            let waiting = Task { await server.connections(ended: 1) }
            waiting.cancel()
            #expect(await waiting.value.isEmpty)
        }
        await #expect(throws: LabError.unsupported("the address \"localhost\"; use 127.0.0.0/8 or ::1")) {
            try await LoopbackServer.serving(.tarpit, address: "localhost") { _ in }
        }
    }

    #if os(Linux)
    @Test func nothingIsLeftOfAServer() async {
        // In a process of its own, where no other test opens or closes descriptors.
        await #expect(processExitsWith: .success) {
            let chain = [pki.leaf, pki.interA]
            let deliveries: [ServerBehavior.Delivery] = [
                .immediate, .stalls(afterBytes: 100), .closes(afterBytes: 100), .resets(afterBytes: 100),
                .drips(bytes: 1, everyMilliseconds: 1_000),
            ]
            let behaviors =
                deliveries.map { ServerBehavior.presenting(chain, delivery: $0) } + [
                    .tls(TLSServerSettings(presenting: chain).with { $0.application = .floods }), .closes, .resets,
                    .tarpit, .plainHTTP, .smtp, .ssh, .garbage(), .alert(80), .oversizedRecord,
                ]
            func count() throws -> Int { try DirectoryListing.names(in: "/proc/self/fd") { _ in true }.count }
            func round() async throws {
                for behavior in behaviors { try await LoopbackServer.serving(behavior) { try Self.knock(at: $0.port) } }
                try await DeadPort.refusing { _ in }
                try await DeadPort.unresponsive { _ in }
                _ = try TemporaryDirectory().write("text", to: "file")
            }
            try await round()
            let descriptors = try count()
            for _ in 0..<5 { try await round() }
            #expect(try count() == descriptors)
        }
    }
    #endif
}
