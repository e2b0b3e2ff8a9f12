import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct PresentedChainTests {
    @Test func certificatesComeInWireOrderWithEverythingThatWasSent() async throws {
        let sent = [world.leaf, world.junk, world.interA, world.rootB, world.interA]
        let result = try await probe(.presenting(sent))
        #expect(result.presented.certificates.map(\.der) == sent.map(\.der))
        #expect(result.presented.leaf.der == world.leaf.der)
        #expect(result.handshakeCompleted)
        #expect(!result.clientCertificateRequested)
    }

    @Test func aChainOf300KilobytesIsTaken() async throws {
        let names = (0..<10_000).map { GeneralName.dns("host-\($0).example.invalid.test") }
        let large = try world.interA.issue(.leaf(subject: "large", names: names))
        #expect(large.der.count > 300_000)
        let result = try await probe(.presenting([large, world.interA]))
        #expect(result.presented.certificates.map(\.der) == [large.der, world.interA.der])
    }

    @Test func aChainBeyondTheLimitIsRefused() async throws {
        let names = (0..<30_000).map { GeneralName.dns("host-\($0).example.invalid.test") }
        let large = try world.interA.issue(.leaf(subject: "large", names: names))
        let sent = [world.leaf] + Array(repeating: large, count: 3)
        #expect(sent.map(\.der.count).reduce(0, +) > TLSContext.certificateListLimit)
        let error = try await failure(of: .presenting(sent))
        #expect(error.reason == .certificatesTooLarge(limit: TLSContext.certificateListLimit))
        #expect(error.id == "certificates-too-large")
    }

    @Test func anotherMessageThatIsTooLongIsNotTakenForCertificates() async throws {
        // A ServerHello that begins like any and claims 16 MB.
        let hello: [UInt8] = [2, 0xFF, 0xFF, 0xFF, 3, 3] + Array(repeating: 7, count: 64)
        let error = try await failure(of: .script([22, 3, 3, 0, UInt8(hello.count)] + hello, stalls: true))
        #expect(error.reason == .tlsFailure("a message is longer than any of its kind"))
    }

    @Test(arguments: versions) func aCrowdOfCertificatesIsRefused(version: ServerVersion) async throws {
        let limit = TLSContext.certificateCountLimit
        let sent = [world.leaf] + Array(repeating: world.junk, count: limit)
        let error = try await failure(of: .tls(serverSettings(sent, upTo: version)))
        #expect(error.reason == .tooManyCertificates(limit: limit) && error.id == "too-many-certificates")
        let result = try await probe(.tls(serverSettings(sent.dropLast(), upTo: version)))
        #expect(result.presented.certificates.map(\.der) == sent.dropLast().map(\.der))
    }

    @Test func weakKeysAndSignaturesDoNotKeepTheChainFromBeingSeen() async throws {
        let weak = try world.interA.issue(
            .leaf("weak.example.com").with { $0.digest = .sha1 },
            key: try LabKey.shared(.rsa(bits: 1024), label: "weak"))
        for version in versions {
            let settings = TLSServerSettings(presenting: [weak]).with { $0.maximumVersion = version }
            let result = try await probe(.tls(settings))
            #expect(result.presented.leaf.der == weak.der)
        }
    }

    @Test(arguments: versions) func aLeafPresentedWithoutItsKeyIsAnAttack(version: ServerVersion) async throws {
        let impostor = try TLSIdentity.impostor(presenting: [world.leaf, world.interA], signingWith: world.rogue.key)
        let settings = TLSServerSettings([impostor]).with { $0.maximumVersion = version }
        let error = try await failure(of: .tls(settings))
        #expect(error.reason == .keyNotProven)
        #expect(error.phase == .handshake)
    }

    @Test func nothingIsSentAfterTheHandshakeButCloseNotify() async throws {
        for version in versions {
            let settings = serverSettings([world.leaf], upTo: version) { $0.sessionTickets = 0 }
            let (result, seen) = try await observe(.tls(settings))
            #expect(result.failure == nil)
            #expect(seen.completedHandshake)
            #expect(seen.applicationBytesReceived == 0)
            #expect(seen.receivedCloseNotify)
            #expect(seen.clientCertificate == nil)
        }
    }

    @Test func aServerThatFloodsAfterTheHandshakeIsLeft() async throws {
        let settings = TLSServerSettings(presenting: [world.leaf]).with { $0.application = .floods }
        #expect(try await probe(.tls(settings)).presented.certificates.map(\.der) == [world.leaf.der])
    }
}
