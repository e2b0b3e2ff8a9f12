#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the files that users name.
enum FileReader {
    /// The most that is read from one file, in bytes: far more than any bundle of certificates, far less than memory.
    static let limit = 64 * 1024 * 1024

    /// The contents of the file at `path`; pipes such as `<(…)` are files too.
    static func contents(ofFile path: String) throws(CommandError) -> [UInt8] {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .noInput("the file name \(quoted(path)) is empty or holds a NUL: name a file")
        }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .noInput("cannot read \(quoted(path)): \(System.message(of: errno))")
        }
        defer { close(descriptor) }
        return try contents(ofDescriptor: descriptor, name: quoted(path))
    }

    /// Everything up to the end of an open descriptor, which stays open; `name` is for messages.
    static func contents(ofDescriptor descriptor: Int32, name: String) throws(CommandError) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 {
                contents.append(contentsOf: chunk[..<count])
                guard contents.count <= limit else {
                    throw .data("\(name) is larger than \(limit / 1024 / 1024) MiB: name a file with certificates")
                }
            } else if count == 0 {
                return contents
            } else if errno != EINTR {
                throw .noInput("cannot read \(name): \(System.message(of: errno))")
            }
        }
    }
}
