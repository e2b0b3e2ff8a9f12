/// Reads files up to a size, and does not wait for a pipe or a device that may never give anything.
package enum BoundedFile {
    package enum Accepted {
        /// Only regular files, for a path that the user did not name for this run.
        case regularFiles
        case regularFilesAndPipes
        /// Everything that opens, devices such as `/dev/stdin` included.
        case anything

        fileprivate func check(_ kind: FileKind) throws(ReadFailure) {
            switch (kind, self) {
            case (_, .anything), (.regular, _), (.pipe, .regularFilesAndPipes): return
            case (.absent, _): throw .absent(ENOENT)
            case (.inaccessible(let code), _): throw .system(code)
            default: throw .wrongKind(kind)
            }
        }
    }

    /// The bytes of a file; a pipe's first writer has a second to come, and a device must give something every second.
    package static func bytes(
        at path: String, limit: Int, accepting accepted: Accepted = .regularFiles
    ) throws(ReadFailure) -> [UInt8] {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .unnamed }
        // Opening a device can have an effect, and opening a pipe wakes its writer.
        if case .anything = accepted {} else { try accepted.check(FileKind(at: path)) }
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { throw ReadFailure(errno) }
        defer { close(descriptor) }
        ReadLog.current?.add(path)
        return try contents(of: descriptor, limit: limit, accepting: accepted)
    }

    package static func bytes(from descriptor: Int32, limit: Int) throws(ReadFailure) -> [UInt8] {
        try bytes(from: descriptor, expecting: 0, limit: limit, patience: -1)
    }

    /// The first `count` bytes of the regular file at `path`, or fewer; `nil` if it cannot be read.
    package static func start(of path: String, count: Int) -> [UInt8]? {
        guard FileKind(at: path) == .regular else { return nil }
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = read(descriptor, &bytes, count)
        return length < 0 ? nil : Array(bytes.prefix(length))
    }

    /// Visits the bytes of the regular file at `path`, chunk by chunk, until `visit` returns `false`.
    package static func each(at path: String, _ visit: (UnsafeRawBufferPointer) -> Bool) throws(ReadFailure) {
        try Accepted.regularFiles.check(FileKind(at: path))
        let descriptor = open(path, flags)
        guard descriptor >= 0 else { throw ReadFailure(errno) }
        defer { close(descriptor) }
        let code = each(of: descriptor, visit)
        guard code == 0 else { throw .system(code) }
    }

    /// Visits the bytes of an open file from its position on; returns the code in `errno` of a failure, else 0.
    static func each(of descriptor: Int32, _ visit: (UnsafeRawBufferPointer) -> Bool) -> Int32 {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 8)
        defer { buffer.deallocate() }
        while true {
            let length = read(descriptor, buffer.baseAddress, buffer.count)
            if length < 0, errno == EINTR { continue }
            guard length >= 0 else { return errno }
            guard length > 0, visit(UnsafeRawBufferPointer(rebasing: buffer[..<length])) else { return 0 }
        }
    }

    /// Flags that do not block: opening a pipe without a writer would, and a pipe can replace a file at any moment.
    private static let flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY

    /// The time for a pipe's first writer, in milliseconds; enough for a process that was started just now.
    private static let patience: Int32 = 1_000

    private static func contents(
        of descriptor: Int32, limit: Int, accepting accepted: Accepted
    ) throws(ReadFailure) -> [UInt8] {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(errno) }
        let kind = FileKind(status)
        try accepted.check(kind)
        if kind == .regular, status.st_size > limit { throw .tooLarge(limit: limit) }
        // A device that has nothing now may never have anything.
        let patience = kind == .pipe ? -1 : self.patience
        let bytes = try bytes(from: descriptor, expecting: Int(status.st_size), limit: limit, patience: patience)
        guard bytes.isEmpty, kind == .pipe else { return bytes }
        // No process has the pipe open for writing, or none has written yet.
        if Descriptor.wait(for: POLLIN, on: descriptor, milliseconds: self.patience) {
            let bytes = try self.bytes(from: descriptor, expecting: 0, limit: limit, patience: patience)
            if !bytes.isEmpty { return bytes }
        }
        throw .withoutWriter
    }

    private static func bytes(
        from descriptor: Int32, expecting count: Int, limit: Int, patience: Int32
    ) throws(ReadFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        // The file may have grown since its size was read, and files in /proc have the size 0.
        let size = max(count + 1, 1 << 12)
        while true {
            var length = 0
            let part = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
                length = read(descriptor, buffer.baseAddress, size)
                count = max(0, length)
            }
            if length < 0, errno == EINTR { continue }
            if length < 0, errno == EAGAIN {
                guard Descriptor.wait(for: POLLIN, on: descriptor, milliseconds: patience) else { throw .silent }
                continue
            }
            guard length >= 0 else { throw .system(errno) }
            guard length > 0 else { return bytes }
            guard bytes.count + length <= limit else { throw .tooLarge(limit: limit) }
            // Most files are one part, which is not copied.
            if bytes.isEmpty { bytes = part } else { bytes += part }
        }
    }
}

/// The reason why a file or directory could not be read; the caller words the message.
package enum ReadFailure: Error, Hashable {
    /// The path is empty or contains a NUL.
    case unnamed
    /// The path, or a directory in it, does not exist (ENOENT, ENOTDIR, ENAMETOOLONG).
    case absent(Int32)
    case wrongKind(FileKind)
    case tooLarge(limit: Int)
    case withoutWriter
    /// A device gave nothing for a second, and may never give anything.
    case silent
    /// Any other reason: the code in `errno`.
    case system(Int32)

    init(_ code: Int32) { self = [ENOENT, ENOTDIR, ENAMETOOLONG].contains(code) ? .absent(code) : .system(code) }
}

package enum FileKind: Hashable {
    case regular, directory, pipe
    /// A socket or a device.
    case special
    case absent
    /// A file whose kind cannot be read: the code in `errno`.
    case inaccessible(Int32)

    /// The kind of what is at `path`; a symbolic link that is not followed is `special`.
    package init(at path: String, followingLinks: Bool = true) {
        // C would end the path at the NUL and look at another file.
        guard !path.isEmpty, !path.utf8.contains(0) else {
            self = .absent
            return
        }
        var status = stat()
        if (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 {
            self.init(status)
        } else {
            let code = errno
            self = ReadFailure(code) == .absent(code) ? .absent : .inaccessible(code)
        }
    }

    package init(_ status: stat) {
        self =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFIFO: .pipe
            default: .special
            }
    }
}
