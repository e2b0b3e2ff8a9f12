internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The environment variable `TZ`, which names a file that the C library opens whenever a time is taken apart.
package enum TimeZoneVariable {
    private static let original = Mutex<String?>(nil)

    /// Lets this process know UTC alone, whatever the variable says: the file may be a pipe, and no time of another zone is ever
    /// shown.
    ///
    /// It goes before any other thread is there.
    package static func ignore() {
        guard let value = getenv("TZ") else { return }
        original.withLock { $0 = String(cString: value) }
        setenv("TZ", "UTC0", 1)
    }

    /// What it said before, `nil` where it is as it was.
    static var ignoredValue: String? { original.withLock(\.self) }
}
