import Base
import PinChecking
import PinFormats
import Synchronization
import TLSProbe

struct Context {
    var console: Console
    var environment: [String: String]
    var now: @Sendable () -> Timestamp
    var readStandardInput: @Sendable () throws(Problem) -> [UInt8]
    var standardInput: FileIdentity?
    var thread: ProbeThread?
    var network: StagedNetwork?
    /// The signals to a long-lived process as they arrive; the stream ends if there are none.
    var signals: @Sendable () -> AsyncStream<ProcessSignal> = { AsyncStream { $0.finish() } }
    /// The number of targets read at once from lists: they take as much memory as a few connections.
    var targetWindow = 8_192
    /// The roots that CAs publish; `nil` means the built-in list.
    var caRoots: [CARoot]?
    var publicRoots: Set<[UInt8]> = []

    func contents(of path: String) throws(Problem) -> [UInt8] {
        guard path == "-" else { return try BoundedFile.contents(ofFile: path) }
        standardInput.map { ReadLog.current?.add($0) }
        return try readStandardInput()
    }

    func noteFilesOfEnvironment(in log: ReadLog) {
        for name in ["SSL_CERT_FILE", "OPENSSL_CONF"] { environment[name].map(log.add) }
        for path in (environment["SSL_CERT_DIR"] ?? "").split(separator: ":") { log.add(String(path)) }
    }

    func style(_ choice: TextStyle.Choice, on stream: OutputStream) -> TextStyle {
        TextStyle(choice, isTerminal: stream.isTerminal, environment: environment)
    }

    var policies: Policies { Policies(environment: environment, at: now(), publicRoots: publicRoots) }

    func engine(withConnections limit: Int = DescriptorLimit.connectionLimit()) -> Environment {
        Environment(variables: environment, now: now, thread: thread, network: network, connectionLimit: limit)
    }

    /// The environment variables that change pincheck's behaviour; those of proxies also exist in small letters.
    static let variables = [
        ("ALL_PROXY", "The proxy, if HTTPS_PROXY names none. all_proxy goes first."),
        ("COLUMNS", "How wide help and reports are. Without it the terminal says so."),
        ("HTTPS_PROXY", "The proxy that connections go through. https_proxy goes first."),
        ("NO_COLOR", "Nothing is coloured if it is set and not empty."),
        ("NO_PROXY", "Hosts that no proxy is for, as curl reads it. no_proxy goes first."),
        ("OPENSSL_CONF", "OpenSSL's configuration, instead of its openssl.cnf."),
        ("OPENSSL_CONF_INCLUDE", "Where .include lines of OpenSSL's configuration look for relative paths."),
        ("SSL_CERT_DIR", "Directories of trusted roots by hash, instead of the system's."),
        ("SSL_CERT_FILE", "A file of trusted roots, instead of the system's."),
        ("TERM", "Nothing is coloured, and no progress is shown, if it is dumb."),
    ]

    static let honouredVariables = variables.flatMap { name, _ in
        name.hasSuffix("_PROXY") ? [name, name.lowercased()] : [name]
    }
}

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
        if fstat(STDIN_FILENO, &input) == 0, FileKind(input) == .regular { context.standardInput = FileIdentity(input) }
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
        let isFile = FileKind(status) == .regular
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
}

enum ProcessSignal {
    /// An end after the work under way (SIGTERM, SIGINT).
    case end
    /// A request to read the files again (SIGHUP).
    case reload

    /// The signals; a second request to end ends the process at once, as it does any other command.
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
