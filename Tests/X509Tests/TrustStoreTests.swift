import LoopbackLab
import Pinning
import Testing
import X509

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

@Suite("Anchors are found by name, wherever they are kept")
struct TrustStoreTests {
    static let pki = try! StandardPKI.shared()

    static func isTrusted(_ store: TrustStore) throws -> Bool {
        let question = PathQuestion(
            presented: try #require(PresentedChain(try PathVerifierTests.values([pki.leaf, pki.interA]))),
            anchors: .trustStore,
            policy: .sslServer(name: ReferenceName(StandardPKI.serverName)),
            time: PathVerifierTests.now
        )
        return !OpenSSLPathVerifier(trustStore: store).findPaths(question).validPaths.isEmpty
    }

    /// A bundle big enough not to be parsed at once, with the one root that counts in the middle.
    static func bigBundle() throws -> String {
        var certificates = try (0..<40).map {
            try LabCertificate.selfSigned(.authority(DistinguishedName(commonName: "Root \($0)")))
        }
        certificates.insert(pki.rootA, at: 20)
        return pem(of: certificates)
    }

    @Test func `a bundle file given by SSL_CERT_FILE`() throws {
        try TemporaryDirectory.scoped { directory in
            let file = try directory.write(try Self.bigBundle(), to: "bundle.pem")
            let store = TrustStore.system(environment: [
                "SSL_CERT_FILE": file, "SSL_CERT_DIR": directory.path + "/none",
            ])
            #expect(try Self.isTrusted(store))
        }
    }

    @Test func `a hashed directory given by SSL_CERT_DIR`() throws {
        try TemporaryDirectory.scoped { directory in
            _ = try directory.write(Self.pki.rootA.pem, to: Self.pki.rootA.hashedFileName)
            let store = TrustStore.system(environment: [
                "SSL_CERT_DIR": directory.path, "SSL_CERT_FILE": "/nonexistent",
            ])
            #expect(try Self.isTrusted(store))
        }
    }

    @Test func `missing and broken stores hold nothing`() throws {
        try TemporaryDirectory.scoped { directory in
            let file = try directory.write(
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                to: "b.pem"
            )
            for path in [file, directory.path + "/none", directory.path] {
                let store = TrustStore.system(environment: ["SSL_CERT_FILE": path, "SSL_CERT_DIR": "/nonexistent"])
                #expect(try !Self.isTrusted(store))
            }
        }
    }

    @Test func `a pipe that nobody writes to holds nothing and is not waited for`() throws {
        try TemporaryDirectory.scoped { directory in
            let pipe = directory.path + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            let store = TrustStore.system(environment: ["SSL_CERT_FILE": pipe, "SSL_CERT_DIR": "/nonexistent"])
            let isTrusted = try Self.isTrusted(store)
            #expect(!isTrusted)
        }
    }

    @Test func `given anchors replace the system's, or add to them`() throws {
        try TemporaryDirectory.scoped { directory in
            let file = try directory.write(try Self.bigBundle(), to: "bundle.pem")
            let system = TrustStore.system(environment: ["SSL_CERT_FILE": file, "SSL_CERT_DIR": "/nonexistent"])
            let other = try AnchorBundle(pemOrDER: Array(Self.pki.rootB.pem.utf8))
            #expect(try !Self.isTrusted(TrustStore(anchors: [other])))
            #expect(try Self.isTrusted(TrustStore(anchors: [other], and: system)))
        }
    }

    @Test func `a broken certificate among a few anchors is an error with its line`() throws {
        let text = Self.pki.rootA.pem + "-----BEGIN CERTIFICATE-----\nMAAA\n-----END CERTIFICATE-----\n"
        let line = Self.pki.rootA.pem.count { $0 == "\n" } + 1
        let error = #expect(throws: X509Error.self) { try AnchorBundle(pemOrDER: Array(text.utf8)) }
        #expect(error?.line == line)
    }
}
