package enum DirectoryListing {
    /// A name in a directory; valid only while the directory is listed.
    package struct Entry {
        fileprivate let start: UnsafePointer<CChar>
        fileprivate let directory: Int32

        /// The name as text, changed if it is not UTF-8.
        package var text: String { String(cString: start) }

        package var isHidden: Bool { start.pointee == CChar(UInt8(ascii: ".")) }

        /// The identity of the regular file with this name, behind symbolic links; `nil` if it is anything else.
        package var regularFile: FileIdentity? {
            var status = stat()
            guard fstatat(directory, start, &status, 0) == 0, FileKind(status) == .regular else { return nil }
            return FileIdentity(status)
        }
    }

    /// The names in the directory at `path` that `isWanted` accepts, `.` and `..` included, sorted by bytes.
    package static func names(in path: String, where isWanted: (Entry) -> Bool) throws(ReadFailure) -> [String] {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .unnamed }
        guard let directory = opendir(path) else { throw ReadFailure(errno) }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            // Read in place: a copy of `d_name` in its declared size would go past the end of a short entry.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let start = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let found = Entry(start: start, directory: dirfd(directory))
            if isWanted(found) { names.append(found.text) }
            errno = 0
        }
        guard errno == 0 else { throw .system(errno) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}

/// A path split before its last component by bytes: a slash counts even if a combining mark follows it.
package struct PathParts {
    /// The directory with a slash at its end; empty if the path names none.
    package let directory: String
    /// The last component; empty if the path ends in a slash.
    package let name: String

    package init(_ path: String) {
        let end = path.utf8.lastIndex { $0 == "/" }.map { path.utf8.index(after: $0) } ?? path.startIndex
        directory = String(path[..<end])
        name = String(path[end...])
    }

    /// The path of a hidden file next to this one, with a name below the 255 bytes that most file systems allow.
    func hidden(_ suffix: String) -> String {
        var name = name
        while name.utf8.count > 230 { name.unicodeScalars.removeLast() }
        return "\(directory).\(name)\(suffix)"
    }
}
