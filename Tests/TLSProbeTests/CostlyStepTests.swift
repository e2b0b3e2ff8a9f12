import LoopbackLab
import NIOCore
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct CostlyStepTests {
    /// A server whose key exchange is costly, in the manner of TLS 1.2 or of 1.3, where it has to ask for the group first.
    private func server(_ version: TLSProbe.TLSVersion, delivery: ServerBehavior.Delivery = .immediate) throws
        -> ServerBehavior
    {
        let leaf = try world.interA.issue(
            .leaf(StandardPKI.serverName), key: .shared(.rsa(bits: 2048), label: "key exchange"))
        let settings = TLSServerSettings(presenting: [leaf, world.interA]).with {
            if version == .tls13 {
                $0.groups = "ffdhe2048"
            } else {
                $0.maximumVersion = .tls12
                $0.cipherList = "DHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
                $0.bitsOfOwnGroup = 2_048
            }
        }
        return .tls(settings, delivery: delivery)
    }

    /// What a probe comes to, and how long its costly steps took.
    private func costs(_ server: ServerBehavior) async throws -> (result: Handshake, costly: TimeAmount) {
        let work = TargetWork()
        let result = try await TargetWork.$current.withValue(work) { try await probe(server) }
        return (result, work.costly)
    }

    @Test(arguments: [TLSProbe.TLSVersion.tls12, .tls13]) func aCostlyKeyExchangeIsMade(version: TLSProbe.TLSVersion)
        async throws
    {
        let (result, costly) = try await costs(server(version))
        #expect(result.keyExchange == .ephemeralInGroup(bits: 2_048))
        #expect(result.handshakeCompleted)
        #expect(costly > .zero)
    }

    @Test(arguments: versions) func aKeyThatIsCostlyToUseIsUsedInTurn(version: ServerVersion) async throws {
        for (algorithm, isCostly) in [(LabKey.Algorithm.rsaOfLongExponent, true), (.rsa(bits: 2_048), false)] {
            let leaf = try world.interA.issue(
                .leaf(StandardPKI.serverName), key: .shared(algorithm, label: "key exchange"))
            let settings = TLSServerSettings(presenting: [leaf, world.interA]).with { $0.maximumVersion = version }
            let (result, costly) = try await costs(.tls(settings))
            #expect(result.handshakeCompleted && result.presented.leaf.der == leaf.der)
            #expect((costly > .zero) == isCostly)
        }
    }

    @Test(arguments: [TLSProbe.TLSVersion.tls12, .tls13]) func aCostlyKeyExchangeMayComeInPieces(
        version: TLSProbe.TLSVersion
    ) async throws {
        let result = try await probe(server(version, delivery: .drips(bytes: 61, everyMilliseconds: 1)))
        #expect(result.keyExchange == .ephemeralInGroup(bits: 2_048))
    }

    @Test func aCurveThatTheServerHasToAskForIsCheap() async throws {
        let settings = TLSServerSettings(presenting: [world.leaf, world.interA]).with { $0.groups = "P-384" }
        let (result, costly) = try await costs(.tls(settings))
        #expect(result.group == "P-384" && costly == .zero)
    }

    @Test func aShareOfACostlyGroupMayBeSentAtOnce() async throws {
        let result = try await probe(server(.tls13)) { $0.offer.groups = "ffdhe2048" }
        #expect(result.keyExchange == .ephemeralInGroup(bits: 2_048))
    }

    /// What is done on an event loop where costly steps wait: each step takes its turn, and then someone else has work to do.
    @Test func othersHaveTheirTurnBetweenCostlySteps() async throws {
        let log = try await withProber { prober in
            let loop = prober.workshop.loop
            return await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
                loop.execute {
                    let steps = CostlySteps(on: loop)
                    let (first, second) = (TargetWork(), TargetWork())
                    let log = Log(count: 8) { continuation.resume(returning: $0) }
                    for (target, name) in [(first, "A1"), (first, "A2"), (first, "A3"), (second, "B1")] {
                        steps.add(for: target) {
                            let end = NIODeadline.now() + .milliseconds(6)
                            while .now() < end {}
                            log.add(name)
                            loop.assumeIsolated().execute { log.add("other") }
                        }
                    }
                }
            }
        }
        #expect(log == ["A1", "other", "B1", "other", "A2", "other", "A3", "other"])
    }

    @Test func aCostlyStepAfterTheDeadlineIsNotMade() async throws {
        let address = try #require(IPAddress("127.0.0.1"))
        let log = try await withProber { prober in
            let loop = prober.workshop.loop
            return await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
                loop.execute {
                    let log = Log(count: 2) { continuation.resume(returning: $0) }
                    for (timeout, name) in [(Duration.zero, "late"), (.seconds(60), "in time")] {
                        let request = ProbeRequest(to: .address(address), timeout: timeout)
                        let connection = TimedConnection(request, in: prober.workshop)
                        connection.start { _ in }
                        connection.inTurn { log.add(name) }
                        prober.workshop.costlySteps.add(for: TargetWork()) {
                            connection.end()
                            if name == "in time" { log.add("end") }
                        }
                    }
                }
            }
        }
        #expect(log == ["in time", "end"])
    }

    /// Collects what happens and hands it over when it is complete.
    private final class Log {
        private var entries: [String] = []
        private let count: Int
        private let complete: ([String]) -> Void

        init(count: Int, complete: @escaping ([String]) -> Void) {
            self.count = count
            self.complete = complete
        }

        func add(_ entry: String) {
            entries.append(entry)
            if entries.count == count { complete(entries) }
        }
    }
}
