import LoopbackLab
import NIOCore
import Synchronization
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct LookupTests {
    @Test func aLookupDeliversAddressesWithThePort() async throws {
        let addresses = try await withCheckedContinuation { continuation in
            let lookup = Lookup(host: "127.0.0.1", port: 8443, family: AF_INET) { continuation.resume(returning: $0) }
            LookupThreads(limit: 1).submit(lookup)
        }.get()
        #expect(addresses.map(\.ipAddress) == ["127.0.0.1"])
        #expect(addresses.map(\.port) == [8443])
    }

    @Test func anAbandonedLookupDeliversNothing() {
        let deliveries = Mutex(0)
        let lookup = Lookup(host: "127.0.0.1", port: 443, family: AF_INET) { _ in deliveries.withLock { $0 += 1 } }
        lookup.abandon()
        lookup.run()
        lookup.complete(.success([]))
        #expect(deliveries.withLock { $0 } == 0)
    }

    @Test func aLookupDeliversOnce() {
        let deliveries = Mutex(0)
        let lookup = Lookup(host: "127.0.0.1", port: 443, family: AF_INET) { _ in deliveries.withLock { $0 += 1 } }
        lookup.run()
        lookup.run()
        #expect(deliveries.withLock { $0 } == 1)
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
                    }.get().first?.ipAddress
                }
            }
            return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(found == Set((1...100).map { "127.0.0.\($0)" }))
    }

    @Test(arguments: [
        ([EAI_NONAME, EAI_NONAME], ProbeError.Reason.nameNotFound),
        ([LookupFailure.noData, EAI_NONAME], .noAddress(.any)), ([], .noAddress(.any)),
    ]) func failuresOfBothFamiliesBecomeOneReason(codes: [Int32], reason: ProbeError.Reason) {
        let failures = codes.map { LookupFailure(code: $0) }
        #expect(LookupFailure.reason(for: failures, of: .resolve(host: "a")) == reason)
    }

    @Test func aResolverWithoutAnAnswerIsNotAMissingName() {
        let failures = [LookupFailure(code: EAI_NONAME), LookupFailure(code: EAI_AGAIN)]
        guard case .resolverFailed = LookupFailure.reason(for: failures, of: .resolve(host: "a")) else {
            return #expect(Bool(false), "a resolver that failed must not pass for a name that does not exist")
        }
    }
}
