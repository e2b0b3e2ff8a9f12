import Base

/// A directory with mode 0700, which is removed with its contents when this object is deallocated.
package final class TemporaryDirectory: Sendable {
    package let path: String

    package init() throws(LabError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((parent + "/pincheck-lab-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("create a temporary directory in \(parent)") }
        path = String(utf8: template.dropLast().map { UInt8(bitPattern: $0) })
    }

    deinit { removeTree(path) }

    /// Writes a file with mode 0600, in place of one with its name, and returns its path; makes its directories.
    @discardableResult package func write(_ bytes: [UInt8], to name: String) throws(LabError) -> String {
        try makeParents(of: name)
        let file = path + "/" + name
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("create \(file)") }
        defer { close(descriptor) }
        guard (try? Descriptor.write(bytes, to: descriptor)) != nil else { throw .system("write \(file)") }
        return file
    }

    @discardableResult package func write(_ text: String, to name: String) throws(LabError) -> String {
        try write(text.bytes, to: name)
    }

    /// Makes a directory, and those above it, unless it is there.
    @discardableResult package func makeDirectory(_ name: String) throws(LabError) -> String {
        try makeParents(of: name)
        let directory = path + "/" + name
        guard mkdir(directory, 0o700) == 0 || errno == EEXIST else { throw .system("create \(directory)") }
        return directory
    }

    private func makeParents(of name: String) throws(LabError) {
        if let slash = name.lastIndex(of: "/") { try makeDirectory(String(name[..<slash])) }
    }
}

private func removeTree(_ path: String) {
    if unlink(path) == 0 { return }
    let names = try? DirectoryListing.names(in: path) { $0.text != "." && $0.text != ".." }
    for name in names ?? [] { removeTree(path + "/" + name) }
    rmdir(path)
}
