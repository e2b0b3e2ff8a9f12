import PinChecking
import Pinning
import Text

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The real world of the process: descriptors, environment, clock.
enum System {
    /// The context of the process: its standard streams, environment and clock.
    static func context() -> Context {
        var environment: [String: String] = [:]
        for name in Context.honouredVariables {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        let output = standardStream(STDOUT_FILENO)
        let errors = standardStream(STDERR_FILENO)
        var context = Context(
            console: Console(output: output, errors: errors),
            environment: environment,
            now: { Timestamp(secondsSinceEpoch: Int64(time(nil))) },
            readStandardInput: { () throws(CommandError) in
                try CommandError.reading { () throws(CheckError) in
                    try FileReader.contents(ofDescriptor: STDIN_FILENO, name: "standard input")
                }
            }
        )
        var input = stat()
        if fstat(STDIN_FILENO, &input) == 0, input.st_mode & S_IFMT == S_IFREG {
            context.standardInput = FileIdentity(input)
        }
        return context
    }

    /// The stream of a standard descriptor.
    ///
    /// When the descriptor is closed (`>&-`) the next socket would take its number and get our output: something harmless is
    /// put in its place, and every write fails as it would have. The runtime may have been faster with one of its own
    /// descriptors, which are of no file type and are left alone.
    private static func standardStream(_ descriptor: Int32) -> OutputStream {
        var status = stat()
        let isThere = fstat(descriptor, &status) == 0
        guard isThere, status.st_mode & S_IFMT != 0 else {
            if !isThere {
                let placeholder = open("/dev/null", O_RDWR)
                if placeholder >= 0, placeholder != descriptor {
                    dup2(placeholder, descriptor)
                    close(placeholder)
                }
            }
            let reason = message(of: EBADF)
            return OutputStream(isTerminal: false) { _ throws(OutputError) in throw .failed(reason) }
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        let isTerminal = !isFile && isatty(descriptor) == 1
        return OutputStream(
            isTerminal: isTerminal,
            isFile: isFile,
            identity: isTerminal || status.st_mode & S_IFMT != S_IFCHR ? FileIdentity(status) : nil
        ) {
            bytes throws(OutputError) in
            try isFile ? writeLines(bytes, to: descriptor) : write(bytes, to: descriptor)
        }
    }

    /// Writes whole lines to a regular file, or to anything else all of `bytes`.
    ///
    /// When a disk is full in the middle of a line, what was written of the line is taken back, so that whoever reads the file
    /// line by line finds none that is torn. A file that somebody else has added to meanwhile is left as it is.
    static func writeLines(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
        let start = end(of: descriptor)
        do {
            try write(bytes, to: descriptor)
        } catch {
            if case .failed = error, let start, let end = end(of: descriptor), end > start, end - start <= bytes.count {
                var status = stat()
                let written = bytes[..<(end - start)]
                let whole = written.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
                if fstat(descriptor, &status) == 0, Int(status.st_size) == end,
                    ftruncate(descriptor, off_t(start + whole)) == 0
                {
                    lseek(descriptor, off_t(start + whole), SEEK_SET)
                }
            }
            throw error
        }
    }

    /// Where the next byte of a regular file would be written, `nil` for anything else.
    private static func end(of descriptor: Int32) -> Int? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        if fcntl(descriptor, F_GETFL) & O_APPEND != 0 { return Int(status.st_size) }
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position >= 0 ? Int(position) : nil
    }

    /// Opens a file for writing with more flags of open(2), and never waits for the reader of a pipe.
    ///
    /// Without a reader the descriptor is negative and `errno` ENXIO. It stays in non-blocking mode, which ``write(_:to:)`` copes
    /// with.
    static func openForWriting(_ path: String, _ flags: Int32 = 0) -> Int32 {
        open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | flags, 0o666)
    }

    /// Why opening failed with `code`.
    static func reasonNotWritable(_ code: Int32) -> String {
        code == ENXIO ? "nobody reads from this pipe: start its reader first" : message(of: code)
    }

    /// Writes all of `bytes` to an open descriptor; no signal ends the process in between.
    static func write(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
        try Interruption.deferring { () throws(OutputError) in try writeAll(bytes, to: descriptor) }
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(OutputError) {
        var written = 0
        while written < bytes.count {
            let count = bytes.withUnsafeBytes { buffer in
                #if canImport(Glibc)
                Glibc.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                #else
                Darwin.write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                #endif
            }
            if count >= 0 {
                written += count
            } else if errno == EPIPE {
                throw .brokenPipe
            } else if errno == EAGAIN {
                waitUntilWritable(descriptor)
            } else if errno != EINTR {
                throw .failed(message(of: errno))
            }
        }
    }

    /// Waits for a terminal or pipe that another program left in non-blocking mode.
    private static func waitUntilWritable(_ descriptor: Int32) {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        poll(&request, 1, -1)
    }

    /// The system's words for an `errno` value.
    static func message(of code: Int32) -> String {
        strerror(code).map { String(cString: $0) } ?? "error \(code)"
    }

    /// Makes writing to a pipe without a reader, or more than a file may hold, an error instead of the end of the process.
    static func ignoreSignalsOfWriting() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// How many connections can be open at the same time, after asking the system for as many as it gives.
    ///
    /// A connection that cannot be opened for want of a descriptor would look like a server that cannot be reached.
    static func connectionLimit() -> Int {
        var limit = rlimit()
        guard getrlimit(descriptorResource, &limit) == 0 else { return 128 }
        if limit.rlim_cur < limit.rlim_max {
            var raised = limit
            raised.rlim_cur = min(limit.rlim_max, 65_536)
            if setrlimit(descriptorResource, &raised) == 0 { limit = raised }
        }
        // Some are for files, the event loop and name lookups.
        return max(1, Int(min(limit.rlim_cur, 65_536)) - 64)
    }

    #if canImport(Glibc)
    private static let descriptorResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let descriptorResource = RLIMIT_NOFILE
    #endif

    /// Whether a few descriptors can still be opened: without, the event loop cannot even be made.
    static func hasFreeDescriptors() -> Bool {
        let copies = (0..<6).map { _ in dup(STDERR_FILENO) }
        for copy in copies where copy >= 0 { close(copy) }
        return copies.allSatisfy { $0 >= 0 }
    }

    /// Ends the process without running exit handlers, which would tear OpenSSL down under threads that still use it.
    static func exit(code: Int32) -> Never {
        _exit(code)
    }
}
