import Base
import PinChecking
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file that is read, and then added to, while no other run has it.
final class HeldFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// Whether the file was made here and nothing was written to it.
    private let isUntouched: Atomic<Bool>

    /// Opens the file at `path`, or makes it, and holds it until ``end()``; what is in it stays as it is.
    ///
    /// - Throws: ``CommandError`` for what is no regular file, cannot be opened, or is held by another run.
    init(_ path: String) throws(CommandError) {
        let kind = FileKind(at: path)
        guard kind == .absent || kind == .regular else {
            throw .usage("--resume \(quoted(path)) is no regular file: name one, which need not be there yet")
        }
        let isNew = kind == .absent
        if isNew { try OutputFile.refuseMissingDirectory(of: path) }
        let flags = O_RDWR | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | (isNew ? O_CREAT : 0)
        let descriptor = path.utf8.contains(0) ? -1 : open(path, flags, 0o666)
        guard descriptor >= 0 else { throw OutputFile.error(WriteFailure(opening: errno), at: path) }
        do throws(CommandError) { try Self.hold(descriptor, path) } catch {
            close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
        isUntouched = Atomic(isNew)
    }

    deinit { close(descriptor) }

    private static func hold(_ descriptor: Int32, _ path: String) throws(CommandError) {
        let isHeld = CommandError(
            status: .inputOutput,
            description:
                "\(quoted(path)) is held by another run, which is adding its results: wait until it has ended, "
                + "or name another file")
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            if errno == EWOULDBLOCK { throw isHeld }
            // A file system without locks has no turns either.
            guard errno == ENOLCK || errno == EINVAL || errno == ENOTSUP else {
                throw OutputFile.error(.system(errno), at: path)
            }
            break
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, FileKind(status) == .regular else {
            throw OutputFile.error(.system(EINVAL), at: path)
        }
        // The run that made it may have taken it away again between its being opened and its being held.
        guard FileIdentity(of: path) == FileIdentity(status) else { throw isHeld }
    }

    /// Lets others have it; a file that was made for nothing goes.
    func end() {
        var status = stat()
        if isUntouched.load(ordering: .relaxed), lstat(path, &status) == 0, FileKind(status) == .regular,
            status.st_size == 0
        {
            unlink(path)
        }
        flock(descriptor, LOCK_UN)
    }

    /// Hands over every line without its line feed, and whether it had one: the last may have none.
    ///
    /// - Parameters:
    ///   - limit: the most bytes of a line.
    ///   - take: given each line in its order.
    /// - Throws: what `take` throws, and ``CommandError`` for a line that is too long or cannot be read.
    func readLines(limit: Int, _ take: ([UInt8], _ isEnded: Bool) throws(CommandError) -> Void) throws(CommandError) {
        var line: [UInt8] = []
        var number = 1
        var position = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = pread(descriptor, &buffer, buffer.count, off_t(position))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandError(FileReader.failure(.system(errno), quoted(path))) }
            guard count > 0 else { break }
            position += count
            var start = 0
            while start < count {
                let end = buffer.withUnsafeBytes { bytes -> Int? in
                    guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, count - start) else {
                        return nil
                    }
                    return base.distance(to: found)
                }
                line += buffer[start..<(end ?? count)]
                guard line.count <= limit else {
                    throw .data("\(quoted(path)):\(number) is longer than any result: name another file")
                }
                guard let end else { break }
                try take(line, true)
                line.removeAll(keepingCapacity: true)
                number += 1
                start = end + 1
            }
        }
        if !line.isEmpty { try take(line, false) }
    }

    /// Cuts off what stands behind the first bytes, and ends the last line where that was not done.
    func keep(_ count: Int, endingLine: Bool) throws(CommandError) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw OutputFile.error(.system(errno), at: path) }
        if Int(status.st_size) > count, ftruncate(descriptor, off_t(count)) != 0 {
            throw OutputFile.error(.system(errno), at: path)
        }
        guard endingLine else { return }
        do throws(OutputError) { try Descriptor.write([UInt8(ascii: "\n")], to: descriptor) } catch {
            throw OutputFile.error(.output(error), at: path)
        }
    }

    /// The stream that adds to it; it keeps the file open.
    var stream: OutputStream {
        isUntouched.store(false, ordering: .relaxed)
        return OutputStream(isTerminal: false) { bytes throws(OutputError) in
            try Descriptor.writeLines(bytes, to: self.descriptor)
        }
    }
}
