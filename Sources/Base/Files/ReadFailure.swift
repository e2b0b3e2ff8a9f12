#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Why a file or directory could not be read; the caller has the words.
package enum ReadFailure: Error, Hashable, Sendable {
    /// The path is empty or holds a NUL.
    case unnamed
    /// Nothing stands at the path: the code in `errno` says which part of it is missing.
    case absent(Int32)
    case wrongKind(FileKind)
    /// It has more bytes than allowed.
    case tooLarge(limit: Int)
    /// It is a pipe without a writer.
    case withoutWriter
    /// It gives nothing, as devices may for ever.
    case silent
    /// Anything else: the code in `errno`.
    case system(Int32)

    /// The failure of a call that left `code` in `errno`.
    init(_ code: Int32) { self = [ENOENT, ENOTDIR, ENAMETOOLONG].contains(code) ? .absent(code) : .system(code) }
}
