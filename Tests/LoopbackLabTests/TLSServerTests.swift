import Foundation
import LoopbackLab
import Testing

/// Connects with `openssl s_client`, which says what it saw.
private func connect(_ server: LoopbackServer, _ options: String = "", sending input: String = "") async throws
    -> OpenSSLCommand.Outcome
{
    let address = server.address.contains(":") ? "[\(server.address)]" : server.address
    return try await OpenSSLCommand.run("s_client -connect \(address):\(server.port) \(options)", input: input)
}

/// The certificates `s_client -showcerts` printed, in their order.
private func presented(_ outcome: OpenSSLCommand.Outcome) -> [String] {
    outcome.text.matches(of: /(?s)-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----\n/).map { String($0.0) }
}

@Suite(.enabled(if: OpenSSLCommand.isAvailable), .timeLimit(.minutes(5))) struct TLSServerTests {
    @Test func presentsTheChainInTheOrderAskedFor() async throws {
        let world = try StandardPKI.shared()
        let chain = [world.leaf, world.junk, world.interA, world.rootB, world.leaf2]
        try await LoopbackServer.serving(.presenting(chain)) { server in
            let seen = try await connect(server, "-showcerts")
            #expect(presented(seen) == chain.map(\.pem))
        }
    }

    @Test func presentsAnotherChainFromOneConnectionToTheNext() async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf])) { server in
            #expect(try await presented(connect(server, "-showcerts")) == [world.leaf.pem])
            try server.present(TLSServerSettings(presenting: [world.leaf2, world.interA]))
            #expect(try await presented(connect(server, "-showcerts")) == [world.leaf2.pem, world.interA.pem])
            // A chain whose key is another's changes nothing.
            var mixed = TLSServerSettings(presenting: [world.leaf])
            mixed.identities = [TLSIdentity(der: [world.leaf.der], key: world.junk.key)]
            #expect(throws: LabError.self) { try server.present(mixed) }
            #expect(try await presented(connect(server, "-showcerts")) == [world.leaf2.pem, world.interA.pem])
        }
    }

    @Test func recordsWhatTheClientDid() async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf])) { server in
            #expect(server.connections.isEmpty)
            _ = try await connect(server, "-servername API.example.com")
            let quiet = try #require(await server.connections(ended: 1).first)
            #expect(quiet.serverName == "API.example.com")
            #expect(quiet.completedHandshake)
            #expect(quiet.version == .tls13)
            #expect(quiet.applicationBytesReceived == 0)
            #expect(quiet.receivedCloseNotify)
            #expect(quiet.failure == nil)
            #expect(quiet.hasEnded)

            _ = try await connect(server, "-noservername -tls1_2", sending: "hello")
            let talkative = try #require(await server.connections(ended: 2).dropFirst().first)
            #expect(talkative.serverName == nil)
            #expect(talkative.version == .tls12)
            #expect(talkative.applicationBytesReceived == 5)
            #expect(talkative.receivedCloseNotify)
            #expect(talkative.bytesReceived > quiet.applicationBytesReceived)
        }
    }

    @Test func theNameIndicatedDecidesWhatIsPresented() async throws {
        let world = try StandardPKI.shared()
        let settings = TLSServerSettings(presenting: [world.rogue]).with {
            $0.identitiesByName["a.example"] = [TLSIdentity([world.leaf, world.interA])]
            $0.identitiesByName["b.example"] = [TLSIdentity([world.leaf2])]
        }
        try await LoopbackServer.serving(.tls(settings)) { server in
            for (option, expected) in [
                ("-servername a.example", [world.leaf, world.interA]),
                ("-servername A.Example", [world.leaf, world.interA]), ("-servername b.example", [world.leaf2]),
                ("-servername c.example", [world.rogue]), ("-noservername", [world.rogue]),
            ] {
                for version in ["-tls1_2", "-tls1_3"] {
                    let seen = try await connect(server, "-showcerts \(version) \(option)")
                    #expect(presented(seen) == expected.map(\.pem), "\(version) \(option)")
                }
            }
        }
    }

    @Test func anUnknownOrAbsentNameCanBeRefused() async throws {
        let world = try StandardPKI.shared()
        let settings = TLSServerSettings(presenting: [world.leaf]).with {
            $0.identitiesByName["a.example"] = [TLSIdentity([world.leaf])]
            $0.unknownName = .alert
            $0.absentName = .alert
        }
        try await LoopbackServer.serving(.tls(settings)) { server in
            for option in ["-servername b.example", "-noservername"] {
                let seen = try await connect(server, option)
                #expect(seen.text.contains("unrecognized name"))
                #expect(seen.status == 1)
            }
            let seen = try await connect(server, "-servername a.example")
            #expect(seen.status == 0)
            let connections = await server.connections(ended: 3)
            #expect(connections.map(\.completedHandshake) == [false, false, true])
            #expect(connections.map(\.serverName) == ["b.example", nil, "a.example"])
        }
    }

    @Test func withTwoKindsOfKeyTheClientsPreferenceDecides() async throws {
        let root = try LabCertificate.selfSigned(.authority("Root"))
        let ec = try root.issue(.leaf("a.example"))
        let rsa = try root.issue(.leaf("a.example"), key: .shared(.rsa(bits: 2_048), label: "server tests"))
        let settings = TLSServerSettings([TLSIdentity([ec, root]), TLSIdentity([rsa])])
        try await LoopbackServer.serving(.tls(settings)) { server in
            for (options, expected) in [
                ("-tls1_2 -cipher aRSA", [rsa]), ("-tls1_2 -cipher aECDSA", [ec, root]),
                ("-tls1_3 -sigalgs rsa_pss_rsae_sha256", [rsa]),
                ("-tls1_3 -sigalgs ecdsa_secp256r1_sha256", [ec, root]),
            ] {
                let seen = try await connect(server, "-showcerts " + options)
                #expect(presented(seen) == expected.map(\.pem), "\(options)")
            }
        }
    }

    @Test(arguments: [(TLSVersion.tls10, "-tls1"), (.tls11, "-tls1_1"), (.tls12, "-tls1_2"), (.tls13, "-tls1_3")])
    func oneVersionAloneIsSpoken(version: TLSVersion, option: String) async throws {
        let world = try StandardPKI.shared()
        let settings = TLSServerSettings(presenting: [world.leaf]).with {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        try await LoopbackServer.serving(.tls(settings)) { server in
            let weak = "-cipher DEFAULT:@SECLEVEL=0"
            let served = try await connect(server, "\(weak) \(option)")
            #expect(served.status == 0)
            let other = version == .tls13 ? "-tls1_2" : "-tls1_3"
            let refused = try await connect(server, "\(weak) \(other)")
            #expect(refused.text.contains("alert protocol version"))
            let connections = await server.connections(ended: 2)
            #expect(connections.map(\.version) == [version, nil])
            #expect(connections.last?.failure?.contains("unsupported protocol") == true)
        }
    }

    @Test func aClientCertificateCanBeAskedForAndRequired() async throws {
        let world = try StandardPKI.shared()
        let client = try world.rootA.issue(.leaf("client").with { $0.extendedKeyUsage = [.clientAuth] })
        var settings = TLSServerSettings(presenting: [world.leaf])
        try await TemporaryDirectory.scoped { directory in
            let certificate = try directory.write(client.pem, to: "client.pem")
            let key = try directory.write(client.key.privateKeyPEM(), to: "client.key")
            for demand in [TLSServerSettings.ClientCertificate.requested, .required] {
                settings.clientCertificate = demand
                try await LoopbackServer.serving(.tls(settings)) { server in
                    _ = try await connect(server, "-cert \(certificate) -key \(key)")
                    _ = try await connect(server, "-tls1_2")
                    let connections = await server.connections(ended: 2)
                    #expect(connections.map(\.clientCertificate) == [client.der, nil])
                    #expect(connections.map(\.completedHandshake) == [true, demand == .requested])
                }
            }
        }
    }

    @Test func theServersOrderDecidesTheApplicationProtocol() async throws {
        let world = try StandardPKI.shared()
        let settings = TLSServerSettings(presenting: [world.leaf]).with {
            $0.applicationProtocols = ["h2", "http/1.1"]
        }
        try await LoopbackServer.serving(.tls(settings)) { server in
            for (offer, answer) in [
                ("-alpn http/1.1,h2", "ALPN protocol: h2\n"), ("-alpn http/1.1", "ALPN protocol: http/1.1\n"),
                ("-alpn spdy/3", "No ALPN negotiated\n"), ("", "No ALPN negotiated\n"),
            ] {
                let seen = try await connect(server, offer)
                #expect(seen.text.contains(answer), "\(offer)")
            }
            #expect(await server.connections(ended: 4).map(\.applicationProtocol) == ["h2", "http/1.1", nil, nil])
        }
    }

    @Test func longChainsArePresentedWhole() async throws {
        let world = try StandardPKI.shared()
        let crowd = try [world.leaf] + LabCertificate.strangers(60)
        try await LoopbackServer.serving(.presenting(crowd)) { server in
            let seen = presented(try await connect(server, "-showcerts"))
            #expect(seen == crowd.map(\.pem))
        }
        let large = try world.interA.issue(.leaf("api.example.com").withManyNames(11_000))
        #expect(large.der.count > 300_000)
        try await LoopbackServer.serving(.presenting([large, world.interA])) { server in
            // s_client takes 100 KB at most: what it read before it gave up is proof enough that more was on its way.
            let seen = try await connect(server)
            #expect(seen.text.contains("excessive message size"))
        }
    }

    @Test func anImpostorsHandshakeFailsOnItsSignature() async throws {
        let world = try StandardPKI.shared()
        let identity = try TLSIdentity.impostor(presenting: [world.leaf, world.interA], signingWith: .generate())
        try await LoopbackServer.serving(.tls(TLSServerSettings([identity]))) { server in
            for version in ["-tls1_2", "-tls1_3"] {
                let seen = try await connect(server, "-showcerts \(version)")
                #expect(seen.text.contains("bad signature"), "\(version)")
                #expect(seen.status == 1)
            }
            #expect(await server.connections(ended: 2).map(\.completedHandshake) == [false, false])
        }
        await #expect(throws: LabError.self) {
            try await LoopbackServer.serving(
                .tls(TLSServerSettings([TLSIdentity(der: [world.leaf.der], key: world.junk.key)]))
            ) { _ in }
        }
        #expect(throws: LabError.self) {
            try TLSIdentity.impostor(presenting: [world.leaf], signingWith: .generate(.p384))
        }
    }

    @Test func aGroupTheClientDidNotOfferFirstTakesASecondHello() async throws {
        let world = try StandardPKI.shared()
        let settings = TLSServerSettings(presenting: [world.leaf]).with { $0.groups = "P-521" }
        try await LoopbackServer.serving(.tls(settings)) { server in
            let seen = try await connect(server, "-servername a.example -groups X25519:P-521")
            #expect(seen.text.contains("521 bits"))
            #expect(await server.connections(ended: 1).first?.serverName == "a.example")
        }
    }

    @Test func aServerMaySpeakFirstOrAnswer() async throws {
        let world = try StandardPKI.shared()
        var settings = TLSServerSettings(presenting: [world.leaf])
        settings.application = .answers(Array("HTTP/1.1 200 OK\r\n\r\nfine\n".utf8))
        try await LoopbackServer.serving(.tls(settings)) { server in
            // -ign_eof: the client waits for the server to close.
            let seen = try await connect(server, "-quiet -ign_eof", sending: "GET / HTTP/1.1\r\n\r\n")
            #expect(seen.text.hasSuffix("HTTP/1.1 200 OK\r\n\r\nfine\n"))
            let connection = try #require(await server.connections(ended: 1).first)
            #expect(connection.applicationBytesReceived == 18)
            #expect(connection.failure == nil)
        }
        settings.application = .greets(Array("welcome\n".utf8))
        try await LoopbackServer.serving(.tls(settings)) { server in
            let seen = try await connect(server, "-servername a.example")
            #expect(seen.status == 0)
            #expect(await server.connections(ended: 1).first?.completedHandshake == true)
        }
    }

    @Test func aFloodGoesOnUntilTheScopeEnds() async throws {
        let world = try StandardPKI.shared()
        let settings = TLSServerSettings(presenting: [world.leaf]).with { $0.application = .floods }
        try await LoopbackServer.serving(.tls(settings)) { server in
            let seen = try await connect(server)
            #expect(seen.status == 0)
            #expect(await server.connections(ended: 1).first?.completedHandshake == true)
        }
    }

    @Test(arguments: ["127.0.0.1", "127.9.8.7", "::1"]) func anyLoopbackAddressWillDo(address: String) async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf]), address: address) { server in
            #expect(server.address == address)
            let seen = try await connect(server)
            #expect(seen.status == 0)
        }
    }

    @Test func aPortIsFreeAgainAtOnceAndCanBeAskedFor() async throws {
        let world = try StandardPKI.shared()
        // An address of this test's own: on another one a free port may be taken by whatever runs beside it.
        let address = "127.10.20.30"
        var port: UInt16 = 0
        for _ in 0..<3 {
            port = try await LoopbackServer.serving(.presenting([world.leaf]), address: address, port: port) { server in
                #expect(port == 0 || server.port == port)
                let seen = try await connect(server)
                #expect(seen.status == 0)
                return server.port
            }
        }
    }

    @Test func severalThreadsShareTheConnections() async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf]), threads: 4) { server in
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for _ in 0..<12 { group.addTask { try await connect(server).status } }
                for try await status in group { #expect(status == 0) }
            }
            #expect(await server.connections(ended: 12).filter(\.completedHandshake).count == 12)
        }
    }

    @Test func aHandshakeArrivesOneByteAtATime() async throws {
        let world = try StandardPKI.shared()
        let behavior = ServerBehavior.presenting([world.leaf], delivery: .drips(bytes: 7, everyMilliseconds: 1))
        try await LoopbackServer.serving(behavior) { server in
            let seen = presented(try await connect(server, "-showcerts"))
            #expect(seen == [world.leaf.pem])
        }
    }

    @Test(arguments: [
        ServerBehavior.Delivery.closes(afterBytes: 0), .closes(afterBytes: 100), .closes(afterBytes: 600),
        .resets(afterBytes: 0), .resets(afterBytes: 100), .resets(afterBytes: 600),
    ]) func aHandshakeCanBreakOffAnywhere(delivery: ServerBehavior.Delivery) async throws {
        let world = try StandardPKI.shared()
        try await LoopbackServer.serving(.presenting([world.leaf, world.interA], delivery: delivery)) { server in
            let seen = try await connect(server)
            #expect(seen.status == 1)
            let connection = try #require(await server.connections(ended: 1).first)
            #expect(!connection.completedHandshake)
        }
    }
}
