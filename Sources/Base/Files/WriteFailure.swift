#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Why bytes could not be written to what is open.
package enum OutputError: Error, Hashable, Sendable {
    /// The reader went away (`EPIPE`): it has seen enough, so this is no fault.
    case brokenPipe
    /// Anything else, in the words of the system.
    case failed(String)
}

/// Why a file could not be written; the caller has the words.
package enum WriteFailure: Error, Hashable, Sendable {
    /// The path is empty or holds a NUL.
    case unnamed
    /// It is a pipe without a reader.
    case withoutReader
    /// No new file can be made beside it, in which its contents would wait: the code in `errno`.
    case noRoom(Int32)
    /// Unfinished files have all the names that those of this pattern can have.
    case unfinishedFiles(pattern: String, count: Int)
    /// Another run has it.
    case held
    /// What was to be written did not get there.
    case output(OutputError)
    /// What stands at this path is not of an earlier run: another user's, a link, or without a record.
    case foreign(String)
    /// Anything else: the code in `errno`.
    case system(Int32)

    /// What kept a path from being followed.
    init(_ failure: ReadFailure) {
        if case .system(let code) = failure { self = .system(code) } else { self = .unnamed }
    }

    /// The failure of opening a file for writing that left `code` in `errno`.
    package init(opening code: Int32) { self = code == ENXIO ? .withoutReader : .system(code) }
}
