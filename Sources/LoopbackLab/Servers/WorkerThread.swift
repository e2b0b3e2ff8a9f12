#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A thread that was started and is to be joined exactly once.
///
/// Threads of the system and not tasks: a server that blocks must not take a place in the pool the code under test runs on.
///
/// Sendable because pthread_t, which is a pointer on some systems, only names the thread and may be used from any other.
struct WorkerThread: @unchecked Sendable {
    private let handle: pthread_t

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts a thread that runs `body` (pthread_create).
    init(_ body: @escaping @Sendable () -> Void) throws(LabError) {
        let context = Unmanaged.passRetained(Work(body))
        #if canImport(Darwin)
        var created: pthread_t?
        let status = pthread_create(
            &created, nil,
            { context in
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        #else
        var started = pthread_t()
        let status = pthread_create(
            &started, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
                return nil
            }, context.toOpaque())
        let created: pthread_t? = started
        #endif
        guard status == 0, let created else {
            context.release()
            throw .system(operation: "start a thread", code: status)
        }
        handle = created
    }

    /// Waits until the thread is gone (pthread_join).
    func join() { pthread_join(handle, nil) }
}
