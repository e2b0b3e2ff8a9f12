import Synchronization

/// The identity of a file: its device and inode, or those of its directory and its name if it does not exist yet.
package struct FileIdentity: Hashable {
    private let device: UInt64
    private let inode: UInt64
    private let name: String?

    /// The identity of the file with this status, or of `name` in the directory with it.
    package init(_ status: stat, name: String? = nil) {
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        self.name = name
    }

    /// The identity of the file at a path or to be created there; `nil` if none can be.
    package init?(of path: String) {
        guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
        var status = stat()
        if stat(path, &status) == 0 {
            self.init(status)
            return
        }
        guard let target = try? SymbolicLinks.target(of: path) else { return nil }
        let parts = PathParts(target)
        guard stat(parts.directory.isEmpty ? "." : parts.directory, &status) == 0 else { return nil }
        self.init(status, name: parts.name)
    }

    /// The identity of the directory of a file that may not exist yet, behind symbolic links; `nil` if there is none.
    package init?(ofDirectoryOf path: String) {
        guard let target = try? SymbolicLinks.target(of: path) else { return nil }
        let directory = PathParts(target).directory
        self.init(of: directory.isEmpty ? "." : directory)
    }

    /// The regular files in the directory at a path, behind symbolic links; none if it cannot be read.
    fileprivate static func files(inDirectory path: String) -> [FileIdentity] {
        var files: [FileIdentity] = []
        _ = try? DirectoryListing.names(in: path) { entry in
            if let file = entry.regularFile { files.append(file) }
            return false
        }
        return files
    }

    /// The identity of the file at a path or to be created there; `nil` if writing there would not replace a file.
    package init?(ofFile path: String) {
        if [.directory, .pipe, .special].contains(FileKind(at: path)) { return nil }
        self.init(of: path)
    }
}

/// The files that were read or named to be read, so that none of them is overwritten.
package final class ReadLog: Sendable {
    /// The log of the run that a task belongs to; `nil` if none is kept.
    @TaskLocal package static var current: ReadLog?

    private let paths = Mutex<Set<String>>([])
    private let identities = Mutex<Set<FileIdentity>>([])

    package init() {}

    /// `true` if the file is in the log, or in a directory whose files are all read.
    package func holds(_ identity: FileIdentity) -> Bool {
        identities.withLock { $0 }.contains(identity)
            || paths.withLock { $0 }.contains { path in
                FileIdentity(ofFile: path) == identity || FileIdentity.files(inDirectory: path).contains(identity)
            }
    }

    package func holds(directory: FileIdentity) -> Bool {
        paths.withLock { $0 }.contains { FileKind(at: $0) == .directory && FileIdentity(of: $0) == directory }
    }

    package func add(_ path: String) { paths.withLock { _ = $0.insert(path) } }

    /// Adds a file without a name, such as standard input.
    package func add(_ identity: FileIdentity) { identities.withLock { _ = $0.insert(identity) } }
}

enum SymbolicLinks {
    /// The file that a path leads to through symbolic links, even if it does not exist yet.
    static func target(of path: String) throws(WriteFailure) -> String {
        var path = path
        for _ in 0..<40 {
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = readlink(path, &buffer, buffer.count)
            guard count > 0 else { return path }
            guard let target = String(validating: buffer[..<count], as: UTF8.self) else { throw .system(EILSEQ) }
            path = target.utf8.first == "/" ? target : PathParts(path).directory + target
        }
        throw .system(ELOOP)
    }
}
