import COpenSSL
import COpenSSLShims
import NIOCore
import Pinning
import Testing
import X509

@testable import LoopbackLab
@testable import TLSProbe

/// The library context of batches beside the ordinary one: whatever is asked, both have to answer the same.
@Suite(.timeLimit(.minutes(5)), .enabled(if: TLSContext.trimmedLibrary() != nil)) struct TrimmedLibraryTests {
    /// A kind of key that servers may have.
    enum Key: String, CaseIterable {
        case rsa, rsaPSS = "RSA-PSS", p256 = "P-256", p384 = "P-384", p521 = "P-521", secp256k1, brainpoolP256r1
        case ed25519 = "ED25519", ed448 = "ED448"

        /// A new key; RSA keys are shared, for they are slow to make.
        func make() throws -> LabKey {
            switch self {
            case .rsa: return try LabKey.shared(.rsa(bits: 2048), label: "trimmed library")
            case .rsaPSS, .ed25519, .ed448:
                let context = EVP_PKEY_CTX_new_from_name(nil, rawValue, nil)
                defer { EVP_PKEY_CTX_free(context) }
                var key: OpaquePointer?
                try #require(EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_keygen(context, &key) == 1)
                return try key.labKey()
            default: return try COpenSSLShims_EVP_EC_gen(rawValue).labKey()
            }
        }
    }

    let world: StandardPKI

    init() throws { world = try StandardPKI.shared() }

    private func leaf(_ key: Key) throws -> LabCertificate {
        try world.interA.issue(.leaf(StandardPKI.serverName), key: key.make())
    }

    /// What a probe comes to, but for the time it took.
    private struct Outcome: Hashable, Sendable {
        /// The version, suite, group and whether a client certificate was sent; or the failure.
        let details: [String?]
        let presented: PresentedChain?
    }

    private func outcome(of behavior: ServerBehavior, expecting count: Int, _ change: (inout ProbeRequest) -> Void)
        async throws -> Outcome
    {
        try await LoopbackServer.serving(behavior, address: "127.0.0.1") { server in
            let prober = Probers(expecting: count).prober(for: 0)
            let result = await TLSProbeTests.outcome(of: try ProbeRequest(server, change), by: prober)
            await prober.shutdown()
            switch result {
            case .success(let result):
                let details = ["\(result.tlsVersion)", result.cipher, result.group, "\(result.clientCertificateSent)"]
                return Outcome(details: details, presented: result.presented)
            case .failure(let error): return Outcome(details: [error.id, "\(error.reason)"], presented: nil)
            }
        }
    }

    /// Probes a server for many and for one, and says whether there was a chain.
    @discardableResult private func compare(
        _ settings: TLSServerSettings, _ change: (inout ProbeRequest) -> Void = { _ in }
    ) async throws -> PresentedChain? {
        let many = try await outcome(of: .tls(settings), expecting: 1_000, change)
        // Read anew, so that nothing that is compared stands on what the other library has read.
        for certificate in many.presented?.certificates ?? [] {
            #expect(try CertificateReader.certificate(der: certificate.der) == certificate)
        }
        let one = try await outcome(of: .tls(settings), expecting: 1, change)
        #expect(many == one)
        return many.presented
    }

    @Test(arguments: Key.allCases, [LoopbackLab.TLSVersion.tls12, .tls13]) func handshakesWithEachKindOfKeyEndTheSame(
        key: Key, version: LoopbackLab.TLSVersion
    ) async throws {
        let settings = TLSServerSettings(presenting: [try leaf(key), world.interA]).with {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
        let presented = try await compare(settings)
        // The others are for curves that OpenSSL does not offer unless it is told to.
        if ![.secp256k1, .brainpoolP256r1].contains(key) { #expect(presented?.certificates.count == 2) }
    }

    @Test(arguments: ["X25519", "X448", "P-256", "P-384", "P-521", "ffdhe2048", "ffdhe3072"])
    func keysAreExchangedInEachGroup(group: String) async throws {
        let presented = try await compare(TLSServerSettings(presenting: [world.leaf]).with { $0.groups = group })
        #expect(presented != nil)
    }

    @Test(arguments: [
        "ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-SHA384", "ECDHE-RSA-AES128-SHA", "AES128-GCM-SHA256",
        "AES256-SHA", "AES128-CCM8", "ECDHE-RSA-CHACHA20-POLY1305", "ECDHE-RSA-CAMELLIA128-SHA256",
        "ECDHE-ARIA128-GCM-SHA256",
    ]) func suitesBeforeTLS13AreThere(suite: String) async throws {
        let settings = TLSServerSettings(presenting: [try leaf(.rsa)]).with {
            $0.maximumVersion = .tls12
            $0.cipherList = suite + ":@SECLEVEL=0"
        }
        #expect(try await compare(settings) != nil)
    }

    @Test(arguments: [[], ["h2", "http/1.1"]], [TLSProbe.TLSVersion.tls10, .tls13])
    func theClientHelloIsTheSameButForItsRandomNumbers(protocols: [String], oldest: TLSProbe.TLSVersion) throws {
        func hello(in library: OpaquePointer?) throws -> [UInt8] {
            var request = ProbeRequest(to: .address(try #require(IPAddress("127.0.0.1"))), port: 443)
            request.alpn = protocols.compactMap { ApplicationProtocol($0) }
            request.minimumTLS = oldest
            let connection = try TLSConnection(context: TLSContext(in: library), request: request)
            _ = connection.advance()
            let output = try #require(connection.takeOutput(allocator: ByteBufferAllocator()))
            var bytes = Array(output.readableBytesView)
            // Behind the headers and the version; then the session, which has a length.
            let random = 5 + 4 + 2
            bytes.replaceSubrange(random..<(random + 32), with: repeatElement(0, count: 32))
            bytes.replaceSubrange((random + 33)..<(random + 65), with: repeatElement(0, count: 32))
            // The key of X25519 in the extension `key_share`, behind three lengths and the group.
            let head: [UInt8] = [0, 51, 0, 38, 0, 36, 0, 29, 0, 32]
            let share = try #require(bytes.indices.last { bytes[$0...].starts(with: head) })
            bytes.replaceSubrange((share + 10)..<(share + 42), with: repeatElement(0, count: 32))
            return bytes
        }
        #expect(try hello(in: TLSContext.trimmedLibrary()) == hello(in: nil))
    }

    @Test func clientCertificatesAreSent() async throws {
        let settings = TLSServerSettings(presenting: [world.leaf]).with { $0.clientCertificate = .required }
        let client = try leaf(.ed25519)
        let identity = try ClientIdentity(
            certificates: Array(client.pem.utf8), key: Array(client.key.privateKeyPEM().utf8))
        #expect(try await compare(settings) { $0.clientIdentity = identity } != nil)
    }

    @Test func chainsReadThereAreJudgedTheSame() async throws {
        let good = try leaf(.p384)
        let expired = try world.interA.reissue(good) { $0 = $0.expired() }
        for sent in [[good, world.interA], [expired, world.interA], [good], [good, world.rootB]] {
            let presented = try #require(try await outcome(of: .presenting(sent), expecting: 1_000) { _ in }.presented)
            let findings = try judge(presented)
            let again = try PresentedChain(
                presented.certificates.map { try CertificateReader.certificate(der: $0.der) })
            let other = try judge(#require(again))
            #expect(findings.validPaths == other.validPaths)
            #expect(findings.failures.map { "\($0)" } == other.failures.map { "\($0)" })
            #expect(findings.bestEffort == other.bestEffort)
            #expect(findings.validPaths.isEmpty == (sent != [good, world.interA]))
        }
    }

    private func judge(_ presented: PresentedChain) throws -> PathFindings {
        let root = try CertificateReader.certificate(der: world.rootA.der)
        return OpenSSLPathVerifier(trustStore: TrustStore(anchors: [AnchorBundle([root])])).findPaths(
            PathQuestion(
                presented: presented, anchors: .trustStore,
                policy: .sslServer(name: ReferenceName(StandardPKI.serverName)),
                time: Timestamp(secondsSinceEpoch: LabClock.now)))
    }

    @Test(arguments: Key.allCases) func certificatesAreReadTheSame(key: Key) throws {
        let certificate = try leaf(key)
        #expect(try readTrimmed(certificate.der) == CertificateReader.certificate(der: certificate.der))
    }

    @Test func aKindOfKeyNobodyKnowsIsReadTheSame() throws {
        var der = try leaf(.ed25519).der
        let ed25519: [UInt8] = [0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21]
        let start = try #require(der.indices.first { der[$0...].starts(with: ed25519) })
        der[start + 4] = 0x7F
        let certificate = try readTrimmed(der)
        #expect(try certificate == CertificateReader.certificate(der: der))
        #expect(certificate.publicKey.algorithm != (try readTrimmed(leaf(.ed25519).der)).publicKey.algorithm)
    }

    private func readTrimmed(_ der: [UInt8]) throws -> Certificate {
        var pointer = X509_new_ex(TLSContext.trimmedLibrary(), nil)
        defer { X509_free(pointer) }
        let read = der.withUnsafeBufferPointer { bytes in
            var cursor = bytes.baseAddress
            return d2i_X509(&pointer, &cursor, bytes.count)
        }
        return try CertificateReader.certificate(borrowing: #require(read))
    }
}

extension OpaquePointer? {
    /// A key for a leaf; what signs with it is OpenSSL, which knows its kind.
    fileprivate func labKey() throws -> LabKey { try LabKey(takingOwnershipOf: #require(self), algorithm: .p256) }
}
