import COpenSSL
import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct NegotiationTests {
    @Test(arguments: ["API.Example.com.", nil]) func theNameThatIsGivenIsSentInSNI(name: String?) async throws {
        let (result, seen) = try await observe(.presenting([pki.leaf])) {
            $0.serverNameIndication = name.flatMap { (try? ServerName($0))?.hostName }
        }
        #expect(result.failure == nil && seen.serverName == name.map { _ in "api.example.com" })
    }

    @Test(arguments: ["192.0.2.1", "::1", "[::1]", "", ".", "a\u{0}b", "a b", String(repeating: "a", count: 300)])
    func noSNICanBeMadeOf(_ text: String) { #expect((try? ServerName(text))?.hostName == nil) }

    @Test(arguments: ["X25519", "P-256", "P-384", "P-521"]) func whatIsNegotiatedIsNamed(group: String) async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf]).with {
            $0.options["CipherString"] = "ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0"
            $0.options["Groups"] = group
        }
        let result = try await probe(.tls(settings)) { $0.maximumTLS = .tls12 }
        #expect(result.facts.version == .tls12 && result.facts.group?.name == group)
        #expect(result.facts.suite.name == "ECDHE-ECDSA-AES128-GCM-SHA256")
    }

    /// A compressed certificate (RFC 8879) would pass what looks at certificates before OpenSSL reads them.
    @Test func noCompressedCertificateIsAskedFor() async throws {
        var hello = try await observe(.presenting([pki.leaf])).seen.opening[...]
        func take(_ count: Int) -> Int {
            defer { hello = hello.dropFirst(count) }
            return hello.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }
        func skip(_ count: Int) { hello = hello.dropFirst(count) }
        // The record, the message, the version and the random value; the session, the suites and the compression by their lengths.
        skip(5 + 4 + 2 + 32)
        for length in [1, 2, 1] { skip(take(length)) }
        let count = take(2)
        hello = hello.prefix(count)
        var extensions: [Int] = []
        while !hello.isEmpty {
            extensions.append(take(2))
            skip(take(2))
        }
        #expect(extensions.contains(43) && !extensions.contains(27), "\(extensions)")
        // What is built with OpenSSL 3.0 may run with 3.5, which would ask.
        #expect(COpenSSL_options() & 1 << 33 != 0)
    }

    /// The judge sees the bytes that were sent, whatever OpenSSL thinks of them.
    @Test(arguments: versions) func malformedCertificatesArriveAsServed(version: ServerVersion) async throws {
        typealias Change = @Sendable (inout CertificateTemplate) -> Void
        // OpenSSL's servers use no EC key before TLS 1.3 whose usage they cannot read.
        let rsa = try LabKey.shared(.rsa(bits: 2048), label: "kx")
        let garbled = ([14, 15, 17, 19, 30, 32, 35, 37] as [UInt]).map { arc -> Change in { $0.garble(arc) } }
        let numbered = ([1, 2, 4] as [UInt8]).map { number -> Change in { $0.version = number } }
        for change in garbled + numbered + [{ $0.add(14, [0x04, 0x01, 0x09]) }] {
            let authority = try pki.rootA.issue(.authority("Malformed").with(change))
            let leaf = try pki.interA.issue(.leaf(serverName).with(change), key: rsa)
            for chain in [[leaf, pki.interA], [try authority.issue(.leaf(serverName)), authority]] {
                let handshake = try await probe(.tls(serverSettings(chain, upTo: version)))
                #expect(handshake.presented.encodings == chain.map(\.der))
            }
        }
    }

    @Test func applicationProtocolsAreOfferedAndTheChoiceIsReported() async throws {
        let settings = TLSServerSettings(presenting: [pki.leaf]).with { $0.applicationProtocols = ["http/1.1"] }
        #expect(try await probe(.tls(settings)) { $0.alpn = ["h2", "http/1.1"] }.alpn == "http/1.1")
        #expect(try await probe(.tls(settings)).alpn == nil)
    }

    @Test(arguments: [LoopbackLab.TLSVersion.tls10, .tls11]) func oldIsRefused(version: ServerVersion) async throws {
        let settings = serverSettings([pki.leaf], upTo: version) { $0.minimumVersion = version }
        let error = try await failure(of: .tls(settings))
        #expect(error.reason == .protocolVersion(minimum: .tls12, maximum: .tls13))
        #expect(error.description.hasSuffix("an outdated server may need 1.0"))
        let result = try await probe(.tls(settings)) { $0.minimumTLS = .tls10 }
        #expect(result.facts.version.name == (version == .tls10 ? "TLSv1.0" : version.rawValue))
        #expect(result.presented.leaf.der == pki.leaf.der)
    }

    @Test func aMinimumAboveTheMaximumIsAnError() async throws {
        let error = try await failure(of: .presenting([pki.leaf])) {
            $0.minimumTLS = .tls13
            $0.maximumTLS = .tls12
        }
        #expect(error.reason == .protocolVersion(minimum: .tls13, maximum: .tls12))
    }

    @Test func anIPv6AddressIsConnectedTo() async throws {
        let result = try await probe(.presenting([pki.leaf]), address: "::1")
        #expect(result.peer?.ip == IPAddress("::1"))
        #expect(result.peer?.description.hasPrefix("[::1]:") == true)
    }

    @Test func aHostIsResolvedAndConnectedTo() async throws {
        try await LoopbackServer.serving(.presenting([pki.leaf])) { server in
            for family in [AddressFamily.ipv4, .any] {
                let request = ProbeRequest(to: .resolve(host: "localhost", family: family), port: server.port)
                let result = try await withProber { try await $0.probe(request) }
                #expect(result.peer == PeerAddress(ip: loopback, port: server.port))
                #expect(result.timings.resolve != nil)
            }
        }
    }
}

