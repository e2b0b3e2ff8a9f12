/// A file that grows under a name of its own, over any number of runs, until it is whole and takes its final name.
///
/// `NAME` grows as `NAME.part`, and `NAME.part.record` describes its contents. One process at a time has them, and they
/// stay when it ends. Neither may be a link or another user's file: others may write to the directory.
package final class PartialFile {
    package static let suffix = ".part"
    package static let recordSuffix = ".part.record"
    private static let recordLimit = 64 * 1_024

    package let path: String
    /// The descriptor of the open file; negative after ``end()``.
    private var descriptor: Int32
    private var partPath: String { path + Self.suffix }
    private var recordPath: String { path + Self.recordSuffix }
    package private(set) var count: Int
    private let isNew: Bool
    package private(set) var record: [UInt8]?

    /// Opens the partial file or creates it; one that has contents is continued only if `isRecord` accepts its record.
    package init(becoming path: String, isRecord: ([UInt8]) -> Bool) throws(WriteFailure) {
        guard !path.isEmpty, !path.utf8.contains(0), !PathParts(path).name.isEmpty else { throw .unnamed }
        let target = try SymbolicLinks.target(of: path)
        if FileKind(at: target) == .directory { throw .system(EISDIR) }
        let part = target + Self.suffix
        var descriptor = open(part, O_RDWR | O_CREAT | O_EXCL | Self.flags, 0o666)
        let isNew = descriptor >= 0
        if !isNew, errno == EEXIST {
            descriptor = open(part, O_RDWR | Self.flags)
            // Another run gave the file its final name between the two calls.
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
            // Set before the first byte: private contents must not be readable while they arrive.
            let mode = Self.permissions(of: target)
            if let mode, fchmod(descriptor, mode) != 0 { throw .system(errno) }
            record = try Self.record(at: recordPath, narrowedTo: mode)
            if let record, !isRecord(record) { throw .foreign(recordPath) }
            // Every run writes its record before the first byte.
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

    private static let flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY

    /// The permissions of the file at `path`, without set-user-ID and the like; `nil` if this user has no file there.
    private static func permissions(of path: String) -> mode_t? {
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == geteuid() ? status.st_mode & 0o777 : nil
    }

    private static func record(at path: String, narrowedTo mode: mode_t?) throws(WriteFailure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | flags)
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
        // Another user could change the contents; the owner of a new file does not count, because a file server may
        // choose it. A file with another hard link may belong to a copy made of links, which has to keep its contents.
        guard FileKind(status) == .regular, isNew || (status.st_uid == geteuid() && status.st_nlink == 1) else {
            throw .foreign(partPath)
        }
        // Another run gave the file its final name between opening and locking.
        guard FileIdentity(of: partPath) == FileIdentity(status) else { throw .held }
        count = Int(status.st_size)
    }

    package func begin(recording record: [UInt8]) throws(WriteFailure) {
        // Emptied first, so that a record never describes older contents.
        guard ftruncate(descriptor, 0) == 0 else { throw .system(errno) }
        count = 0
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        // A link at this path is replaced, not followed. The URL in the record may be as secret as the contents.
        try AtomicFile.replace(recordPath, mode: status.st_mode & 0o666, with: record)
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
        lseek(descriptor, 0, SEEK_SET)
        let code = BoundedFile.each(of: descriptor) { bytes in
            body(bytes)
            length += bytes.count
            return true
        }
        guard code == 0, length == count else { throw .system(code == 0 ? EIO : code) }
    }

    package func complete() throws(WriteFailure) {
        // The file that is replaced was not changed until now; the new one gets its permissions.
        if let mode = Self.permissions(of: path) { fchmod(descriptor, mode) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        // A file that has taken the place of the open one was not fetched.
        guard FileIdentity(of: partPath) == FileIdentity(status) else { throw .foreign(partPath) }
        guard rename(partPath, path) == 0 else { throw .system(errno) }
        unlink(recordPath)
    }

    package func discard() {
        unlink(partPath)
        unlink(recordPath)
    }

    /// Removes the file if it is empty; one that existed before without a record is not pincheck's, and stays.
    package func discardNothing() { if count == 0, isNew || record != nil { discard() } }
}
