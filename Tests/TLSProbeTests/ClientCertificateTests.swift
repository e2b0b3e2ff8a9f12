import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct ClientCertificateTests {
    @Test(arguments: allVersions) func aServerThatAsksStillYieldsItsChain(version: ServerVersion) async throws {
        let settings = serverSettings([world.leaf, world.interA], upTo: version) { $0.clientCertificate = .requested }
        let result = try await probe(.tls(settings)) { $0.minimumTLS = .tls10 }
        #expect(result.clientCertificateRequested)
        #expect(result.handshakeCompleted)
        #expect(result.presented.certificates.map(\.der) == [world.leaf.der, world.interA.der])
    }

    @Test(arguments: [(LoopbackLab.TLSVersion.tls12, false), (.tls13, true)])
    func aServerThatInsistsStillYieldsItsChain(version: ServerVersion, completes: Bool) async throws {
        let settings = serverSettings([world.leaf, world.interA], upTo: version) { $0.clientCertificate = .required }
        let (outcome, seen) = try await observe(.tls(settings))
        let result = try outcome.get()
        #expect(result.clientCertificateRequested)
        #expect(result.handshakeCompleted == completes)
        #expect(result.tlsVersion.rawValue == UInt16(version.rawValue))
        #expect(result.presented.certificates.map(\.der) == [world.leaf.der, world.interA.der])
        #expect(!result.cipher.isEmpty)
        #expect(!seen.completedHandshake)
    }

    @Test func aServerThatInsistsBeforeItsKeyIsProvenYieldsNoChain() async throws {
        let leaf = try world.interA.issue(
            .leaf("rsa.example.com"), key: try LabKey.shared(.rsa(bits: 2048), label: "kx"))
        let settings = serverSettings([leaf], upTo: .tls12) {
            $0.cipherList = "AES128-GCM-SHA256:@SECLEVEL=0"
            $0.clientCertificate = .required
        }
        let error = try await failure(of: .tls(settings))
        #expect(error.reason == .clientCertificateRequired)
        #expect(error.id == "client-certificate-required")
    }

    @Test func anImpostorThatInsistsYieldsNoChain() async throws {
        let impostor = try TLSIdentity.impostor(presenting: [world.leaf], signingWith: world.rogue.key)
        for version in versions {
            let settings = TLSServerSettings([impostor]).with {
                $0.maximumVersion = version
                $0.clientCertificate = .required
            }
            #expect(try await failure(of: .tls(settings)).reason == .keyNotProven)
        }
    }
}
