import COpenSSL
import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

/// What servers send along with their certificates, and how the keys of a connection are agreed on.
@Suite(.timeLimit(.minutes(5))) struct EvidenceTests {
    private func settings(_ version: ServerVersion) -> TLSServerSettings { serverSettings(served, upTo: version) }

    @Test(arguments: versions, [1, 1_000]) func whatIsSentAlongIsHandedOverAsItCame(
        version: ServerVersion, expecting: Int
    ) async throws {
        for staple in [[UInt8](repeating: 0xA5, count: 9_000), [0]] {
            let settings = settings(version).with { $0.staple = staple }
            // Prepared for one connection or for many, the library is another.
            let result = try await LoopbackServer.serving(.tls(settings)) { server in
                let prober = Probers(expecting: expecting).next()
                let result = await outcome(of: try ProbeRequest(server), by: prober)
                await prober.shutdown()
                return try result.get()
            }
            #expect(result.staple == staple)
            #expect(result.presented.encodings == served.map(\.der))
        }
    }

    private static let suite = "DHE-RSA-AES128-GCM-SHA256"

    /// What comes of a server with an RSA key of so many bits and these suites of TLS 1.2, or this group of TLS 1.3.
    private func exchange(
        key bits: Int = 2_048, suites: String? = nil, field: Int32? = nil, groups: String? = nil,
        offering offer: (ciphers: String?, groups: String?) = (nil, nil)
    ) async throws -> Result<ConnectionFacts, ProbeError> {
        let leaf = try pki.interA.issue(.leaf(serverName), key: .shared(.rsa(bits: bits), label: "key exchange"))
        let settings = serverSettings([leaf, pki.interA], upTo: suites == nil ? .tls13 : .tls12) {
            if let suites { $0.options["CipherString"] = suites + ":@SECLEVEL=0" }
            ($0.finiteFieldGroup, $0.options["Groups"]) = (field, groups)
        }
        return try await observe(.tls(settings)) { ($0.offer.ciphers, $0.offer.groups) = offer }.result.map(\.facts)
    }

    @Test func theKeyExchangeIsToldAsTheSuiteHasIt() async throws {
        let fixed = try await exchange(suites: "AES128-SHA256").get()
        #expect(fixed.isStaticRSA && fixed.group == nil && fixed.suite.name == "AES128-SHA256")
        #expect(try await exchange(suites: "ECDHE-RSA-AES128-GCM-SHA256").get().hasECDHE)
        #expect(try await exchange().get().hasECDHE)
        // What costs a client a hundred times as much is for those who ask for it.
        let asked = (Self.suite as String?, nil as String?)
        for bits in [1_024, 2_048] {
            #expect(try await exchange(key: bits, suites: Self.suite, offering: asked).get().primeBits == bits)
        }
        #expect(try await exchange(suites: Self.suite, field: NID_ffdhe4096, offering: asked).get().primeBits == 4_096)
        for (group, bits) in [("ffdhe2048", 2_048), ("ffdhe6144", 6_144)] {
            #expect(try await exchange(groups: group, offering: (nil, "X25519:\(group)")).get().primeBits == bits)
        }
    }

    @Test func whatCostsAClientMuchIsRefused() async throws {
        func reason(_ result: Result<ConnectionFacts, ProbeError>) throws -> ProbeError.Reason {
            try #require(throws: ProbeError.self) { try result.get() }.reason
        }
        let alert = ProbeError.Reason.alert(TLSAlert(number: 40))
        #expect(try await reason(exchange(suites: Self.suite)) == alert)
        #expect(try await reason(exchange(groups: "ffdhe2048")) == alert)
        #expect(
            try await reason(exchange(suites: Self.suite, field: NID_ffdhe6144, offering: (Self.suite, nil)))
                == .tlsFailure("the server's Diffie-Hellman group has fewer than 1024 bits or more than 4096"))
    }

    @Test(arguments: versions) func aKeyThatIsCostlyToUseIsRefused(version: ServerVersion) async throws {
        let leaf = try pki.interA.issue(.leaf(serverName), key: .shared(.rsaOfLongExponent, label: "exponent"))
        let settings = serverSettings([leaf, pki.interA], upTo: version)
        #expect(
            try await failure(of: .tls(settings)).reason
                == .unreadableCertificate("an RSA key is longer than 8192 bits, or its exponent than 64"))
    }
}

