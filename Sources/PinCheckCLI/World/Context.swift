import Base
package import PinChecking
package import Pinning
package import TLSProbe

/// The world a command lives in.
///
/// Tests make their own, the process has one from the system.
package struct Context: Sendable {
    package var console: Console
    /// The environment variables that pincheck honours, see ``honouredVariables``.
    package var environment: [String: String]
    package var now: @Sendable () -> Timestamp
    package var readStandardInput: @Sendable () throws(CommandError) -> [UInt8]
    /// What tells the file that standard input comes from from others, `nil` where it is none.
    var standardInput: FileIdentity?
    /// The thread for connections, `nil` when one has to be made.
    package var thread: ProbeThread?
    package var network: StagedNetwork?

    /// What is asked of a process that lives on, as its signals come; it ends when there are no more.
    package var signals: @Sendable () -> AsyncStream<ProcessSignal> = { AsyncStream { $0.finish() } }

    /// How many targets of lists are read at once: so many take as much memory as a few connections.
    var targetWindow = 8_192

    /// The public CAs whose roots are known.
    package var cas = CA.published

    /// Roots that count as those of devices, as the demo's do.
    var publicRoots: Set<[UInt8]> = []

    /// Runs another command line in a world of its own, as the demo does.
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

    var policies: Policies { Policies(environment: environment, at: now(), publicRoots: publicRoots) }

    /// What the engine has of the world.
    var engine: Environment { engine(withConnections: DescriptorLimit.connectionLimit()) }

    /// The same with so many connections at a time.
    func engine(withConnections limit: Int) -> Environment {
        Environment(variables: environment, now: now, thread: thread, network: network, connectionLimit: limit)
    }

    /// The names of the environment variables that change what pincheck does.
    package static let honouredVariables = [
        "NO_COLOR", "TERM", "COLUMNS", "SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_CONF", "TMPDIR", "https_proxy",
        "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
    ]
}
