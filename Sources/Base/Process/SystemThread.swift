/// Threads of the system (`pthread_create`), for work that would block an event loop or Swift's own threads.
package enum SystemThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Starts a thread for `work` that is not waited for; `false` if the system gives none.
    package static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let context = Unmanaged.passRetained(Work(run: work)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        let status = pthread_create(&thread, nil, { SystemThread.run($0) }, context)
        #else
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, { $0.flatMap { SystemThread.run($0) } }, context)
        #endif
        if status != 0 { Unmanaged<Work>.fromOpaque(context).release() }
        return status == 0
    }

    private static func run(_ context: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        pthread_detach(pthread_self())
        Unmanaged<Work>.fromOpaque(context).takeRetainedValue().run()
        return nil
    }
}
