internal import Base

/// A directory for the length of a closure, readable by this user only, removed with all it holds.
package struct TemporaryDirectory: Sendable {
    package let path: String

    /// Makes a directory (mkdtemp) below `TMPDIR` or `/tmp`, runs `body`, and removes the directory.
    package static func scoped<Value>(_ body: (TemporaryDirectory) throws -> Value) throws -> Value {
        let directory = try make()
        defer { removeTree(directory.path) }
        return try body(directory)
    }

    /// Makes a directory (mkdtemp) below `TMPDIR` or `/tmp`, runs `body`, and removes the directory.
    package static func scoped<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (TemporaryDirectory) async throws -> sending Value
    ) async throws -> sending Value {
        let directory = try make()
        defer { removeTree(directory.path) }
        return try await body(directory)
    }

    /// Writes a file with mode 0600, replacing one of the same name, and returns its path.
    @discardableResult package func write(_ bytes: [UInt8], to name: String) throws(LabError) -> String {
        let file = path + "/" + name
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("create \(file)") }
        defer { close(descriptor) }
        guard (try? Descriptor.write(bytes, to: descriptor)) != nil else { throw .system("write \(file)") }
        return file
    }

    /// Writes a text file, as ``write(_:to:)`` does.
    @discardableResult package func write(_ text: String, to name: String) throws(LabError) -> String {
        try write(Array(text.utf8), to: name)
    }

    @discardableResult package func makeDirectory(_ name: String) throws(LabError) -> String {
        let directory = path + "/" + name
        guard mkdir(directory, 0o700) == 0 else { throw .system("create \(directory)") }
        return directory
    }

    private static func make() throws(LabError) -> TemporaryDirectory {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array((parent + "/pincheck-lab-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .system("create a temporary directory in \(parent)") }
        return TemporaryDirectory(
            path: String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

}

/// Removes a file, or a directory with all it holds.
///
/// What cannot be removed stays.
private func removeTree(_ path: String) {
    if unlink(path) == 0 { return }
    let names = try? DirectoryListing.names(in: path) { $0.text != "." && $0.text != ".." }
    for name in names ?? [] { removeTree(path + "/" + String(fileName: name)) }
    rmdir(path)
}
