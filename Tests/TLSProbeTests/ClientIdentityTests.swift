import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct ClientIdentityTests {
    private let client = try! pki.interA.issue(.leaf("client.example.com"))

    private func identity() throws -> ClientIdentity {
        try ClientIdentity(
            certificates: (client.pem + pki.interA.pem).bytes, key: Array(try client.key.privateKeyPEM().utf8))
    }

    private func server(asking: TLSServerSettings.ClientCertificate, version: ServerVersion) -> ServerBehavior {
        .tls(serverSettings([pki.leaf], upTo: version) { $0.clientCertificate = asking })
    }

    @Test(arguments: allVersions) func aServerThatInsistsGetsTheCertificate(version: ServerVersion) async throws {
        let identity = try identity()
        let (outcome, seen) = try await observe(server(asking: .required, version: version)) {
            $0.clientIdentity = identity
            $0.minimumTLS = .tls10
        }
        let result = try outcome.get()
        #expect(result.clientCertificateRequested)
        #expect(result.clientCertificateSent)
        #expect(result.handshakeCompleted)
        #expect(seen.completedHandshake)
        #expect(seen.clientCertificate == client.der)
    }

    @Test func aServerThatDoesNotAskGetsNone() async throws {
        let identity = try identity()
        let (outcome, seen) = try await observe(server(asking: .notRequested, version: .tls13)) {
            $0.clientIdentity = identity
        }
        let result = try outcome.get()
        #expect(!result.clientCertificateRequested)
        #expect(!result.clientCertificateSent)
        #expect(seen.clientCertificate == nil)
    }

    @Test(arguments: versions) func askingForAKeyTypeLeavesTheClientItsOwn(version: ServerVersion) async throws {
        let key = try LabKey.shared(.rsa(bits: 2048), label: "client")
        let client = try pki.interA.issue(.leaf("client.example.com"), key: key)
        let identity = try ClientIdentity(certificates: client.pem.bytes, key: Array(try key.privateKeyPEM().utf8))
        let (outcome, seen) = try await observe(server(asking: .required, version: version)) {
            $0.clientIdentity = identity
            $0.keyType = .ecdsa
        }
        #expect(try outcome.get().clientCertificateSent)
        #expect(seen.clientCertificate == client.der)
    }

    @Test func whatCannotBeUsedIsRefusedWithoutShowingTheKey() throws {
        let key = try client.key.privateKeyPEM()
        let encrypted = pem([0x30, 0], label: "ENCRYPTED PRIVATE KEY")
        let broken = key.replacing("\n", with: "", maxReplacements: 1)
        let cases: [(certificates: String, key: String, error: ClientIdentityError)] = [
            (key, key, .noCertificate), (client.pem, client.pem, .noKey), (client.pem, encrypted, .encryptedKey),
            (client.pem, encrypted.replacing("ENCRYPTED", with: "OPENSSH"), .sshKey),
            (client.pem, "no key", .unreadableKey), (client.pem, broken, .unreadableKey),
            (client.pem, try pki.leaf.key.privateKeyPEM(), .mismatch), (pki.interA.pem + client.pem, key, .mismatch),
        ]
        for (certificates, key, expected) in cases {
            let error = #expect(throws: ClientIdentityError.self) {
                try ClientIdentity(certificates: certificates.bytes, key: key.bytes)
            }
            #expect(error == expected)
            #expect(error?.description.contains("MI") == false)
        }
    }

    @Test func aBrokenCertificateIsNamedWithItsLine() throws {
        let error = #expect(throws: ClientIdentityError.self) {
            try ClientIdentity(certificates: ("\n" + pem([0x30, 0], label: "CERTIFICATE")).bytes, key: [])
        }
        #expect(error?.description.contains("line 2") == true, "\(error as Any)")
    }
}

@Suite(.timeLimit(.minutes(5))) struct ClientCertificateTests {
    @Test(arguments: allVersions) func aServerThatAsksStillYieldsItsChain(version: ServerVersion) async throws {
        let settings = serverSettings(served, upTo: version) { $0.clientCertificate = .requested }
        let result = try await probe(.tls(settings)) { $0.minimumTLS = .tls10 }
        #expect(result.clientCertificateRequested && result.staple == nil)
        #expect(result.handshakeCompleted)
        #expect(result.presented.encodings == served.map(\.der))
    }

    /// TLS 1.3 tells it after the handshake of the client.
    @Test(arguments: versions) func aServerThatInsistsStillYieldsItsChain(version: ServerVersion) async throws {
        let settings = serverSettings(served, upTo: version) { $0.clientCertificate = .required }
        let (outcome, seen) = try await observe(.tls(settings))
        let result = try outcome.get()
        #expect(result.clientCertificateRequested)
        #expect(!result.handshakeCompleted)
        #expect(result.facts.version.name == version.rawValue)
        #expect(result.presented.encodings == served.map(\.der))
        #expect(!result.facts.suite.name.isEmpty)
        #expect(!seen.completedHandshake)
    }

    /// Its alert (handshake_failure) is also what a server says that has nothing of what is offered.
    @Test func aServerThatInsistsYieldsItsChainWhateverIsOffered() async throws {
        let settings = serverSettings(served, upTo: .tls12) { $0.clientCertificate = .required }
        for ask in [{ $0.keyType = .ecdsa }, { try! $0.offer.set(\.groups, to: "X25519:P-256") }]
            as [@Sendable (inout ProbeRequest) -> Void]
        {
            let result = try await observe(.tls(settings), ask).result.get()
            #expect(result.clientCertificateRequested && !result.handshakeCompleted)
            #expect(result.presented.certificates.first?.der == pki.leaf.der)
        }
    }

    @Test func aServerThatInsistsBeforeItsKeyIsProvenYieldsNoChain() async throws {
        let leaf = try pki.interA.issue(.leaf("rsa.example.com"), key: try LabKey.shared(.rsa(bits: 2048), label: "kx"))
        let settings = serverSettings([leaf], upTo: .tls12) {
            $0.options["CipherString"] = "AES128-GCM-SHA256:@SECLEVEL=0"
            $0.clientCertificate = .required
        }
        let error = try await failure(of: .tls(settings))
        #expect(error.reason == .clientCertificateRequired)
        #expect(error.id == "client-certificate-required")
    }

    @Test func anImpostorThatInsistsYieldsNoChain() async throws {
        let impostor = try TLSIdentity.impostor(presenting: [pki.leaf], signingWith: pki.rogue.key)
        for version in versions {
            let settings = TLSServerSettings([impostor]).with {
                $0.maximumVersion = version
                $0.clientCertificate = .required
            }
            #expect(try await failure(of: .tls(settings)).reason == .keyNotProven)
        }
    }
}
