/// A file that grows under a name of its own, over any number of runs, until it is whole and takes the name it was meant for.
///
/// For `NAME` that is `NAME.part`, and beside it `NAME.part.record` says what is in it. One process has it at a time; whatever ends a
/// process leaves what was written by then. Where others may write to the directory too, nothing of theirs is used: neither file may be
/// a link or another user's file.
package final class PartialFile {
    package static let suffix = ".part"
    package static let recordSuffix = ".part.record"
    /// The most bytes of a record.
    private static let recordLimit = 64 * 1_024

    package let path: String
    /// Negative once it is closed.
    private var descriptor: Int32
    private var partPath: String { path + Self.suffix }
    private var recordPath: String { path + Self.recordSuffix }
    /// How many bytes are there.
    package private(set) var count: Int
    private let isNew: Bool
    /// The record of what is there, `nil` without one.
    package private(set) var record: [UInt8]?

    /// Opens what there is, or begins anew.
    ///
    /// `isRecord` says whether bytes are a record: what has none beside it is not gone on with.
    ///
    /// - Throws: ``WriteFailure``; ``WriteFailure/held`` while another process has it, ``WriteFailure/foreign(_:)`` for what is
    ///   none of pincheck's files.
    package init(becoming path: String, isRecord: ([UInt8]) -> Bool) throws(WriteFailure) {
        guard !path.isEmpty, !path.utf8.contains(0), !PathParts(path).name.isEmpty else { throw .unnamed }
        let target = try SymbolicLinks.target(of: path)
        if FileKind(at: target) == .directory { throw .system(EISDIR) }
        let part = target + Self.suffix
        var descriptor = open(part, Self.flags | O_CREAT | O_EXCL, 0o666)
        let isNew = descriptor >= 0
        if !isNew, errno == EEXIST {
            descriptor = open(part, Self.flags)
            // It took its last name in between: another run was at its end.
            if descriptor < 0, errno == ENOENT { throw .held }
        }
        guard descriptor >= 0 else {
            let code = errno
            let isOther = [.directory, .pipe, .special].contains(FileKind(at: part, followingLinks: false))
            throw isOther ? .foreign(part) : WriteFailure(opening: code)
        }
        (self.path, self.descriptor, self.isNew, count) = (target, descriptor, isNew, 0)
        try take()
        do throws(WriteFailure) {
            // Before its first byte: what is private is not readable while it comes.
            let mode = Self.permissions(of: target)
            if let mode, fchmod(descriptor, mode) != 0 { throw .system(errno) }
            record = try Self.record(at: recordPath, narrowedTo: mode)
            if let record, !isRecord(record) { throw .foreign(recordPath) }
            // A run that ended before its first byte left nothing; anything else has a record.
            if count > 0, record == nil { throw .foreign(part) }
        } catch {
            if isNew { unlink(part) }
            throw error
        }
    }

    deinit { end() }

    /// Lets others have it; nothing is written any more.
    package func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Never through a link, and never waiting.
    private static let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY

    /// Who may do what with the file that is there, `nil` without one of the same owner; whom it runs as is not for another's contents.
    private static func permissions(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == geteuid() ? status.st_mode & 0o777 : nil
    }

    /// Reads a record, and takes from it what the file it is about does not permit; `nil` without one.
    private static func record(at path: String, narrowedTo mode: mode_t?) throws(WriteFailure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        if descriptor < 0, errno == ENOENT { return nil }
        defer { if descriptor >= 0 { close(descriptor) } }
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0, FileKind(status) == .regular,
            status.st_uid == geteuid(), status.st_nlink == 1,
            let bytes = try? BoundedFile.bytes(from: descriptor, limit: recordLimit)
        else { throw .foreign(path) }
        if let mode { fchmod(descriptor, status.st_mode & mode) }
        return bytes
    }

    /// Holds the open file, and notes how long it is.
    private func take() throws(WriteFailure) {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { throw .held }
            // A file system without locks has no turns either.
            guard errno == ENOLCK || errno == EINVAL || errno == ENOTSUP else { throw .system(errno) }
            break
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        // Another user could change what is in it (what another server of files calls a new one's owner is its own matter), and what has
        // another name as well is more than a part: a copy by links keeps what it has.
        guard FileKind(status) == .regular, isNew || (status.st_uid == geteuid() && status.st_nlink == 1) else {
            throw .foreign(partPath)
        }
        // The same, between being opened and being held.
        guard FileIdentity(of: partPath) == FileIdentity(status) else { throw .held }
        count = Int(status.st_size)
    }

    package func begin(recording record: [UInt8]) throws(WriteFailure) {
        // Empty first: a record is never of what was there before.
        guard ftruncate(descriptor, 0) == 0 else { throw .system(errno) }
        count = 0
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        // Whatever stands there by now: what it leads to stays as it is. The URL in it may be as secret as the contents.
        try AtomicFile.replace(recordPath, mode: status.st_mode & 0o666) { (descriptor) throws(OutputError) in
            try Descriptor.write(record, to: descriptor)
        }
        self.record = record
    }

    package func append(_ bytes: UnsafeRawBufferPointer) throws(WriteFailure) {
        var rest = bytes
        while !rest.isEmpty {
            let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(count))
            if written >= 0 {
                count += written
                rest = UnsafeRawBufferPointer(rebasing: rest[written...])
            } else if errno != EINTR {
                throw .system(errno)
            }
        }
    }

    /// Hands over all that is there, from the beginning, in parts.
    package func read(_ body: (UnsafeRawBufferPointer) -> Void) throws(WriteFailure) {
        var length = 0
        do throws(OutputError) {
            try Descriptor.read(descriptor) { bytes in
                body(bytes)
                length += bytes.count
            }
        } catch { throw .output(error) }
        guard length == count else { throw .system(EIO) }
    }

    /// Gives it the name it was meant for: it is whole.
    package func complete() throws(WriteFailure) {
        // What was there stays what it was until now; its permissions are kept.
        if let mode = Self.permissions(of: path) { fchmod(descriptor, mode) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        // Somebody put another in its place: that is not what was fetched.
        guard FileIdentity(of: partPath) == FileIdentity(status) else { throw .foreign(partPath) }
        guard rename(partPath, path) == 0 else { throw .system(errno) }
        unlink(recordPath)
    }

    package func discard() {
        unlink(partPath)
        unlink(recordPath)
    }

    /// Removes it while it is empty; an empty file that was there, and that no record is about, is not ours.
    package func discardNothing() { if count == 0, isNew || record != nil { discard() } }
}
