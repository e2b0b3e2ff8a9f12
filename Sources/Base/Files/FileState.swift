#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// What tells whether a file is still what it was, without reading it: its size, its inode and the last change of either.
package enum FileState {
    /// The state of the file at a path, behind symbolic links; nothing where there is none.
    package static func texts(ofFile path: String) -> [String] {
        var status = stat()
        guard !path.isEmpty, !path.utf8.contains(0), stat(path, &status) == 0 else { return [] }
        #if canImport(Darwin)
        let changed = status.st_ctimespec
        #else
        let changed = status.st_ctim
        #endif
        return ["\(path) \(status.st_dev) \(status.st_ino) \(status.st_size) \(changed.tv_sec).\(changed.tv_nsec)"]
    }

    /// Whether a symbolic link stands at a path.
    package static func isLink(_ path: String) -> Bool {
        var status = stat()
        return !path.utf8.contains(0) && lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// The states of the entries of the directory at a path, in the order of their names; nothing where it cannot be read.
    package static func texts(inDirectory path: String) -> [String] {
        var names: [String] = []
        try? DirectoryListing.visit(path) { entry in
            names.append(entry.text)
            return true
        }
        return names.sorted().flatMap { texts(ofFile: "\(path)/\($0)") }
    }
}
