package import Base

/// Reads the files that users name.
package enum FileReader {
    /// The most that is read from one file, in bytes: far more than any bundle of certificates, far less than memory.
    package static let limit = 64 * 1024 * 1024

    package static func exists(_ path: String) -> Bool {
        switch FileKind(at: path) {
        case .absent, .inaccessible: false
        default: true
        }
    }

    /// The contents of the file at `path`; pipes such as `<(…)` are files too.
    package static func contents(ofFile path: String) throws(CheckError) -> [UInt8] {
        do throws(ReadFailure) { return try BoundedFile.bytes(at: path, limit: limit, accepting: .anything) } catch {
            throw failure(error, quoted(path))
        }
    }

    /// The contents of the file with this name, which need not be UTF-8, in the directory at `path`.
    package static func contents(ofFile name: [CChar], inDirectory path: String) throws(CheckError) -> [UInt8] {
        do throws(ReadFailure) { return try BoundedFile.bytes(named: name, inDirectory: path, limit: limit) } catch {
            throw failure(error, quoted("\(path)/\(String(fileName: name))"))
        }
    }

    /// Everything up to the end of an open descriptor, which stays open; `name` is for messages.
    package static func contents(ofDescriptor descriptor: Int32, name: String) throws(CheckError) -> [UInt8] {
        do throws(ReadFailure) { return try BoundedFile.bytes(from: descriptor, limit: limit) } catch {
            throw failure(error, name)
        }
    }

    /// The error for what kept a file from being read; `name` is for messages.
    package static func failure(_ failure: ReadFailure, _ name: String) -> CheckError {
        switch failure {
        case .unnamed: .said(.missing, "the file name \(name) is empty or holds a NUL: name a file")
        case .absent: .said(.missing, "\(name): there is no such file")
        case .system(let code):
            .said(.missing, "cannot read \(name): \(SystemError.message(of: code)): name another file")
        case .wrongKind: .said(.missing, "cannot read \(name): it is not a file: name one")
        case .tooLarge(let limit):
            .said(
                .data,
                "\(name) is larger than \(limit / 1024 / 1024) MiB, and nothing that pincheck reads is: name another file"
            )
        case .silent: .said(.missing, "\(name) gives nothing to read, as a device may: name a file")
        case .withoutWriter: .said(.missing, "\(name) is a pipe into which nobody writes")
        }
    }
}
