import Base
import PinChecking
import Synchronization

enum System {
    static func context() -> Context {
        var environment: [String: String] = [:]
        for name in Context.honouredVariables {
            if let value = getenv(name) { environment[name] = String(cString: value) }
        }
        let columns = environment["COLUMNS"].flatMap { Int($0) }
        let output = standardStream(STDOUT_FILENO, columns: columns)
        let errors = standardStream(STDERR_FILENO, columns: columns)
        var context = Context(
            console: Console(output: output, errors: errors), environment: environment,
            now: { Timestamp(secondsSinceEpoch: Int64(time(nil))) },
            readStandardInput: { () throws(Problem) in
                try BoundedFile.contents(ofDescriptor: STDIN_FILENO, name: "standard input")
            })
        context.signals = { ProcessSignal.stream() }
        var input = stat()
        if fstat(STDIN_FILENO, &input) == 0, input.st_mode & S_IFMT == S_IFREG {
            context.standardInput = FileIdentity(input)
        }
        return context
    }

    // A closed descriptor (`>&-`) would be the next socket's and get our output: `/dev/null` takes it, and writes fail.
    // A descriptor without a file type was opened by the runtime and is left alone.
    private static func standardStream(_ descriptor: Int32, columns: Int?) -> OutputStream {
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
            return OutputStream(isTerminal: false) { _ throws(WriteFailure) in throw .system(EBADF) }
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        let isTerminal = !isFile && isatty(descriptor) == 1
        return OutputStream(
            isTerminal: isTerminal, isFile: isFile,
            layout: layout(of: descriptor, isTerminal: isTerminal, columns: columns),
            identity: isTerminal || status.st_mode & S_IFMT != S_IFCHR ? FileIdentity(status) : nil
        ) { bytes throws(WriteFailure) in
            try isFile ? Descriptor.writeLines(bytes, to: descriptor) : Descriptor.write(bytes, to: descriptor)
        }
    }

    private static func layout(of descriptor: Int32, isTerminal: Bool, columns: Int?) -> TextLayout {
        var width = columns.flatMap { (1...10_000).contains($0) ? $0 : nil } ?? 0
        var size = winsize()
        if isTerminal, width == 0, ioctl(descriptor, sizeOfTerminal, &size) == 0 { width = Int(size.ws_col) }
        return TextLayout(columns: width > 0 ? width : TextLayout().columns, wraps: isTerminal)
    }

    #if canImport(Darwin)
    // Swift does not import the macro TIOCGWINSZ, which other macros compose.
    private static let sizeOfTerminal: UInt = 0x4008_7468
    #else
    private static let sizeOfTerminal = UInt(TIOCGWINSZ)
    #endif

    /// Ends the process without exit handlers, which would tear down OpenSSL under threads that still use it.
    static func exit(code: Int32) -> Never { _exit(code) }

    /// `true` if a read of the file may never end or fill the memory: OpenSSL reads its configuration to the end.
    static func isEndless(_ path: String) -> Bool {
        var (status, null) = (stat(), stat())
        guard stat(path, &status) == 0 else { return false }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status.st_size > 1 << 20
        // OpenSSL reports a directory as unreadable.
        case S_IFDIR: return false
        default: return stat("/dev/null", &null) != 0 || null.st_rdev != status.st_rdev
        }
    }
}

enum ProcessSignal {
    /// An end after the work under way (SIGTERM, SIGINT).
    case end
    /// A request to read the files again (SIGHUP).
    case reload

    /// The signals; after a request to end, a second one ends the process at once, as it does any other command.
    static func stream() -> AsyncStream<ProcessSignal> {
        AsyncStream { continuation in
            let isEnding = Atomic(false)
            Interruption.handle { number in
                if number == SIGHUP, !isEnding.load(ordering: .relaxed) {
                    continuation.yield(.reload)
                    return true
                }
                continuation.yield(.end)
                return !isEnding.exchange(true, ordering: .relaxed)
            }
        }
    }
}
