#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Reads files of bounded size, and pipes where the user names one; a device could be read for ever.
package enum RegularFile {
    /// The size in bytes above which a file is no pin, certificate or chain file.
    ///
    /// A bundle of all public roots has a quarter of
    /// a megabyte.
    package static let mostBytes = 16 << 20

    /// What stands at a path.
    enum Kind: Equatable {
        case regular
        case directory
        case pipe
        /// A socket, a device.
        case special
        /// Nothing.
        case absent
        /// It cannot be known: the code in `errno`.
        case inaccessible(Int32)
    }

    /// What stands at `path` (`stat`); a symbolic link itself is `special` (`lstat`).
    static func kind(of path: String, followingLinks: Bool = true) -> Kind {
        // C would end the path at the NUL and look at another file.
        guard !path.isEmpty, !path.utf8.contains(0) else { return .absent }
        var status = stat()
        guard (followingLinks ? stat(path, &status) : lstat(path, &status)) == 0 else {
            let code = errno
            return [ENOENT, ENOTDIR, ENAMETOOLONG].contains(code) ? .absent : .inaccessible(code)
        }
        return kind(of: status)
    }

    /// What a text in a file means: the path beside that file where something is there, and the text itself otherwise, which may
    /// be a pin as well as a path.
    ///
    /// The directory of the file ends in a slash; it is `nil` for the current one.
    package static func path(_ text: String, besideFilesIn directory: String?) -> String {
        guard let directory, text.utf8.first != UInt8(ascii: "/"), kind(of: directory + text) != .absent else {
            return text
        }
        return directory + text
    }

    /// The contents of the file at `path`.
    ///
    /// A pipe is read where `mayBePipe` allows it, as for what the user names by `<(…)`.
    ///
    /// - Throws: ``PinFormatError`` when there is none, when it is no regular file, cannot be read, or has more than
    ///   ``mostBytes`` bytes.
    package static func contents(of path: String, mayBePipe: Bool = false) throws(PinFormatError) -> [UInt8] {
        let place = PinPlace.at(path)
        switch kind(of: path) {
        case .regular: break
        case .pipe where mayBePipe: break
        case .directory:
            throw PinFormatError(.notARegularFile, at: place, "is a directory", remedy: "name a file in it")
        case .pipe, .special: throw notRegular(at: place)
        case .absent: throw PinFormatError(.missingFile, at: place, "no such file")
        case .inaccessible(let code): throw unreadable(code, at: place)
        }
        // Not blocking, should a pipe have taken the file's place since.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw unreadable(errno, at: place) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(errno, at: place) }
        let kind = kind(of: status)
        guard kind == .regular || kind == .pipe && mayBePipe else { throw notRegular(at: place) }
        guard status.st_size <= mostBytes else { throw tooLarge(at: place) }
        return try bytes(from: descriptor, expecting: Int(status.st_size), at: place)
    }

    /// The first bytes of the regular file at `path`, fewer when it has fewer; `nil` when there is none to read.
    static func start(of path: String, count: Int) -> [UInt8]? {
        guard kind(of: path) == .regular else { return nil }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        let length = read(descriptor, &bytes, count)
        return length < 0 ? nil : Array(bytes.prefix(length))
    }

    private static func bytes(
        from descriptor: Int32,
        expecting count: Int,
        at place: PinPlace
    ) throws(PinFormatError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 1)
        var buffer = [UInt8](repeating: 0, count: min(max(count + 1, 4096), 1 << 18))
        var hasWaited = false
        // The size is only what it was a moment ago, and 0 for the files of /proc.
        while true {
            let length = buffer.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if length < 0, errno == EINTR { continue }
            if length < 0, errno == EAGAIN, Pipe.waitForInput(on: descriptor, milliseconds: -1) { continue }
            guard length >= 0 else { throw unreadable(errno, at: place) }
            guard length > 0 else {
                guard bytes.isEmpty, Pipe.isPipe(descriptor) else { return bytes }
                guard !hasWaited, Pipe.waitForInput(on: descriptor, milliseconds: Pipe.patience) else {
                    throw PinFormatError(.empty, at: place, "is a pipe into which nobody writes")
                }
                hasWaited = true
                continue
            }
            bytes += buffer[..<length]
            guard bytes.count <= mostBytes else { throw tooLarge(at: place) }
        }
    }

    /// The names in the directory at `path`, in the order of their bytes; hidden ones are left out (`readdir`).
    static func names(inDirectory path: String) throws(PinFormatError) -> [String] {
        guard let directory = opendir(path) else { throw unreadable(errno, at: .at(path)) }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            // The name is read where it stands: its declared length goes past the end of a short entry.
            let offset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
            let text = String(cString: name)
            if !text.hasPrefix(".") { names.append(text) }
            errno = 0
        }
        guard errno == 0 else { throw unreadable(errno, at: .at(path)) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func kind(of status: stat) -> Kind {
        switch status.st_mode & S_IFMT {
        case S_IFREG: .regular
        case S_IFDIR: .directory
        case S_IFIFO: .pipe
        default: .special
        }
    }

    private static func notRegular(at place: PinPlace) -> PinFormatError {
        PinFormatError(
            .notARegularFile,
            at: place,
            "is a pipe, a socket or a device and not a file",
            remedy: "save what it gives to a file first"
        )
    }

    static func unreadable(_ code: Int32, at place: PinPlace) -> PinFormatError {
        PinFormatError(.unreadable, at: place, "cannot be read: \(String(cString: strerror(code)))")
    }

    private static func tooLarge(at place: PinPlace) -> PinFormatError {
        PinFormatError(.tooLarge, at: place, "has more than \(mostBytes >> 20) MiB, no pin file is that large")
    }
}
