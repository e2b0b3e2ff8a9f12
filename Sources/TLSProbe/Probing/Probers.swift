internal import NIOCore
internal import Synchronization

/// Probers with a thread each, among which many probes are spread.
///
/// A probe has the same result whichever of them makes it. Each has an OpenSSL library context of its own, since threads that share
/// one wait for its locks; names are looked up by threads that all share.
package final class Probers: Sendable {
    private let probers: [Prober]
    private let turn = Atomic(0)

    /// More threads than these are never used: each has an OpenSSL of its own.
    package static let mostThreads = 64
    /// How many descriptors the process has for each thread at least, of which its loop takes three: the others are for connections.
    private static let descriptorsForThread = 16
    /// How many probes make up for another set-up of OpenSSL.
    private static let manyProbes = 32

    /// Probers for about `count` probes.
    package init(
        on thread: ProbeThread? = nil, in network: StagedNetwork? = nil, expecting count: Int = 1,
        within descriptors: Int = .max, judgingProxiesBy objection: ProxyObjection? = nil, onAtMost most: Int? = nil
    ) {
        let isForMany = count >= Self.manyProbes
        let worthwhile = count / Self.manyProbes
        let affordable = max(1, descriptors / Self.descriptorsForThread)
        let threads = worthwhile > 1 ? min(worthwhile, most ?? System.coreCount, Self.mostThreads, affordable) : 1
        let lookups = LookupThreads()
        probers = (0..<max(1, threads)).map { number in
            Prober(
                on: number == 0 ? thread : nil, in: network, lookups: lookups,
                numberAmongMany: isForMany ? number : nil, judgingProxiesBy: objection)
        }
    }

    /// How many descriptors the threads take that were made beside the first.
    package var descriptors: Int { 3 * (probers.count - 1) }

    /// The next in turn.
    package func next() -> Prober { probers[(turn.wrappingAdd(1, ordering: .relaxed).oldValue & .max) % probers.count] }

    /// Shuts all of them down, as ``Prober/shutdown()`` does.
    package func shutdown() async { for prober in probers { await prober.shutdown() } }
}
