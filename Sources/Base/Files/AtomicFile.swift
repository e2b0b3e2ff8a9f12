/// Replaces files so that readers find either the whole old file or the whole new one.
///
/// The contents go to a temporary file next to the target (`.NAME.pincheck-` with a number), are flushed to the disk,
/// and take the target's name by rename(2). A killed run leaves the temporary file behind: a file without a name
/// (`O_TMPFILE`) cannot replace another.
package enum AtomicFile {
    /// Replaces the file at `path`, or creates it.
    ///
    /// The file behind a symbolic link is replaced. It keeps its permissions, and its owner if the system allows it;
    /// its other hard links keep the old contents. A terminal, pipe or device (`/dev/stdout`) is written in place.
    ///
    /// - Throws: ``WriteFailure``; the file is then as it was, and the temporary file is gone.
    package static func write(_ contents: [UInt8], to path: String, mode: mode_t = 0o666) throws(WriteFailure) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .unnamed }
        if let file = try OpenFile(at: path) { return try file.write(contents) }
        let target = try SymbolicLinks.target(of: path)
        var status = stat()
        let isThere = stat(target, &status) == 0
        guard !isThere || access(target, W_OK) == 0 else { throw .system(errno) }
        try replace(target, like: isThere ? status : nil, mode: mode, with: contents)
    }

    package static func isStandardOutput(_ path: String) -> Bool { descriptor(named: path) == STDOUT_FILENO }

    /// The descriptor of this process that `path` names; its file is written in place, not replaced.
    package static func descriptor(named path: String) -> Int32? {
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            let prefix = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
            return prefix.flatMap { Int32(path.dropFirst($0.count)) }
        }
    }

    /// Replaces `path` itself, even if it is a symbolic link, or creates it; a failure leaves it as it was.
    static func replace(
        _ path: String, like old: stat? = nil, mode: mode_t, with contents: [UInt8]
    ) throws(WriteFailure) {
        // A signal meanwhile would leave the temporary file behind.
        try Interruption.deferring { () throws(WriteFailure) in
            let parts = PathParts(path)
            guard !parts.name.isEmpty else { throw .system(EISDIR) }
            let (descriptor, temporary) = try makeTemporary(beside: parts, mode: old == nil ? mode : 0o600)
            do throws(WriteFailure) {
                defer { close(descriptor) }
                if let old {
                    // The permissions are always kept, the owner only if the system allows it.
                    _ = fchown(descriptor, old.st_uid, old.st_gid)
                    guard fchmod(descriptor, old.st_mode & 0o777) == 0 else { throw .system(errno) }
                }
                try Descriptor.write(contents, to: descriptor)
                guard fsync(descriptor) == 0 || errno == EINVAL else { throw .system(errno) }
                guard rename(temporary, path) == 0 else { throw .system(errno) }
            } catch {
                unlink(temporary)
                throw error
            }
            flush(directory: parts.directory)
        }
    }

    /// Creates a temporary file; never opens one that exists or follows a link.
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

    /// Makes the new name survive a loss of power, after which the whole old file would be back otherwise.
    private static func flush(directory: String) {
        let descriptor = open(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

/// The reason why a file could not be written; the caller words the message.
package enum WriteFailure: Error, Hashable {
    /// The path is empty or contains a NUL.
    case unnamed
    /// The path is a pipe without a reader.
    case withoutReader
    /// No temporary file can be made next to the target: the code in `errno`.
    case noRoom(Int32)
    case held
    /// The reader went away (`EPIPE`): it has seen enough, so this is not a fault of a stream.
    case brokenPipe
    /// The file at this path is not from an earlier run: it is another user's, a link, or without a record.
    case foreign(String)
    /// Any other reason: the code in `errno`.
    case system(Int32)

    package init(opening code: Int32) { self = code == ENXIO ? .withoutReader : .system(code) }
}
