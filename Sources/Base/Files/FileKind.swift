#if canImport(Darwin)
package import Darwin
#elseif canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#endif

/// What stands at a path.
package enum FileKind: Hashable, Sendable {
    case regular
    case directory
    case pipe
    /// A socket, a device.
    case special
    case absent
    /// It cannot be known: the code in `errno`.
    case inaccessible(Int32)

    /// What stands at `path` (`stat`); a symbolic link itself is `special` (`lstat`).
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

    /// What stat(2) found.
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
