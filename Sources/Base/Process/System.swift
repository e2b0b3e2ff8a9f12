// The C library of the system, for every file that imports Base.
#if canImport(Glibc)
@_exported public import Glibc
#elseif canImport(Darwin)
@_exported public import Darwin
#endif

package enum DescriptorLimit {
    /// Raises the limit of descriptors, and returns the number of connections that can be open at the same time: one
    /// that lacks a descriptor would look like a server that cannot be reached.
    package static func connectionLimit() -> Int {
        var limit = rlimit()
        if getrlimit(descriptorResource, &limit) == 0, limit.rlim_cur < limit.rlim_max {
            limit.rlim_cur = min(limit.rlim_max, 65_536)
            setrlimit(descriptorResource, &limit)
        }
        // Some descriptors are for files, the event loop and name lookups.
        return max(1, current - 64)
    }

    package static var current: Int {
        var limit = rlimit()
        return getrlimit(descriptorResource, &limit) == 0 ? Int(min(limit.rlim_cur, 65_536)) : 128
    }

    #if canImport(Glibc)
    private static let descriptorResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let descriptorResource = RLIMIT_NOFILE
    #endif

    /// `true` if `count` descriptors can still be opened: an event loop needs a few.
    package static func hasFreeDescriptors(_ count: Int = 6) -> Bool {
        let copies = (0..<count).map { _ in dup(STDERR_FILENO) }
        for copy in copies where copy >= 0 { close(copy) }
        return copies.allSatisfy { $0 >= 0 }
    }
}

package enum SystemError {
    package static func message(of code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}

/// Threads of the system (`pthread_create`), for work that would block an event loop or Swift's own threads.
package enum SystemThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `work` on a new thread; `false` if the system refuses.
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
