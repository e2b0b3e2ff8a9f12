internal import NIOCore
package import Pinning

/// Judges the chain that an `https` proxy of this name presents: `nil` for one that is trusted, or why it is not.
///
/// Called on the event loop.
package typealias ProxyObjection = @Sendable (PresentedChain, ServerName) -> String?

/// What all probes of one event loop share.
///
/// Sendable because everything that changes is touched on the event loop only.
final class ProbeWorkshop: @unchecked Sendable {
    let loop: any EventLoop
    let lookups: LookupThreads
    let costlySteps: CostlySteps
    let network: StagedNetwork?
    /// Says why the chain of an `https` proxy is not trusted, `nil` where it is.
    let proxyObjection: ProxyObjection
    /// What is on its way, in no order.
    private(set) var attempts: [any Attempt] = []
    /// The number of the loop among those that share many probes, `nil` where there are few.
    private let numberAmongMany: Int?
    private var madeContext: TLSContext?

    init(
        loop: any EventLoop, lookups: LookupThreads, network: StagedNetwork? = nil, numberAmongMany: Int? = nil,
        proxyObjection: @escaping ProxyObjection = { _, _ in "nobody judges it" }
    ) {
        self.loop = loop
        costlySteps = CostlySteps(on: loop)
        self.proxyObjection = proxyObjection
        self.network = network
        self.lookups = lookups
        self.numberAmongMany = numberAmongMany
    }

    func add(_ attempt: any Attempt) {
        attempt.position = attempts.count
        attempts.append(attempt)
    }

    func remove(_ attempt: any Attempt) {
        guard let last = attempts.popLast(), last !== attempt else { return }
        attempts[attempt.position] = last
        last.position = attempt.position
    }

    /// What looks up the addresses of one host.
    func resolver(family: ProbeRequest.AddressFamily, watch: ProbeWatch?) -> SystemResolver {
        SystemResolver(loop: loop, threads: lookups, network: network, family: family, watch: watch)
    }

    func context() throws(OpenSSLSetUpError) -> TLSContext {
        if let madeContext { return madeContext }
        let library = numberAmongMany.flatMap { TLSContext.library(ofLoop: $0) }
        let context = try TLSContext(in: library)
        madeContext = context
        return context
    }

    /// Makes the context ahead of its use; a failure shows when it is used.
    func prepareContext() { _ = try? context() }
}

/// Work on an event loop that ends with exactly one result.
protocol Attempt: AnyObject {
    var position: Int { get set }

    /// Ends the attempt, or keeps it from starting; called on the event loop.
    func cancel()
}
