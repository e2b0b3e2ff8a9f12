import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
    @Test func twoHundredProbesRunOnOneEventLoop() async throws {
        try await LoopbackServer.serving(.presenting([world.leaf, world.interA])) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(60) }
            try await withProber { prober in
                let chains = try await withThrowingTaskGroup { group in
                    for _ in 0..<200 { group.addTask { try await prober.probe(request).presented } }
                    return try await group.reduce(into: [PresentedChain]()) { $0.append($1) }
                }
                #expect(chains.count == 200)
                #expect(Set(chains).count == 1)
                #expect(chains.first?.certificates.map(\.der) == [world.leaf.der, world.interA.der])
            }
        }
    }

    @Test func manyUnresolvableNamesAreLeftAtTheDeadlineOrBefore() async throws {
        try await withProber { prober in
            let results = await withTaskGroup { group in
                for index in 0..<100 {
                    group.addTask {
                        await outcome(
                            of: ProbeRequest(to: .resolve(host: "h\(index).invalid"), timeout: .milliseconds(200)),
                            by: prober)
                    }
                }
                return await group.reduce(into: [Result<Handshake, ProbeError>]()) { $0.append($1) }
            }
            #expect(results.count == 100)
            #expect(results.allSatisfy { $0.failure?.phase == .resolve })
        }
    }
}
