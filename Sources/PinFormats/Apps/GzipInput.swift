package import Base
internal import CLibraries

/// Unpacks gzip while it is read (RFC 1952), with libarchive.
package final class GzipInput {
    /// What a file of it begins with.
    package static let mark: [UInt8] = [0x1F, 0x8B]

    private let functions: CArchive
    private let archive: OpaquePointer
    private let input: LineReader.Input
    /// What was read before, then what is read.
    private let packed: UnsafeMutableRawBufferPointer
    /// How many bytes of what was read before are left.
    private var startCount: Int
    private var failure: ReadFailure?
    private var isOpen = false

    /// Input of what was packed.
    ///
    /// - Parameters:
    ///   - start: the bytes that were read already.
    ///   - input: reads the others.
    ///   - name: what is read, for messages.
    /// - Returns: reads what was packed.
    /// - Throws: ``PinFormatError`` where there is no libarchive.
    package static func unpacked(
        _ start: [UInt8], _ input: @escaping LineReader.Input, named name: String
    ) throws(PinFormatError) -> LineReader.Input {
        let unpacking = try GzipInput(start, input, at: .at(name))
        return { (buffer) throws(ReadFailure) in try unpacking.read(into: buffer) }
    }

    private init(_ start: [UInt8], _ input: @escaping LineReader.Input, at place: PinPlace) throws(PinFormatError) {
        functions = try ArchiveLibrary.functions(for: place, toRead: "is compressed with gzip")
        guard let archive = functions.read_new?() else {
            throw PinFormatError(.unreadable, at: place, "there is no memory to read it")
        }
        self.archive = archive
        self.input = input
        packed = .allocate(byteCount: max(start.count, 1 << 16), alignment: 8)
        packed.copyBytes(from: start)
        startCount = start.count
    }

    deinit {
        _ = functions.read_free?(archive)
        packed.deallocate()
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) throws(ReadFailure) -> Int {
        if !isOpen {
            isOpen = true
            guard try open() else { return 0 }
        }
        let count = functions.read_data?(archive, buffer.baseAddress, buffer.count) ?? -1
        guard count >= 0 else { throw broken }
        return count
    }

    /// Begins to unpack; returns false when there is nothing in it.
    private func open() throws(ReadFailure) -> Bool {
        _ = functions.read_support_filter_gzip?(archive)
        _ = functions.read_support_format_raw?(archive)
        _ = functions.read_set_callback_data?(archive, Unmanaged.passUnretained(self).toOpaque())
        _ = functions.read_set_read_callback?(archive) { _, data, bytes in
            // Alive as long as libarchive has the pointer: the object closes the archive when it goes.
            data.map { Unmanaged<GzipInput>.fromOpaque($0).takeUnretainedValue().readPacked(into: bytes) } ?? -1
        }
        var entry: OpaquePointer?
        guard functions.read_open1?(archive) == Int32(CArchive_OK) else { throw broken }
        switch functions.read_next_header?(archive, &entry) {
        case Int32(CArchive_OK), Int32(CArchive_WARN): return true
        case Int32(CArchive_EOF): return false
        default: throw broken
        }
    }

    private func readPacked(into bytes: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
        var count = startCount
        startCount = 0
        do throws(ReadFailure) { if count == 0 { count = try input(packed) } } catch {
            failure = error
            return -1
        }
        bytes?.pointee = UnsafeRawPointer(packed.baseAddress)
        return count
    }

    private var broken: ReadFailure {
        if let failure { return failure }
        return .packed(reason: functions.error_string?(archive).map { String(cString: $0) } ?? "it is damaged")
    }
}
