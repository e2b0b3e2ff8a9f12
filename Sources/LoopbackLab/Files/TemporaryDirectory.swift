internal import COpenSSL

/// A directory for the length of a closure, readable by this user only, removed with all it holds.
public struct TemporaryDirectory: Sendable {
    /// The absolute path, without a slash at its end.
    public let path: String

    /// Makes a directory (mkdtemp) below `TMPDIR` or `/tmp`, runs `body`, and removes the directory.
    public static func scoped<Value>(_ body: (TemporaryDirectory) throws -> Value) throws -> Value {
        let directory = try make()
        defer { directory.remove() }
        return try body(directory)
    }

    /// Makes a directory (mkdtemp) below `TMPDIR` or `/tmp`, runs `body`, and removes the directory.
    public static func scoped<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: (TemporaryDirectory) async throws -> sending Value
    ) async throws -> sending Value {
        let directory = try make()
        defer { directory.remove() }
        return try await body(directory)
    }

    /// Writes a file with mode 0600, replacing one of the same name, and returns its path.
    @discardableResult public func write(_ bytes: [UInt8], to name: String) throws(LabError) -> String {
        let file = path + "/" + name
        let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system("create \(file)") }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            guard count >= 0 || errno == EINTR else { throw .system("write \(file)") }
            written += max(0, count)
        }
        return file
    }

    /// Writes a text file, as ``write(_:to:)`` does.
    @discardableResult public func write(_ text: String, to name: String) throws(LabError) -> String {
        try write(Array(text.utf8), to: name)
    }

    /// Makes a directory of this name and returns its path.
    @discardableResult public func makeDirectory(_ name: String) throws(LabError) -> String {
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

    private func remove() { removeTree(path) }
}

/// Removes a file, or a directory with all it holds.
///
/// What cannot be removed stays.
private func removeTree(_ path: String) {
    if unlink(path) == 0 { return }
    guard let stream = opendir(path) else { return }
    defer {
        closedir(stream)
        rmdir(path)
    }
    while let entry = readdir(stream) {
        // The name is read where it stands: its declared length goes past the end of a short entry.
        let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        let name = String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
        if name != "." && name != ".." { removeTree(path + "/" + name) }
    }
}

/// write(2), by a name that ``TemporaryDirectory/write(_:to:)`` does not hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// What kept the lab from issuing a certificate or from running a server.
public enum LabError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A call into OpenSSL failed: its name and the reasons from OpenSSL's error queue.
    case openSSL(operation: String, reason: String)
    /// A system call failed: what was attempted and the value of `errno`.
    case system(operation: String, code: Int32)
    /// The combination that was asked for does not exist; the text says which and what does.
    case unsupported(String)

    /// One line: what was attempted and why it failed.
    public var description: String {
        switch self {
        case .openSSL(let operation, let reason): "OpenSSL could not \(operation): \(reason)"
        case .system(let operation, let code): "cannot \(operation): \(String(cString: strerror(code)))"
        case .unsupported(let combination): "not supported by the loopback lab: \(combination)"
        }
    }

    /// An error of the OpenSSL call that just failed on this thread.
    ///
    /// Empties the thread's error queue.
    static func openSSL(_ operation: String) -> LabError {
        var reasons: [String] = []
        while true {
            let code = ERR_get_error()
            guard code != 0 else { break }
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        return .openSSL(
            operation: operation, reason: reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; "))
    }

    /// An error of the system call that just failed on this thread.
    static func system(_ operation: String) -> LabError { .system(operation: operation, code: errno) }
}
