import Base
package import PinChecking
package import Pinning
import Synchronization
package import TLSProbe
import X509

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
            readStandardInput: { () throws(CommandError) in
                try CommandError.reading(try BoundedFile.contents(ofDescriptor: STDIN_FILENO, name: "standard input"))
            })
        context.signals = { ProcessSignal.stream() }
        var input = stat()
        if fstat(STDIN_FILENO, &input) == 0, input.st_mode & S_IFMT == S_IFREG {
            context.standardInput = FileIdentity(input)
        }
        return context
    }

    // The next socket would take the number of a closed descriptor (`>&-`) and get our output: `/dev/null` takes it, and writes
    // fail. The runtime may have been faster with one of its own, which are of no file type and are left alone.
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
            let reason = SystemError.message(of: EBADF)
            return OutputStream(isTerminal: false) { _ throws(OutputError) in throw .failed(reason) }
        }
        let isFile = status.st_mode & S_IFMT == S_IFREG
        let isTerminal = !isFile && isatty(descriptor) == 1
        return OutputStream(
            isTerminal: isTerminal, isFile: isFile,
            layout: layout(of: descriptor, isTerminal: isTerminal, columns: columns),
            identity: isTerminal || status.st_mode & S_IFMT != S_IFCHR ? FileIdentity(status) : nil
        ) { bytes throws(OutputError) in
            try isFile ? Descriptor.writeLines(bytes, to: descriptor) : Descriptor.write(bytes, to: descriptor)
        }
    }

    private static func layout(of descriptor: Int32, isTerminal: Bool, columns: Int?) -> TextLayout {
        var width = columns.flatMap { (1...10_000).contains($0) ? $0 : nil }
        if isTerminal, width == nil { width = terminalWidth(of: descriptor) }
        return TextLayout(columns: width ?? TextLayout().columns, wraps: isTerminal)
    }

    private static func terminalWidth(of descriptor: Int32) -> Int? {
        var size = winsize()
        return ioctl(descriptor, sizeOfTerminal, &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
    }

    #if canImport(Darwin)
    // The macro TIOCGWINSZ is put together of others, which Swift does not import.
    private static let sizeOfTerminal: UInt = 0x4008_7468
    #else
    private static let sizeOfTerminal = UInt(TIOCGWINSZ)
    #endif

    /// Makes writing to a pipe without a reader, or more than a file may hold, an error instead of the end of the process.
    static func ignoreSignalsOfWriting() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Ends the process without running exit handlers, which would tear OpenSSL down under threads that still use it.
    static func exit(code: Int32) -> Never { _exit(code) }
}

/// The first use of OpenSSL, for which it reads the configuration that the environment names and whatever that names.
enum OpenSSLStart {
    /// How long it may take, in milliseconds: OpenSSL needs a few, and a library on a slow disk not a second.
    static let patience: Int32 = 3_000

    static var isConfigured: Bool { getenv("OPENSSL_CONF") != nil }

    /// The configuration that the environment names, where reading it could fill the memory before the time is up.
    static var endlessFile: String? {
        guard let path = getenv("OPENSSL_CONF").map({ String(cString: $0) }) else { return nil }
        var (status, null) = (stat(), stat())
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return status.st_size > 1 << 20 ? path : nil
        // OpenSSL finds nothing to read there and says so.
        case S_IFDIR: return nil
        default: return stat("/dev/null", &null) == 0 && null.st_rdev == status.st_rdev ? nil : path
        }
    }

    // What it reads can be named in too many ways to look through, and opening a pipe never ends. A thread that waits is left alone.
    static func isInTime() -> Bool {
        guard isConfigured else { return true }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return true }
        let (reading, writing) = (ends[0], ends[1])
        let thread = SystemThread {
            _ = Hashing.isAvailable
            close(writing)
        }
        guard let thread else {
            close(writing)
            close(reading)
            return true
        }
        let isDone = Descriptor.wait(for: POLLIN, on: reading, milliseconds: patience)
        if isDone { thread.join() } else { thread.detach() }
        close(reading)
        return isDone
    }
}

package enum ProcessSignal: Sendable {
    /// To end, once what is under way is done (SIGTERM, SIGINT).
    case end
    /// To read its files again (SIGHUP).
    case reload

    /// The end of a pipe that the handler writes to, -1 before there is one.
    private static let writing = Atomic<Int32>(-1)

    /// Once the process was asked to end, another signal ends it at once, as it does any other command.
    static func stream() -> AsyncStream<ProcessSignal> {
        AsyncStream { continuation in
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { return continuation.finish() }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            // A handler must not wait for whoever reads.
            _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
            let reading = ends[0]
            writing.store(ends[1], ordering: .sequentiallyConsistent)
            for number in [SIGHUP, SIGTERM, SIGINT] { signal(number) { ProcessSignal.received($0) } }
            let thread = SystemThread {
                var number: UInt8 = 0
                while true {
                    let count = read(reading, &number, 1)
                    if count < 0, errno == EINTR { continue }
                    guard count == 1 else { return continuation.finish() }
                    if Int32(number) == SIGHUP {
                        continuation.yield(.reload)
                    } else {
                        Interruption.install()
                        continuation.yield(.end)
                    }
                }
            }
            guard let thread else { return continuation.finish() }
            thread.detach()
        }
    }

    /// The handler: it may do no more than what signal-safety(7) allows.
    private static func received(_ number: Int32) {
        let saved = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(writing.load(ordering: .relaxed), &byte, 1)
        errno = saved
    }
}

package enum ProgramVersion {
    package static let number = "0.1.0"

    static var text: String { "pincheck \(number) (\(OpenSSLVersion.text))" }
}

/// The world a command lives in: tests make their own.
package struct Context: Sendable {
    package var console: Console
    package var environment: [String: String]
    package var now: @Sendable () -> Timestamp
    package var readStandardInput: @Sendable () throws(CommandError) -> [UInt8]
    /// What tells the file that standard input comes from from others, `nil` where it is none.
    var standardInput: FileIdentity?
    package var thread: ProbeThread?
    package var network: StagedNetwork?

    /// What is asked of a process that lives on, as its signals come; it ends when there are no more.
    package var signals: @Sendable () -> AsyncStream<ProcessSignal> = { AsyncStream { $0.finish() } }

    /// How many targets of lists are read at once: so many take as much memory as a few connections.
    var targetWindow = 8_192

    package var cas = CA.published

    var publicRoots: Set<[UInt8]> = []

    var run: @Sendable ([String], Context) async -> ExitStatus = { _, _ in .software }

    package init(
        console: Console, environment: [String: String], now: @escaping @Sendable () -> Timestamp,
        readStandardInput: @escaping @Sendable () throws(CommandError) -> [UInt8]
    ) {
        self.console = console
        self.environment = environment
        self.now = now
        self.readStandardInput = readStandardInput
    }

    func contents(of path: String) throws(CommandError) -> [UInt8] {
        guard path == "-" else { return try CommandError.contents(ofFile: path) }
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

    var engine: Environment { engine(withConnections: DescriptorLimit.connectionLimit()) }

    func engine(withConnections limit: Int) -> Environment {
        Environment(variables: environment, now: now, thread: thread, network: network, connectionLimit: limit)
    }

    /// The environment variables that change what pincheck does; those of proxies go by small letters, too.
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
        ("TMPDIR", "Where long results wait before they become a file. It is /tmp otherwise."),
    ]

    package static let honouredVariables = variables.flatMap { name, _ in
        name.hasSuffix("_PROXY") ? [name, name.lowercased()] : [name]
    }
}
