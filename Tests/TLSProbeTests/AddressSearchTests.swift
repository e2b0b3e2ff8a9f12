import NIOCore
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct AddressSearchTests {
    @Test func aNameHasAllItsAddressesInOrder() async throws {
        try await withProber { prober in
            let all = try await prober.addresses(of: "localhost", timeout: .seconds(20))
            let loopback = try #require(IPAddress("127.0.0.1"))
            #expect(all.addresses.first == loopback)
            #expect(all.gaps.isEmpty)
            let ipv4 = try await prober.addresses(of: "localhost", family: .ipv4, timeout: .seconds(20))
            #expect(ipv4.addresses == [loopback])
        }
    }

    @Test func anAddressIsItsOwnAnswer() async throws {
        try await withProber { prober in
            let all = try await prober.addresses(of: "127.0.0.9", timeout: .seconds(20))
            #expect(all == HostAddresses([try #require(IPAddress("127.0.0.9"))]))
        }
    }

    @Test(arguments: [
        ("a\u{0}b", ProbeRequest.AddressFamily.any, ProbeError.Reason.nameNotFound),
        ("127.0.0.1", .ipv6, .noAddress(.ipv6)),
    ]) func aNameWithoutAddressesSaysWhy(host: String, family: ProbeRequest.AddressFamily, reason: ProbeError.Reason)
        async throws
    {
        let error = try await withProber { prober in
            await #expect(throws: ProbeError.self) {
                try await prober.addresses(of: host, family: family, timeout: .seconds(20))
            }
        }
        #expect(error?.reason == reason && error?.phase == .resolve)
    }

    @Test func aResolverThatNeverAnswersIsLeftAtTheDeadline() async throws {
        let timeout = Duration.milliseconds(50)
        try await withProber { prober in
            let loop = prober.workshop.loop
            // Without a thread no lookup is ever made.
            let workshop = ProbeWorkshop(loop: loop, lookups: LookupThreads(limit: 0))
            let search = AddressSearch(host: "localhost", family: .any, timeout: timeout, in: workshop)
            let result = await withCheckedContinuation { continuation in
                loop.execute { search.start { continuation.resume(returning: $0) } }
            }
            #expect(result.failure?.reason == .deadlineExceeded(timeout: timeout))
        }
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
