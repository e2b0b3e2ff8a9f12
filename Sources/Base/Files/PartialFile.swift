/// A file that grows under a name of its own, over any number of runs, until it is whole and takes its final name.
///
/// For `NAME` that is `NAME.part`, and `NAME.part.record` describes its contents. One process has it at a time, and its
/// part stays when it ends. Neither may be a link or belong to another user, who may write to the directory too.
package final class PartialFile {
    package static let suffix = ".part"
    package static let recordSuffix = ".part.record"
    /// The most bytes of a record.
    private static let recordLimit = 64 * 1_024

    package let path: String
    /// The open file; negative after its end.
    private var descriptor: Int32
    private var partPath: String { path + Self.suffix }
    private var recordPath: String { path + Self.recordSuffix }
    package private(set) var count: Int
    private let isNew: Bool
    /// The record of the partial file; `nil` if there is none.
    package private(set) var record: [UInt8]?

    /// Opens the partial file, or creates it; a file without a record by `isRecord` is not continued.
    ///
    /// - Throws: ``WriteFailure/held`` while another process has it, ``WriteFailure/foreign(_:)`` for a file that
    ///   pincheck did not write.
    package init(becoming path: String, isRecord: ([UInt8]) -> Bool) throws(WriteFailure) {
        guard !path.isEmpty, !path.utf8.contains(0), !PathParts(path).name.isEmpty else { throw .unnamed }
        let target = try SymbolicLinks.target(of: path)
        if FileKind(at: target) == .directory { throw .system(EISDIR) }
        let part = target + Self.suffix
        var descriptor = open(part, Self.flags | O_CREAT | O_EXCL, 0o666)
        let isNew = descriptor >= 0
        if !isNew, errno == EEXIST {
            descriptor = open(part, Self.flags)
            // Another run was at its end, and the file took its final name in between.
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
            // Before the first byte: private contents must not be readable while they arrive.
            let mode = Self.permissions(of: target)
            if let mode, fchmod(descriptor, mode) != 0 { throw .system(errno) }
            record = try Self.record(at: recordPath, narrowedTo: mode)
            if let record, !isRecord(record) { throw .foreign(recordPath) }
            // A run that ended before its first byte left nothing; any other left a record.
            if count > 0, record == nil { throw .foreign(part) }
        } catch {
            if isNew { unlink(part) }
            throw error
        }
    }

    deinit { end() }

    package func end() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Flags that never follow a link and never wait.
    private static let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY

    /// The permissions of this user's file at `path`, without set-user-ID and the like; `nil` if there is none.
    private static func permissions(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == geteuid() ? status.st_mode & 0o777 : nil
    }

    /// Reads the record at `path`, and takes from it the permissions that `mode` lacks; `nil` if there is none.
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

    private func take() throws(WriteFailure) {
        try FileLock.hold(descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        // Another user could change its contents, though a file server may name any owner for a new one. A file with
        // another hard link is more than a part: a copy by links keeps what it has.
        guard FileKind(status) == .regular, isNew || (status.st_uid == geteuid() && status.st_nlink == 1) else {
            throw .foreign(partPath)
        }
        // Another run was at its end between opening and locking.
        guard FileIdentity(of: partPath) == FileIdentity(status) else { throw .held }
        count = Int(status.st_size)
    }

    package func begin(recording record: [UInt8]) throws(WriteFailure) {
        // Emptied first: a record never describes older contents.
        guard ftruncate(descriptor, 0) == 0 else { throw .system(errno) }
        count = 0
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        // A link at this path is replaced, not followed. The URL in the record may be as secret as the contents.
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

    /// Gives the file its final name, because it is whole.
    package func complete() throws(WriteFailure) {
        // The old file was left as it was until now, and its permissions are kept.
        if let mode = Self.permissions(of: path) { fchmod(descriptor, mode) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        // Another file in its place is not what was fetched.
        guard FileIdentity(of: partPath) == FileIdentity(status) else { throw .foreign(partPath) }
        guard rename(partPath, path) == 0 else { throw .system(errno) }
        unlink(recordPath)
    }

    package func discard() {
        unlink(partPath)
        unlink(recordPath)
    }

    /// Removes the file if it is empty, unless it was there before without a record: that is not pincheck's.
    package func discardNothing() { if count == 0, isNew || record != nil { discard() } }
}
