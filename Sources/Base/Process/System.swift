package enum DescriptorLimit {
    /// How many connections can be open at the same time, after asking the system for as many as it gives.
    ///
    /// A connection that cannot be opened for want of a descriptor would look like a server that cannot be reached.
    package static func connectionLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(descriptorResource, &limit) == 0 else { return 128 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, 65_536)
            if setrlimit(descriptorResource, &raised) == 0 { limit = raised }
        }
        // Some are for files, the event loop and name lookups.
        return max(1, Int(min(limit.rlim_cur, 65_536)) - 64)
    }

    /// How many descriptors the process may have as it is; nothing is changed.
    package static var current: Int {
        var limit = rlimit()
        return getrlimit(descriptorResource, &limit) == 0 ? Int(min(limit.rlim_cur, 65_536)) : 128
    }

    #if canImport(Glibc)
    private static let descriptorResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let descriptorResource = RLIMIT_NOFILE
    #endif

    /// Whether so many descriptors can still be opened: without a few, the event loop cannot even be made.
    package static func hasFreeDescriptors(_ count: Int = 6) -> Bool {
        let copies = (0..<count).map { _ in dup(STDERR_FILENO) }
        for copy in copies where copy >= 0 { close(copy) }
        return copies.allSatisfy { $0 >= 0 }
    }
}

package enum SystemError {
    /// The system's words for an `errno` value.
    package static func message(of code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
