import Base
import CLibraries
import Pinning

/// One pass through a zip archive with libarchive; nothing is unpacked to disk.
///
/// libarchive reads the table of contents into memory before the first entry, so those bytes are limited.
final class Archive {
    private static let mostDirectoryBytes = 64 << 20
    private static let (bufferSize, chunkSize) = (16 << 10, 64 << 10)

    /// libarchive, loaded by `dlopen` for the first archive and kept for the rest of the run.
    private static let library: (functions: CArchive, obstacle: String?) = {
        // libarchive converts names by the locale; in the C locale it fails for names beyond ASCII.
        setlocale(LC_CTYPE, "C.UTF-8")
        var functions = CArchive()
        let obstacle = CArchive_load(&functions).map { String(cString: $0) }
        return (functions, obstacle)
    }()

    private let functions: CArchive
    private let place: PinPlace
    /// The file descriptor of the archive; -1 if the archive is in memory.
    private let descriptor: Int32
    private let bytes: [UInt8]
    private var position = 0
    private let archive: OpaquePointer
    private let buffer: UnsafeMutableRawPointer
    /// The number of bytes that may be read before the first entry; `nil` from then on.
    private var budget: Int? = Archive.mostDirectoryBytes
    private var isTooLarge = false

    /// Opens the archive at `path`, or the archive `bytes`, which messages call `path`.
    init(path: String, bytes: [UInt8]? = nil) throws(Problem) {
        place = .at(path)
        self.bytes = bytes ?? []
        functions = Self.library.functions
        if let obstacle = Self.library.obstacle {
            throw Problem(
                .noArchiveLibrary, at: place,
                "is a zip archive, and there is no libarchive here to read it with (\(shortened(obstacle)))",
                "install it (Debian and Ubuntu: libarchive13, Fedora: libarchive), "
                    + "or unpack the file and name what is in it")
        }
        descriptor = bytes == nil ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1
        guard descriptor >= 0 || bytes != nil else { throw RegularFile.failure(.system(errno), at: place) }
        guard let archive = functions.archive_read_new?() else {
            if descriptor >= 0 { close(descriptor) }
            throw Problem(.unreadable, at: place, "there is no memory to read it")
        }
        self.archive = archive
        buffer = .allocate(byteCount: Self.bufferSize, alignment: 8)
        _ = functions.archive_read_support_format_zip_seekable?(archive)
        _ = functions.archive_read_set_callback_data?(archive, Unmanaged.passUnretained(self).toOpaque())
        _ = functions.archive_read_set_read_callback?(archive) { Archive.from($1)?.fill($2) ?? -1 }
        _ = functions.archive_read_set_seek_callback?(archive) { _, data, offset, whence in
            Archive.from(data)?.seek(offset, whence) ?? Int64(CArchive_FATAL)
        }
        guard functions.archive_read_open1?(archive) == Int32(CArchive_OK) else { throw broken }
    }

    deinit {
        _ = functions.archive_read_free?(archive)
        if descriptor >= 0 { close(descriptor) }
        buffer.deallocate()
    }

    /// An entry; if they are not text, its path is `nil` and the target of its symbolic link is empty.
    typealias Entry = (name: String?, isFile: Bool, target: String?, isEncrypted: Bool)

    func next() throws(Problem) -> Entry? {
        var entry: OpaquePointer?
        let status = functions.archive_read_next_header?(archive, &entry) ?? Int32(CArchive_FATAL)
        budget = nil
        if status == Int32(CArchive_EOF) { return nil }
        // For a name in another character set libarchive only warns.
        guard status >= Int32(CArchive_WARN), let entry else { throw broken }
        let name = functions.archive_entry_pathname_utf8?(entry) ?? functions.archive_entry_pathname?(entry)
        let kind = functions.archive_entry_filetype?(entry)
        let target = functions.archive_entry_symlink?(entry).flatMap { String(validatingCString: $0) } ?? ""
        return (
            name.flatMap { String(validatingCString: $0) }, kind == S_IFREG, kind == S_IFLNK ? target : nil,
            functions.archive_entry_is_data_encrypted?(entry) == 1
        )
    }

    /// Visits the current entry in chunks until `visit` returns false; its stated size is not trusted.
    func each(_ visit: (UnsafeRawBufferPointer) -> Bool) throws(Problem) {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunkSize, alignment: 8)
        defer { chunk.deallocate() }
        while true {
            let count = functions.archive_read_data?(archive, chunk.baseAddress, chunk.count) ?? -1
            guard count >= 0 else { throw broken }
            guard count > 0, visit(UnsafeRawBufferPointer(rebasing: chunk[..<count])) else { return }
        }
    }

    private var broken: Problem {
        if isTooLarge { return Problem(.unreasonableDocument, at: place, "has a table of contents that no app has") }
        let reason = functions.archive_error_string?(archive).map { String(cString: $0) } ?? "it is damaged"
        return Problem(
            .brokenDocument, at: place, "is a zip archive that cannot be read: \(shortened(reason))",
            "it may be cut off: copy or download it again")
    }

    /// The object behind libarchive's pointer; it is alive, because its deinitialiser closes the archive.
    private static func from(_ data: UnsafeMutableRawPointer?) -> Archive? {
        data.map { Unmanaged<Archive>.fromOpaque($0).takeUnretainedValue() }
    }

    private func fill(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
        while true {
            let count = descriptor < 0 ? copy() : read(descriptor, buffer, Self.bufferSize)
            if count < 0, errno == EINTR { continue }
            bytes?.pointee = UnsafeRawPointer(buffer)
            guard count > 0, let left = budget else { return count }
            budget = left - count
            isTooLarge = left < count
            return isTooLarge ? -1 : count
        }
    }

    /// Reads from memory as `read(2)` does from a file.
    private func copy() -> Int {
        let count = min(Self.bufferSize, bytes.count - position)
        bytes.withUnsafeBytes { all in
            buffer.copyMemory(from: all.baseAddress.map { $0 + position } ?? UnsafeRawPointer(buffer), byteCount: count)
        }
        position += count
        return count
    }

    private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
        guard descriptor >= 0 else {
            let starts = [SEEK_SET: 0, SEEK_CUR: position, SEEK_END: bytes.count]
            guard let start = starts[whence] else { return Int64(CArchive_FATAL) }
            let (target, isTooFar) = Int(clamping: offset).addingReportingOverflow(start)
            guard !isTooFar, (0...bytes.count).contains(target) else { return Int64(CArchive_FATAL) }
            position = target
            return Int64(target)
        }
        let position = lseek(descriptor, off_t(offset), whence)
        return position < 0 ? Int64(CArchive_FATAL) : Int64(position)
    }
}
