import Foundation
import LoopbackLab
import Testing

@Suite(.enabled(if: OpenSSLCommand.isAvailable), .timeLimit(.minutes(1)))
struct TLSServerTests {
    @Test func presentsTheChainInTheOrderAskedFor() async throws {
        let world = try StandardPKI.shared()
        let chain = [world.leaf, world.junk, world.interA, world.rootB]
        try await LoopbackServer.serving(.presenting(chain)) { server in
            let seen = try await OpenSSLCommand.run(
                "s_client",
                "-connect",
                "127.0.0.1:\(server.port)",
                "-showcerts",
                "-servername",
                "api.example.com"
            )
            let positions = chain.map { seen.text.range(of: $0.pem)?.lowerBound }
            #expect(!positions.contains(nil))
            #expect(positions.compactMap { $0 } == positions.compactMap { $0 }.sorted())
            let connection = await server.connections(ended: 1)[0]
            #expect(connection.serverName == "api.example.com")
            #expect(connection.applicationBytesReceived == 0)
            #expect(connection.receivedCloseNotify)
        }
    }
}
