import Foundation
import LoopbackLab
import Testing

/// Servers come and go without a trace. What each does is seen by TLSProbeTests.
@Suite(.timeLimit(.minutes(5))) struct ServerLifetimeTests {
    private struct Interruption: Error {}

    private static func everyBehavior() throws -> [ServerBehavior] {
        let world = try StandardPKI.shared()
        let chain = [world.leaf, world.interA]
        return [
            .presenting(chain), .tls(TLSServerSettings(presenting: chain).with { $0.application = .floods }),
            .presenting(chain, delivery: .stalls(afterBytes: 100)),
            .presenting(chain, delivery: .closes(afterBytes: 100)),
            .presenting(chain, delivery: .resets(afterBytes: 100)),
            .presenting(chain, delivery: .drips(bytes: 1, everyMilliseconds: 1_000)), .closes, .resets, .tarpit,
            .plainHTTP, .smtp, .ssh, .garbage(), .alert(80), .oversizedRecord,
        ]
    }

    /// Connects to a port of this machine and says something; the server has the connection when this ends, or will have it.
    private static func knock(at port: UInt16) {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = inet_addr("127.0.0.1")
        _ = withUnsafePointer(to: name) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        _ = send(descriptor, [22, 3, 1], 3, Int32(MSG_NOSIGNAL))
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
            let behaviors = try Self.everyBehavior()
            func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
            func round() async throws {
                for behavior in behaviors { try await LoopbackServer.serving(behavior) { Self.knock(at: $0.port) } }
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
