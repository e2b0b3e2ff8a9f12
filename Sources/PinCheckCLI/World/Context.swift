import Base
import PinChecking
import PinFormats
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
    /// The number of targets of lists that are read at once: they take as much memory as a few connections.
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
