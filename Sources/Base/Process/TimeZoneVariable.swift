#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The environment variable `TZ`, which names a file that the C library opens whenever a time is taken apart.
package enum TimeZoneVariable {
    /// Lets this process know UTC alone, whatever the variable says: the file may be a pipe, and no time of another zone is ever
    /// shown.
    ///
    /// It goes before any other thread is there.
    package static func ignore() { if getenv("TZ") != nil { setenv("TZ", "UTC0", 1) } }
}
