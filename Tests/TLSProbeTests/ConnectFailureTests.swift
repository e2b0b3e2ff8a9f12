import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct ConnectFailureTests {
    private func failure(of request: ProbeRequest) async throws -> ProbeError {
        let result = try await withProber { await outcome(of: request, by: $0) }
        return try #require(result.failure)
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func aRefusedConnectionIsNamed(address: String) async throws {
        try await RefusingPort.scoped(address: address) { refusing in
            let ip = try #require(IPAddress(address))
            let error = try await failure(of: ProbeRequest(to: .address(ip), port: refusing.port))
            let peer = PeerAddress(ip: ip, port: refusing.port)
            #expect(
                error
                    == ProbeError(
                        .connect, .notConnected([ConnectFailure(peer: peer, kind: .refused)]), target: peer.description)
            )
            #expect(error.id == "refused")
            #expect(error.description.contains("'\(peer)': connection refused"))
        }
    }

    @Test func eachAddressOfAHostHasItsReason() async throws {
        try await RefusingPort.scoped { refusing in
            let request = ProbeRequest(to: .resolve(host: "localhost", family: .ipv4), port: refusing.port)
            let error = try await failure(of: request)
            #expect(error.phase == .connect)
            #expect(error.target == "localhost:\(refusing.port)")
            let peer = PeerAddress(ip: try #require(IPAddress("127.0.0.1")), port: refusing.port)
            guard case .notConnected(let failures) = error.reason else {
                Issue.record("unexpected \(error.reason)")
                return
            }
            #expect(failures.allSatisfy { $0 == ConnectFailure(peer: peer, kind: .refused) })
            #expect(error.id == "refused")
        }
    }

    @Test(arguments: ProbeRequest.AddressFamily.allCases) func anUnresolvableNameIsAResolveFailure(
        family: ProbeRequest.AddressFamily
    ) async throws {
        let error = try await failure(
            of: ProbeRequest(to: .resolve(host: "name.invalid", family: family), timeout: .seconds(30)))
        #expect(error.phase == .resolve)
        #expect(error.target == "name.invalid:443")
        #expect(error.description.contains("'name.invalid'"))
        #expect(error.peer == nil)
    }

    @Test func aNameWithANULIsNotFound() async throws {
        let error = try await failure(of: ProbeRequest(to: .resolve(host: "localhost\u{0}.example.com")))
        #expect(error.phase == .resolve)
        #expect(error.reason == .nameNotFound)
    }

    @Test func anAddressOfTheOtherFamilyIsNoAddress() async throws {
        let error = try await failure(of: ProbeRequest(to: .resolve(host: "127.0.0.1", family: .ipv6)))
        #expect(error.phase == .resolve)
        #expect([.noAddress(.ipv6), .nameNotFound].contains(error.reason))
    }

    @Test func portZeroIsAnError() async throws {
        let error = try await failure(of: ProbeRequest(to: .address(try #require(IPAddress("127.0.0.1"))), port: 0))
        #expect(error.phase == .connect)
    }
}
