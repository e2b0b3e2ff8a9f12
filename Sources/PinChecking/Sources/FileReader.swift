import PinFormats
import Text

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the files that users name.
package enum FileReader {
    /// The most that is read from one file, in bytes: far more than any bundle of certificates, far less than memory.
    package static let limit = 64 * 1024 * 1024

    /// Whether there is anything at a path.
    package static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The contents of the file at `path`; pipes such as `<(…)` are files too.
    package static func contents(ofFile path: String) throws(CheckError) -> [UInt8] {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .said(.missing, "the file name \(quoted(path)) is empty or holds a NUL: name a file")
        }
        // A pipe nobody has opened for writing would make open(2) wait for ever.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw .said(.missing, "cannot read \(quoted(path)): \(SystemError.message(of: errno))")
        }
        defer { close(descriptor) }
        let contents = try contents(ofDescriptor: descriptor, name: quoted(path))
        guard contents.isEmpty, Pipe.isPipe(descriptor) else { return contents }
        if Pipe.waitForInput(on: descriptor, milliseconds: Pipe.patience) {
            let contents = try self.contents(ofDescriptor: descriptor, name: quoted(path))
            if !contents.isEmpty { return contents }
        }
        throw .said(.missing, "\(quoted(path)) is a pipe into which nobody writes")
    }

    /// The contents of the file with this name, which need not be UTF-8, in the directory at `path`.
    package static func contents(ofFile name: [CChar], inDirectory path: String) throws(CheckError) -> [UInt8] {
        let shown = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
        let text = quoted("\(path)/\(shown)")
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else {
            throw .said(.missing, "cannot read \(quoted(path)): \(SystemError.message(of: errno))")
        }
        defer { close(directory) }
        let descriptor = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .said(.missing, "cannot read \(text): \(SystemError.message(of: errno))") }
        defer { close(descriptor) }
        return try contents(ofDescriptor: descriptor, name: text)
    }

    /// Everything up to the end of an open descriptor, which stays open; `name` is for messages.
    package static func contents(ofDescriptor descriptor: Int32, name: String) throws(CheckError) -> [UInt8] {
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count > 0 {
                contents.append(contentsOf: chunk[..<count])
                guard contents.count <= limit else {
                    throw .said(
                        .data,
                        "\(name) is larger than \(limit / 1024 / 1024) MiB, and nothing that pincheck reads is: name another file"
                    )
                }
            } else if count == 0 {
                return contents
            } else if errno == EAGAIN, Pipe.waitForInput(on: descriptor, milliseconds: -1) {
                continue
            } else if errno != EINTR {
                throw .said(.missing, "cannot read \(name): \(SystemError.message(of: errno))")
            }
        }
    }
}
