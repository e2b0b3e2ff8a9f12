import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

/// A network of a test's own, as the commands of the articles are run in.
@Suite(.timeLimit(.minutes(5))) struct StagedNetworkTests {
    private let address = IPAddress("203.0.113.7")!
    private let loopback = IPAddress("127.0.0.1")!

    /// Runs `body` in a network where `api.example.com` has one address with a server, and one without.
    private func staged(_ body: (Prober) async throws -> Void) async throws {
        try await LoopbackServer.serving(.presenting([world.leaf, world.interA])) { server in
            let network = StagedNetwork(
                names: ["api.example.com": [address], "old.example.com": [IPAddress("203.0.113.9")!]],
                ports: [PeerAddress(ip: address, port: 443): server.port], loopback: loopback)
            let prober = Prober(in: network)
            try await body(prober)
            await prober.shutdown()
        }
    }

    @Test(arguments: [ProbeRequest.Destination.resolve(host: "api.example.com"), .address(IPAddress("203.0.113.7")!)])
    func aServerIsReportedWhereItSeemsToBe(destination: ProbeRequest.Destination) async throws {
        try await staged { prober in
            let result = try await prober.probe(ProbeRequest(to: destination))
            #expect(result.peer?.description == "203.0.113.7:443")
        }
    }

    @Test func aNameHasTheAddressesThatItIsGiven() async throws {
        try await staged { prober in
            let found = try await prober.addresses(of: "api.example.com", timeout: .seconds(60))
            #expect(found == HostAddresses([address]))
        }
    }

    @Test func nothingElseIsEverContacted() async throws {
        try await staged { prober in
            for (request, phase) in [
                (ProbeRequest(to: .resolve(host: "localhost")), ProbeError.Phase.resolve),
                (ProbeRequest(to: .resolve(host: "old.example.com")), .connect),
                (ProbeRequest(to: .address(address), port: 80), .connect),
                (ProbeRequest(to: .address(loopback)), .connect),
            ] { #expect(await outcome(of: request, by: prober).failure?.phase == phase, "\(request.target)") }
        }
    }
}
