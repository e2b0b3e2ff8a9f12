import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

/// What servers send along with their certificates, and how the keys of a connection are agreed on.
@Suite(.timeLimit(.minutes(5))) struct EvidenceTests {
    private func settings(_ version: ServerVersion) -> TLSServerSettings {
        TLSServerSettings(presenting: [world.leaf, world.interA]).with { $0.maximumVersion = version }
    }

    @Test(arguments: versions, [1, 1_000]) func whatIsSentAlongIsHandedOverAsItCame(
        version: ServerVersion, expecting: Int
    ) async throws {
        let staple = [UInt8](repeating: 0xA5, count: 9_000)
        let settings = settings(version).with { $0.staple = staple }
        // Prepared for one connection or for many, the library is another.
        let result = try await LoopbackServer.serving(.tls(settings), address: "127.0.0.1") { server in
            let prober = Probers(expecting: expecting).next()
            let result = await outcome(of: try ProbeRequest(server), by: prober)
            await prober.shutdown()
            return try result.get()
        }
        #expect(result.staple == staple)
        #expect(result.presented.certificates.map(\.der) == [world.leaf.der, world.interA.der])
    }

    @Test(arguments: allVersions) func aServerThatKnowsNoneIsNotAffected(version: ServerVersion) async throws {
        let result = try await probe(.tls(settings(version))) { $0.minimumTLS = .tls10 }
        #expect(result.staple == nil && result.handshakeCompleted)
    }

    @Test(arguments: versions) func whatIsDamagedEndsNoHandshake(version: ServerVersion) async throws {
        let result = try await probe(.tls(settings(version).with { $0.staple = [0] }))
        #expect(result.staple == [0])
    }

    @Test func aGroupThatTakesASecondIsRefused() async throws {
        let leaf = try world.interA.issue(
            .leaf(StandardPKI.serverName), key: .shared(.rsa(bits: 2048), label: "key exchange"))
        func server(_ bits: Int) -> ServerBehavior {
            .tls(
                serverSettings([leaf, world.interA], upTo: .tls12) {
                    $0.cipherList = "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
                    $0.bitsOfOwnGroup = bits
                })
        }
        #expect(try await probe(server(4_096)).keyExchange == .ephemeralInGroup(bits: 4_096))
        let message = "the server's Diffie-Hellman group has fewer than 1024 bits or more than 4096"
        #expect(try await failure(of: server(4_097)).reason == .tlsFailure(message))
        #expect(try await failure(of: server(10_000)).reason == .tlsFailure(message))
    }

    @Test func longGroupsWithANameAreForThoseWhoAskForThem() async throws {
        let server = ServerBehavior.tls(
            TLSServerSettings(presenting: [world.leaf, world.interA]).with { $0.groups = "ffdhe6144" })
        #expect(try await failure(of: server).reason == .alert(TLSAlert(number: 40)))
        let result = try await probe(server) { $0.offer.groups = "X25519:ffdhe6144" }
        #expect(result.keyExchange == .ephemeralInGroup(bits: 6_144))
    }

    @Test func theKeyExchangeIsToldAsTheSuiteHasIt() async throws {
        let weak = try world.interA.issue(
            .leaf(StandardPKI.serverName), key: .shared(.rsa(bits: 1024), label: "key exchange"))
        let strong = try world.interA.issue(
            .leaf(StandardPKI.serverName), key: .shared(.rsa(bits: 2048), label: "key exchange"))
        func exchange(_ leaf: LabCertificate, _ suites: String) async throws -> KeyExchange {
            let settings = serverSettings([leaf, world.interA], upTo: .tls12) {
                $0.cipherList = suites + ":@SECLEVEL=0"
                $0.offersFiniteFieldGroups = true
            }
            return try await probe(.tls(settings)).keyExchange
        }
        #expect(try await exchange(strong, "AES128-SHA256") == .staticRSA)
        #expect(try await exchange(strong, "DHE-RSA-AES128-GCM-SHA256") == .ephemeralInGroup(bits: 2_048))
        #expect(try await exchange(weak, "DHE-RSA-AES128-GCM-SHA256") == .ephemeralInGroup(bits: 1_024))
        #expect(try await exchange(strong, "ECDHE-RSA-AES128-GCM-SHA256") == .ephemeral)
        #expect(try await probe(.presenting([strong])).keyExchange == .ephemeral)
        let field = TLSServerSettings(presenting: [strong]).with { $0.groups = "ffdhe2048" }
        #expect(try await probe(.tls(field)).keyExchange == .ephemeralInGroup(bits: 2_048))
    }
}
