import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct KeyTypeTests {
    private let rsa = try! world.interA.issue(
        .leaf(StandardPKI.serverName), key: LabKey.shared(.rsa(bits: 2048), label: "key types"))

    private func settings(_ leaves: [LabCertificate], version: ServerVersion) -> TLSServerSettings {
        TLSServerSettings(leaves.map { TLSIdentity([$0, world.interA]) }).with {
            $0.minimumVersion = version
            $0.maximumVersion = version
        }
    }

    @Test(arguments: allVersions) func eachOfTwoCertificatesIsShownToWhoAsksForItsKey(version: ServerVersion)
        async throws
    {
        let both = settings([world.leaf, rsa], version: version)
        for (keyType, leaf) in [(CertificateKeyType.rsa, rsa), (.ecdsa, world.leaf)] {
            let result = try await probe(.tls(both)) {
                $0.keyType = keyType
                $0.minimumTLS = .tls10
            }
            #expect(result.presented.leaf.der == leaf.der)
        }
        let asItComes = try await probe(.tls(both)) { $0.minimumTLS = .tls10 }
        #expect(asItComes.presented.leaf.der == world.leaf.der)
    }

    @Test(arguments: versions) func aKeyForEd25519IsFound(version: ServerVersion) async throws {
        let leaf = try world.interA.issue(.leaf(StandardPKI.serverName), key: try LabKey.generate(.ed25519))
        let server = ServerBehavior.tls(settings([leaf, world.leaf], version: version))
        #expect(try await probe(server) { $0.keyType = .ed25519 }.presented.leaf.der == leaf.der)
        #expect(try await probe(server) { $0.keyType = .ecdsa }.presented.leaf.der == world.leaf.der)
    }

    @Test(arguments: versions) func aMissingKeyTypeIsNotAFailedHandshake(version: ServerVersion) async throws {
        for (leaf, missing) in [(world.leaf, CertificateKeyType.rsa), (rsa, .ecdsa), (rsa, .ed25519)] {
            let error = try await failure(of: .tls(settings([leaf], version: version))) { $0.keyType = missing }
            #expect(error.reason == .keyTypeRefused(missing, TLSAlert(number: 40)))
            #expect(error.id == "key-type-not-offered")
            #expect(
                error.description.contains("offers no certificate with a key for \(missing) (alert handshake_failure"))
        }
    }

    @Test func anAlertAboutSomethingElseIsNotTakenForAMissingKey() async throws {
        let error = try await failure(of: .alert(112)) { $0.keyType = .rsa }
        #expect(error.reason == .alert(TLSAlert(number: 112)))
    }

    @Test(arguments: versions) func anECDSACertificateOfAnRSAAuthorityIsFound(version: ServerVersion) async throws {
        let authority = try LabCertificate.selfSigned(
            .authority("RSA"), key: try LabKey.shared(.rsa(bits: 2048), label: "RSA authority"))
        let leaf = try authority.issue(.leaf(StandardPKI.serverName))
        let server = TLSServerSettings([TLSIdentity([leaf, authority])]).with { $0.maximumVersion = version }
        #expect(try await probe(.tls(server)) { $0.keyType = .ecdsa }.presented.leaf.der == leaf.der)
    }
}
