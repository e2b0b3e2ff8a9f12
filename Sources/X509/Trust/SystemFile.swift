#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

/// Reads files that nobody named for this run: the system's roots.
///
/// Whatever stands in their place must neither block nor fill the memory: only regular files of bounded size are read.
enum SystemFile {
    /// What stands at a path.
    enum Contents {
        /// A regular file with these bytes.
        case bytes([UInt8])
        /// Something that is no regular file, or cannot be read.
        case unusable
        /// A regular file that is larger than allowed.
        case tooLarge
        /// Nothing.
        case absent
    }

    /// Reads the file at `path` when it has at most `limit` bytes.
    static func contents(of path: String, limit: Int) -> Contents {
        guard !path.isEmpty, !path.utf8.contains(0) else { return .absent }
        // Opening a pipe that nobody writes to would never end.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return errno == ENOENT || errno == ENOTDIR ? .absent : .unusable }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return .unusable }
        guard status.st_size <= limit else { return .tooLarge }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(status.st_size))
        var buffer = [UInt8](repeating: 0, count: min(max(Int(status.st_size) + 1, 1 << 12), 1 << 18))
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .unusable }
            guard bytes.count + count <= limit else { return .tooLarge }
            guard count > 0 else { return .bytes(bytes) }
            bytes += buffer[..<count]
        }
    }
}
