internal import Base
internal import NIOCore
internal import NIOPosix
package import Pinning
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

    package init(
        on thread: ProbeThread? = nil, in network: StagedNetwork? = nil, expecting count: Int = 1,
        within descriptors: Int = .max, judgingProxiesBy objection: ServiceObjection? = nil
    ) {
        let isForMany = count >= Self.manyProbes
        let worthwhile = count / Self.manyProbes
        let affordable = max(1, descriptors / Self.descriptorsForThread)
        let threads = worthwhile > 1 ? min(worthwhile, System.coreCount, Self.mostThreads, affordable) : 1
        let lookups = LookupThreads()
        probers = (0..<max(1, threads)).map { number in
            Prober(
                on: number == 0 ? thread : nil, in: network, lookups: lookups,
                numberAmongMany: isForMany ? number : nil, judgingProxiesBy: objection)
        }
    }

    /// Probers for all checks of a process; `nil` if it has no descriptors for their loops: a loop that cannot be made ends the process.
    package convenience init?(sharedWithin descriptors: Int) {
        guard DescriptorLimit.hasFreeDescriptors(3 * min(System.coreCount, Self.mostThreads) + 3) else { return nil }
        self.init(expecting: .max, within: descriptors)
    }

    /// How many descriptors the threads take that were made beside the first.
    package var descriptors: Int { 3 * (probers.count - 1) }

    package func next() -> Prober { probers[(turn.wrappingAdd(1, ordering: .relaxed).oldValue & .max) % probers.count] }

    package func shutdown() async { for prober in probers { await prober.shutdown() } }
}

/// A thread that is the event loop of probes and runs the tasks around them, one thing at a time.
///
/// For a process that checks one server. The thread it was born with is enough: the concurrency runtime's own threads, their
/// waking each other and a heap for each cost a sixth of such a check. Work for several servers belongs on several threads.
package final class ProbeThread: TaskExecutor {
    let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    /// Makes the calling thread a probe thread for as long as the process lives.
    ///
    /// OpenSSL is set up there as well, while the server's answer to a connection is on its way: a thread of its own for that costs
    /// 7 % of a check's time, and saves none.
    package static func run(_ body: @escaping @Sendable (ProbeThread) async -> Never) -> Never {
        MultiThreadedEventLoopGroup.withCurrentThreadAsEventLoop { loop in
            let thread = ProbeThread(loop: loop)
            _ = Task(executorPreference: thread) { await body(thread) }
        }
        preconditionFailure("the event loop ended, which nobody asked for")
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Judges what an `https` proxy or a service of this name showed: `nil` for one that is trusted, or why it is not, and what would mend
/// that unless it is its root.
///
/// Of a proxy's it is called on the event loop.
package typealias ServiceObjection = @Sendable (Handshake, ServerName) -> (why: String, remedy: String?)?

/// Work on an event loop that ends with exactly one result.
protocol Attempt: AnyObject {
    /// Ends the attempt, or keeps it from starting; called on the event loop.
    func cancel()
}
