internal import Synchronization

/// Writes files that are, at every moment, the old one or the new one, whole.
///
/// The contents go to a temporary file beside the target, `.NAME.pincheck-` with a number, are flushed to the disk, and take the
/// target's name with rename(2). A run that is killed meanwhile leaves that file; a file without a name (`O_TMPFILE`) cannot take the
/// place of one that has it.
package enum AtomicFile {
    package typealias Filling = (Int32) throws(OutputError) -> Void

    /// Replaces the file at `path`, or makes it, with all of `contents`.
    ///
    /// - Throws: ``WriteFailure``, as ``write(to:mode:fill:)``.
    package static func write(_ contents: [UInt8], to path: String, mode: mode_t = 0o666) throws(WriteFailure) {
        try write(to: path, mode: mode) { (descriptor) throws(OutputError) in
            try Descriptor.write(contents, to: descriptor)
        }
    }

    /// Replaces the file at `path`, or makes it, with what `fill` writes.
    ///
    /// A symbolic link stays and the file it names is replaced. A file that is replaced keeps its permissions, and its owner
    /// where the system allows; other hard links to it keep the old contents. A terminal, a pipe or a device
    /// (`/dev/stdout`) is written to as it is.
    ///
    /// - Throws: ``WriteFailure``; the file is then as it was and the temporary file is gone.
    package static func write(to path: String, mode: mode_t = 0o666, fill: Filling) throws(WriteFailure) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .unnamed }
        if let file = try OpenFile(at: path) { return try write(into: file.descriptor, fill) }
        let target = try SymbolicLinks.target(of: path)
        var status = stat()
        let isThere = stat(target, &status) == 0
        guard !isThere || access(target, W_OK) == 0 else { throw .system(errno) }
        try replace(target, like: isThere ? status : nil, mode: mode, fill: fill)
    }

    private static func write(into descriptor: Int32, _ fill: Filling) throws(WriteFailure) {
        do throws(OutputError) { try fill(descriptor) } catch { throw .output(error) }
    }

    package static func isStandardOutput(_ path: String) -> Bool { descriptor(named: path) == STDOUT_FILENO }

    /// The descriptor of this process that a path stands for; a file behind it is added to, not replaced.
    package static func descriptor(named path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let prefix = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
            return prefix.flatMap { Int32(path.dropFirst($0.count)) }
        }
    }

    /// Replaces what stands at `path` itself, a symbolic link as well, or makes it; never anything elsewhere.
    ///
    /// - Throws: ``WriteFailure``; what stands there is then as it was.
    static func replace(_ path: String, like old: stat? = nil, mode: mode_t, fill: Filling) throws(WriteFailure) {
        // A signal in between would leave the temporary file behind.
        try Interruption.deferring { () throws(WriteFailure) in
            let parts = PathParts(path)
            guard !parts.name.isEmpty else { throw .system(EISDIR) }
            let (descriptor, temporary) = try makeTemporary(beside: parts, mode: old == nil ? mode : 0o600)
            do throws(WriteFailure) {
                defer { close(descriptor) }
                if let old {
                    // Another owner is kept where that is allowed; the permissions always.
                    _ = fchown(descriptor, old.st_uid, old.st_gid)
                    guard fchmod(descriptor, old.st_mode & 0o777) == 0 else { throw .system(errno) }
                }
                try write(into: descriptor, fill)
                guard fsync(descriptor) == 0 || errno == EINVAL else { throw .system(errno) }
                guard rename(temporary, path) == 0 else { throw .system(errno) }
            } catch {
                unlink(temporary)
                throw error
            }
            flush(directory: parts.directory)
        }
    }

    /// Opens a temporary file of its own; never one that is there, nor what a link there leads to.
    private static func makeTemporary(
        beside parts: PathParts, mode: mode_t
    ) throws(WriteFailure) -> (descriptor: Int32, path: String) {
        while true {
            let temporary = parts.hidden(".pincheck-") + String(UInt32.random(in: 0..<(.max)))
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
            if descriptor >= 0 { return (descriptor, temporary) }
            guard errno == EEXIST else { throw .noRoom(errno) }
        }
    }

    /// Makes the new name survive a loss of power; without it the old file would be there again, whole as well.
    private static func flush(directory: String) {
        let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

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
    /// Another run has it.
    case held
    /// What was to be written did not get there.
    case output(OutputError)
    /// What stands at this path is not of an earlier run: another user's, a link, or without a record.
    case foreign(String)
    /// Anything else: the code in `errno`.
    case system(Int32)

    /// The failure of opening a file for writing that left `code` in `errno`.
    package init(opening code: Int32) { self = code == ENXIO ? .withoutReader : .system(code) }
}

/// Text that waits until it is whole: in memory, and what is too much for that in a file without a name, which goes with the process.
package final class Spool: Sendable {
    /// How much is kept in memory, in bytes.
    package static let memory = 4 << 20

    private let state = Mutex((bytes: [UInt8](), descriptor: Int32(-1)))

    private let directory: String

    /// - Parameter directory: where the file would be made.
    package init(in directory: String) { self.directory = directory }

    deinit {
        let descriptor = state.withLock(\.descriptor)
        if descriptor >= 0 { close(descriptor) }
    }

    package func add(_ bytes: [UInt8]) throws(OutputError) {
        try state.withLock { [directory] (state) throws(OutputError) in
            state.bytes += bytes
            guard state.bytes.count > Self.memory else { return }
            do throws(OutputError) {
                if state.descriptor < 0 {
                    var path = Array((directory + "/pincheck-XXXXXX").utf8CString)
                    state.descriptor = mkstemp(&path)
                    guard state.descriptor >= 0 else { throw .failed(SystemError.message(of: errno)) }
                    unlink(path)
                    _ = fcntl(state.descriptor, F_SETFD, FD_CLOEXEC)
                }
                try Descriptor.write(state.bytes, to: state.descriptor)
            } catch {
                guard case .failed(let reason) = error else { throw error }
                throw .failed("it cannot wait in \(quoted(directory)) (TMPDIR): \(reason)")
            }
            state.bytes = []
        }
    }

    /// Writes all of it to an open descriptor.
    package func copy(to output: Int32) throws(OutputError) {
        try state.withLock { (state) throws(OutputError) in
            if state.descriptor >= 0 {
                try Descriptor.read(state.descriptor) { (chunk) throws(OutputError) in
                    try Descriptor.write(Array(chunk), to: output)
                }
            }
            try Descriptor.write(state.bytes, to: output)
        }
    }
}