@Suite(.timeLimit(.minutes(5))) struct KeyTypeTests {
    private let rsa = try! pki.interA.issue(.leaf(serverName), key: LabKey.shared(.rsa(bits: 2048), label: "key types"))

    private func settings(_ leaves: [LabCertificate], version: ServerVersion) -> TLSServerSettings {
        TLSServerSettings(leaves.map { TLSIdentity([$0, pki.interA]) }).with {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
    }

    @Test(arguments: allVersions) func eachOfTwoCertificatesIsShownForItsKey(version: ServerVersion) async throws {
        let both = settings([pki.leaf, rsa], version: version)
        for (keyType, leaf) in [(CertificateKeyType.rsa, rsa), (.ecdsa, pki.leaf)] {
            let result = try await probe(.tls(both)) {
                $0.keyType = keyType
                $0.minimumTLS = .tls10
            }
            #expect(result.presented.leaf.der == leaf.der)
        }
        let asItComes = try await probe(.tls(both)) { $0.minimumTLS = .tls10 }
        #expect(asItComes.presented.leaf.der == pki.leaf.der)
    }

    @Test(arguments: versions) func aKeyForEd25519IsFound(version: ServerVersion) async throws {
        let leaf = try pki.interA.issue(.leaf(serverName), key: try LabKey.generate(.ed25519))
        let server = ServerBehavior.tls(settings([leaf, pki.leaf], version: version))
        #expect(try await probe(server) { $0.keyType = .ed25519 }.presented.leaf.der == leaf.der)
        #expect(try await probe(server) { $0.keyType = .ecdsa }.presented.leaf.der == pki.leaf.der)
    }

    @Test(arguments: versions) func aMissingKeyTypeIsNotAFailedHandshake(version: ServerVersion) async throws {
        for (leaf, missing) in [(pki.leaf, CertificateKeyType.rsa), (rsa, .ecdsa), (rsa, .ed25519)] {
            let error = try await failure(of: .tls(settings([leaf], version: version))) { $0.keyType = missing }
            #expect(error.reason == .keyTypeRefused(missing, TLSAlert(number: 40)))
            #expect(error.id == "key-type-not-offered")
            #expect(
                error.description.contains("offers no certificate with a key for \(missing) (alert handshake_failure"))
        }
    }

    @Test func anAlertAboutSomethingElseIsNotTakenForAMissingKey() async throws {
        for number in [43, 80, 112] as [UInt8] {
            let error = try await failure(of: .alert(number)) { $0.keyType = .rsa }
            #expect(error.reason == .alert(TLSAlert(number: number)))
        }
    }

    @Test(arguments: versions) func anECDSACertificateOfAnRSAAuthorityIsFound(version: ServerVersion) async throws {
        let authority = try LabCertificate.selfSigned(
            .authority("RSA"), key: try LabKey.shared(.rsa(bits: 2048), label: "RSA authority"))
        let leaf = try authority.issue(.leaf(serverName))
        let server = TLSServerSettings([TLSIdentity([leaf, authority])]).with { $0.maximumVersion = version }
        #expect(try await probe(.tls(server)) { $0.keyType = .ecdsa }.presented.leaf.der == leaf.der)
    }
}
