package enum DescriptorLimit {
    /// Raises the limit of descriptors, and returns the number of connections that can be open at the same time.
    ///
    /// A connection that lacks a descriptor would look like a server that cannot be reached.
    package static func connectionLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(descriptorResource, &limit) == 0 else { return 128 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, 65_536)
            if setrlimit(descriptorResource, &raised) == 0 { limit = raised }
        }
        // Some descriptors are for files, the event loop and name lookups.
        return max(1, Int(min(limit.rlim_cur, 65_536)) - 64)
    }

    /// The number of descriptors that the process may have as it is.
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
    /// The system's words for an `errno` value.
    package static func message(of code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }
}
