internal import NIOCore
internal import NIOPosix

/// A thread that is the event loop of probes and runs the tasks around them, one thing at a time.
///
/// For a process that checks one server. The thread it was born with is enough: the concurrency runtime's own threads, their
/// waking each other and a heap for each cost a sixth of such a check. Work for several servers belongs on several threads.
package final class ProbeThread: TaskExecutor {
    let loop: any EventLoop

    private init(loop: any EventLoop) { self.loop = loop }

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

    /// Runs a step of a task when the thread comes to it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
