#if canImport(Darwin)
internal import Darwin
#elseif canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// Reads lines one after the other, however many there are; no more of them is held than one.
///
/// A line ends where Unicode says so: at LF, CR LF, CR, VT, FF, NEL, LS and PS.
package final class LineReader {
    /// Puts the next bytes into a buffer and says how many; none at the end.
    private typealias Input = (UnsafeMutableRawBufferPointer) throws(ReadFailure) -> Int

    /// Why there is no next line.
    package enum Failure: Error {
        case tooLong
        /// The input cannot be read.
        case unreadable(ReadFailure)
    }

    /// The number of the line that was read last, from 1.
    package private(set) var number = 0
    /// Whether the input can be opened again and then is the same.
    package let isRepeatable: Bool

    private let input: Input
    private let limit: Int
    private let ownDescriptor: Int32?
    private var buffer: [UInt8]
    private var start = 0
    private var end = 0
    private var endsInCarriageReturn = false

    /// A reader of the file at `path`: a regular file, a pipe or a device.
    ///
    /// - Parameters:
    ///   - path: the file; symbolic links are followed.
    ///   - limit: the most bytes a line may have.
    /// - Throws: ``ReadFailure``.
    package init(path: String, limit: Int) throws(ReadFailure) {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw .unnamed }
        // Opening a pipe that nobody writes to would never end.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw ReadFailure(errno) }
        ReadLog.current?.add(path)
        var status = stat()
        let kind = fstat(descriptor, &status) == 0 ? FileKind(status) : .regular
        ownDescriptor = descriptor
        isRepeatable = kind == .regular
        input = Self.input(from: descriptor, kind)
        self.limit = limit
        buffer = [UInt8](repeating: 0, count: 1 << 16)
    }

    /// A reader of what an open descriptor still has, which stays open.
    package init(descriptor: Int32, limit: Int) {
        ownDescriptor = nil
        isRepeatable = false
        input = Self.input(from: descriptor, .pipe, wasOpened: true)
        self.limit = limit
        buffer = [UInt8](repeating: 0, count: 1 << 16)
    }

    /// A reader of bytes that are there.
    package init(bytes: [UInt8], limit: Int) {
        ownDescriptor = nil
        isRepeatable = false
        input = { _ in 0 }
        self.limit = limit
        buffer = bytes
        end = bytes.count
    }

    deinit { if let ownDescriptor { close(ownDescriptor) } }

    /// The next line without its end, `nil` when there is none.
    package func next() throws(Failure) -> [UInt8]? {
        var line: [UInt8] = []
        var isThere = false
        while true {
            if start == end {
                guard try fill() else {
                    // A file that ends in a line break has no empty line behind it.
                    guard isThere else { return nil }
                    number += 1
                    return line
                }
            }
            if endsInCarriageReturn {
                endsInCarriageReturn = false
                if buffer[start] == UInt8(ascii: "\n") {
                    start += 1
                    continue
                }
            }
            isThere = true
            let stop = nextBreak
            line += buffer[start..<stop]
            start = min(stop + 1, end)
            guard line.count <= limit else {
                number += 1
                throw .tooLong
            }
            guard stop < end else { continue }
            if Self.ends(&line, with: buffer[stop]) {
                endsInCarriageReturn = buffer[stop] == UInt8(ascii: "\r")
                number += 1
                return line
            }
        }
    }

    /// Where the next byte stands that may end a line.
    private var nextBreak: Int {
        buffer.withUnsafeBufferPointer { buffer in
            var index = start
            while index < end {
                let byte = buffer[index]
                if (0x0A...0x0D).contains(byte) || byte == 0x85 || byte == 0xA8 || byte == 0xA9 { break }
                index += 1
            }
            return index
        }
    }

    /// Whether the line ends with this byte, which is then left out, as is what belongs to it.
    private static func ends(_ line: inout [UInt8], with byte: UInt8) -> Bool {
        switch byte {
        case 0x85 where line.last == 0xC2: line.removeLast()
        case 0xA8 where line.suffix(2) == [0xE2, 0x80], 0xA9 where line.suffix(2) == [0xE2, 0x80]: line.removeLast(2)
        case 0x0A...0x0D: break
        default:
            line.append(byte)
            return false
        }
        return true
    }

    private func fill() throws(Failure) -> Bool {
        let input = input
        do throws(ReadFailure) {
            // The array is not changed meanwhile by anybody else.
            var count = 0
            var failure: ReadFailure?
            buffer.withUnsafeMutableBytes { bytes in
                do throws(ReadFailure) { count = try input(bytes) } catch { failure = error }
            }
            if let failure { throw failure }
            (start, end) = (0, count)
            return count > 0
        } catch { throw .unreadable(error) }
    }

    private static func input(from descriptor: Int32, _ kind: FileKind, wasOpened: Bool = false) -> Input {
        // A device that has nothing may never have anything.
        let patience = kind == .pipe ? -1 : Pipe.patience
        var isWritten = wasOpened || kind != .pipe
        return { (buffer) throws(ReadFailure) in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN {
                    guard Pipe.waitForInput(on: descriptor, milliseconds: patience) else { throw .silent }
                    continue
                }
                guard count >= 0 else { throw .system(errno) }
                if count == 0, !isWritten {
                    // Nobody has it open for writing, or has written yet.
                    isWritten = true
                    guard Pipe.waitForInput(on: descriptor, milliseconds: Pipe.patience) else { throw .withoutWriter }
                    continue
                }
                isWritten = true
                return count
            }
        }
    }
}
