/// A thread of the system, for what would block an event loop or Swift's own threads (`pthread_create`).
///
/// Whoever starts one either joins or detaches it, once.
package struct SystemThread {
    private let thread: pthread_t

    private final class Work {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread that does `work` and ends, `nil` when the system gives none.
    package init?(_ work: @escaping @Sendable () -> Void) {
        let context = Unmanaged.passRetained(Work(run: work))
        #if canImport(Darwin)
        var thread: pthread_t?
        let started = pthread_create(&thread, nil, { Self.run($0) }, context.toOpaque())
        #else
        var created = pthread_t()
        let started = pthread_create(&created, nil, { $0.flatMap { Self.run($0) } }, context.toOpaque())
        let thread: pthread_t? = created
        #endif
        guard started == 0, let thread else {
            context.release()
            return nil
        }
        self.thread = thread
    }

    private static func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }

    package func join() { pthread_join(thread, nil) }

    package func detach() { pthread_detach(thread) }
}
