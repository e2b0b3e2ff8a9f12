import LoopbackLab
import NIOCore
import Pinning
import Synchronization
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct LookupTests {
    @Test func anAbandonedLookupDeliversNothing() {
        let deliveries = Mutex(0)
        let lookup = Lookup(host: "127.0.0.1", port: 443, family: AF_INET) { _ in deliveries.withLock { $0 += 1 } }
        lookup.abandon()
        lookup.run()
        #expect(deliveries.withLock { $0 } == 0)
    }

    @Test func manyLookupsShareFewThreads() async throws {
        let threads = LookupThreads(limit: 2)
        let found = try await withThrowingTaskGroup { group in
            for index in 1...100 {
                group.addTask {
                    try await withCheckedContinuation { continuation in
                        threads.submit(
                            Lookup(host: "127.0.0.\(index)", port: 443, family: AF_INET) {
                                continuation.resume(returning: $0)
                            })
                    }.get().map { "\($0.ipAddress ?? ""):\($0.port ?? 0)" }
                }
            }
            return try await group.reduce(into: Set<[String]>()) { $0.insert($1) }
        }
        #expect(found == Set((1...100).map { ["127.0.0.\($0):443"] }))
    }

    /// A resolver without an answer is not a missing name.
    @Test(arguments: [
        ([EAI_NONAME, EAI_NONAME], "name-not-found"), ([LookupFailure.noData, EAI_NONAME], "no-address"),
        ([], "no-address"), ([EAI_NONAME, EAI_AGAIN], "resolver-failed"),
    ]) func failuresOfBothFamiliesBecomeOneReason(codes: [Int32], id: String) {
        let reason = LookupFailure.reason(for: codes.map { LookupFailure(code: $0) }, of: .resolve(host: "a"))
        #expect(ProbeError(.resolve, reason, target: "a:1").id == id)
    }
}

@Suite(.timeLimit(.minutes(5))) struct AddressSearchTests {
    @Test func aNameHasAllItsAddressesInOrder() async throws {
        try await withProber { prober in
            let all = try await prober.addresses(of: "localhost", timeout: .seconds(20))
            #expect(all.addresses.first == loopback)
            #expect(all.others.values.allSatisfy { $0 == nil })
            let ipv4 = try await prober.addresses(of: "localhost", family: .ipv4, timeout: .seconds(20))
            #expect(ipv4.addresses == [loopback])
            let own = try await prober.addresses(of: "127.0.0.9", timeout: .seconds(20))
            #expect(own.addresses == [IPAddress("127.0.0.9")!])
        }
    }

    @Test(arguments: [
        ("a\u{0}b", AddressFamily.any, ProbeError.Reason.nameNotFound), ("127.0.0.1", .ipv6, .noAddress(.ipv6)),
    ]) func noAddressSaysWhy(host: String, family: AddressFamily, reason: ProbeError.Reason) async throws {
        let error = try await withProber { prober in
            await #expect(throws: ProbeError.self) {
                try await prober.addresses(of: host, family: family, timeout: .seconds(20))
            }
        }
        #expect(error?.reason == reason && error?.phase == .resolve)
    }

    @Test func aResolverThatNeverAnswersIsLeftAtTheDeadline() async throws {
        let timeout = Duration.milliseconds(50)
        // Without a thread no lookup is ever made.
        let prober = Prober(lookups: LookupThreads(limit: 0))
        let error = await #expect(throws: ProbeError.self) {
            try await prober.addresses(of: "localhost", timeout: timeout)
        }
        #expect(error?.reason == .deadlineExceeded(timeout: timeout))
        await prober.shutdown()
    }

    @Test func cancellingTheTaskAbandonsTheSearch() async throws {
        try await withProber { prober in
            let task = Task { () -> ProbeError? in
                withUnsafeCurrentTask { $0?.cancel() }
                do throws(ProbeError) {
                    _ = try await prober.addresses(of: "localhost", timeout: .seconds(20))
                    return nil
                } catch { return error }
            }
            #expect(await task.value?.reason == .cancelled)
        }
    }

    @Test func addressesAreSortedAndGivenOnce() throws {
        let texts = ["10.0.0.2", "::2", "9.9.9.9", "::1", "10.0.0.2", "100.0.0.1"]
        let addresses = HostAddresses(try texts.map { try #require(IPAddress($0)) })
        #expect(addresses.addresses.map(\.description) == ["9.9.9.9", "10.0.0.2", "100.0.0.1", "::1", "::2"])
    }
}

@Suite(.timeLimit(.minutes(5))) struct ConcurrencyTests {
    @Test func twoHundredProbesRunOnOneEventLoop() async throws {
        try await LoopbackServer.serving(.presenting(served)) { server in
            let request = try ProbeRequest(server) { $0.timeout = .seconds(60) }
            try await withProber { prober in
                let chains = try await withThrowingTaskGroup { group in
                    for _ in 0..<200 { group.addTask { try await prober.probe(request).presented } }
                    return try await group.reduce(into: [PresentedChain]()) { $0.append($1) }
                }
                #expect(chains.count == 200)
                #expect(Set(chains).count == 1)
                #expect(chains.first?.certificates.map(\.der) == served.map(\.der))
            }
        }
    }
}

/// A network of a test's own, as the commands of the articles are run in.
@Suite(.timeLimit(.minutes(5))) struct StagedNetworkTests {
    @Test func nothingElseIsEverContacted() async throws {
        let address = IPAddress("203.0.113.7")!
        try await LoopbackServer.serving(.presenting(served)) { server in
            let prober = Prober(
                in: StagedNetwork(
                    names: ["api.example.com": [address], "old.example.com": [IPAddress("203.0.113.9")!]],
                    ports: [PeerAddress(ip: address, port: 443): server.port], loopback: loopback))
            for (request, phase) in [
                (ProbeRequest(to: .resolve(host: "localhost")), ProbeError.Phase.resolve),
                (ProbeRequest(to: .resolve(host: "old.example.com")), .connect),
                (ProbeRequest(to: .address(address), port: 80), .connect),
                (ProbeRequest(to: .address(loopback)), .connect),
            ] { #expect(await outcome(of: request, by: prober).failure?.phase == phase, "\(request.target)") }
            await prober.shutdown()
        }
    }
}