@Suite(.timeLimit(.minutes(5))) struct PresentedChainTests {
    @Test func certificatesComeInWireOrderWithEverythingThatWasSent() async throws {
        let sent = [pki.leaf, pki.junk, pki.interA, pki.rootB, pki.interA]
        let result = try await probe(.presenting(sent))
        #expect(result.presented.encodings == sent.map(\.der))
        #expect(result.presented.leaf.der == pki.leaf.der)
        #expect(result.handshakeCompleted)
        #expect(!result.clientCertificateRequested)
    }

    @Test func aChainOf300KilobytesIsTakenAndOneBeyondTheLimitIsRefused() async throws {
        let large = try pki.interA.issue(.leaf("large").withManyNames(12_000))
        #expect(large.der.count > 300_000)
        let result = try await probe(.presenting([large, pki.interA]))
        #expect(result.presented.encodings == [large.der, pki.interA.der])
        let limit = TLSContext.certificateListLimit
        let error = try await failure(of: .presenting(Array(repeating: large, count: limit / large.der.count + 1)))
        #expect(error.reason == .certificatesTooLarge(limit: limit) && error.id == "certificates-too-large")
    }

    @Test func anotherMessageThatIsTooLongIsNotTakenForCertificates() async throws {
        // A ServerHello that begins like any and claims 16 MB.
        let hello: [UInt8] = [2, 0xFF, 0xFF, 0xFF, 3, 3] + Array(repeating: 7, count: 64)
        let error = try await failure(of: .script([22, 3, 3, 0, UInt8(hello.count)] + hello, stalls: true))
        #expect(error.reason == .tlsFailure("a message is longer than any of its kind"))
    }

    @Test(arguments: versions) func aCrowdOfCertificatesIsRefused(version: ServerVersion) async throws {
        let limit = TLSContext.certificateCountLimit
        let sent = [pki.leaf] + Array(repeating: pki.junk, count: limit)
        let error = try await failure(of: .tls(serverSettings(sent, upTo: version)))
        #expect(error.reason == .tooManyCertificates(limit: limit) && error.id == "too-many-certificates")
        let result = try await probe(.tls(serverSettings(sent.dropLast(), upTo: version)))
        #expect(result.presented.encodings == sent.dropLast().map(\.der))
    }

    @Test func weakKeysAndSignaturesDoNotKeepTheChainFromBeingSeen() async throws {
        let weak = try pki.interA.issue(
            .leaf("weak.example.com").with { $0.digest = .sha1 },
            key: try LabKey.shared(.rsa(bits: 1024), label: "weak"))
        for version in versions {
            let settings = serverSettings([weak], upTo: version)
            let result = try await probe(.tls(settings))
            #expect(result.presented.leaf.der == weak.der)
        }
    }

    @Test(arguments: versions) func aLeafPresentedWithoutItsKeyIsAnAttack(version: ServerVersion) async throws {
        let impostor = try TLSIdentity.impostor(presenting: served, signingWith: pki.rogue.key)
        let settings = TLSServerSettings([impostor]).with { $0.maximumVersion = version }
        let error = try await failure(of: .tls(settings))
        #expect(error.reason == .keyNotProven)
        #expect(error.phase == .handshake)
    }

    @Test func nothingIsSentAfterTheHandshakeButCloseNotify() async throws {
        for version in versions {
            let settings = serverSettings([pki.leaf], upTo: version) { $0.options["NumTickets"] = "0" }
            let (result, seen) = try await observe(.tls(settings))
            #expect(result.failure == nil)
            #expect(seen.completedHandshake)
            #expect(seen.applicationOpening.isEmpty)
            #expect(seen.receivedCloseNotify)
            #expect(seen.clientCertificate == nil)
        }
    }

    @Test func aServerThatFloodsAfterTheHandshakeIsLeft() async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf]).with { $0.application = .floods }
        #expect(try await probe(.tls(settings)).presented.encodings == [pki.leaf.der])
    }
}
