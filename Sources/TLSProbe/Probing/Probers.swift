import Base
import NIOCore
import NIOPosix
package import Pinning
import Synchronization

/// Probers with a thread each, among which many probes are spread; a probe has the same result on each.
///
/// Each has an OpenSSL library context, because threads that share one wait for its locks; look-up threads are shared.
package final class Probers: Sendable {
    private let probers: [Prober]
    private let turn = Atomic(0)

    /// The most threads; each has its own OpenSSL.
    static let mostThreads = 64
    /// The fewest descriptors for a thread: its loop takes three, connections the others.
    private static let descriptorsForThread = 16
    /// The number of probes for which another set-up of OpenSSL pays.
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

    /// Probers for all checks of a process; `nil` if descriptors for their loops are lacking, which would be fatal.
    package convenience init?(sharedWithin descriptors: Int) {
        guard DescriptorLimit.hasFreeDescriptors(3 * min(System.coreCount, Self.mostThreads) + 3) else { return nil }
        self.init(expecting: .max, within: descriptors)
    }

    /// The descriptors of all threads but the first.
    package var descriptors: Int { 3 * (probers.count - 1) }

    package func next() -> Prober { probers[(turn.wrappingAdd(1, ordering: .relaxed).oldValue & .max) % probers.count] }

    package func shutdown() async { for prober in probers { await prober.shutdown() } }
}

/// A thread that is the event loop of probes and runs the tasks around them, for a process that checks one server.
///
/// The concurrency runtime's threads, which wake each other and have a heap each, cost a sixth of such a check.
package final class ProbeThread: TaskExecutor {
    let loop: any EventLoop

    init(loop: any EventLoop) { self.loop = loop }

    /// Makes the calling thread a probe thread for the life of the process.
    ///
    /// OpenSSL is set up there while the server's answer travels; a thread for it costs 7 % of a check, and saves none.
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

/// Judges an `https` proxy, on the event loop, or a service; returns the reason and the remedy, `nil` if it is trusted.
package typealias ServiceObjection = @Sendable (Handshake, ServerName) -> (why: String, remedy: String?)?

protocol Attempt: AnyObject {
    /// Ends the attempt, or prevents its start; called on the event loop.
    func cancel()
}
