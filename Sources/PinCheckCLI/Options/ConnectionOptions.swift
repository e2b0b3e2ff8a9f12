import ArgumentParser
import Pinning
import TLSProbe
import Text

/// How the connection is made.
struct ConnectionOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Connect there instead of looking the target up. Repeat it to check several addresses, each with a verdict of \
            its own. HOST:PORT:ADDR and HOST1:PORT1:HOST2:PORT2 are understood too.
            """,
            valueName: "addr[:port]"
        )
    )
    var connect: [String] = []

    @Option(help: ArgumentHelp("--connect in the notation of curl.", valueName: "host1:port1:host2:port2"))
    var connectTo: [String] = []

    @Option(help: ArgumentHelp("--connect in the notation of curl.", valueName: "host:port:addr"))
    var resolve: [String] = []

    @Option(
        help: ArgumentHelp(
            "The server name to send (default: the reference name, never an address).",
            valueName: "name"
        )
    )
    var sni: String?

    @Flag(name: .customLong("no-sni"), help: "Send no server name.")
    var noSNI = false

    @Option(help: ArgumentHelp("The port of targets that name none (default: 443).", valueName: "port"))
    var port: String?

    @Flag(name: .customShort("4"), help: "Use IPv4 addresses only.")
    var ipv4Only = false

    @Flag(name: .customShort("6"), help: "Use IPv6 addresses only.")
    var ipv6Only = false

    @Option(
        help: ArgumentHelp(
            "How long a target may take in all, name lookup and retries included (default: 10).",
            valueName: "seconds"
        )
    )
    var timeout: String?

    @Option(help: ArgumentHelp("How often to try again when there was no verdict (default: 0).", valueName: "n"))
    var retries: String?

    @Option(name: .customLong("min-tls"), help: ArgumentHelp("The lowest TLS version to offer.", valueName: "1.0…1.3"))
    var minimumTLS: String?

    @Option(name: .customLong("max-tls"), help: ArgumentHelp("The highest TLS version to offer.", valueName: "1.0…1.3"))
    var maximumTLS: String?

    @Option(help: ArgumentHelp("The application protocols to offer, as in h2,http/1.1.", valueName: "protocols"))
    var alpn: String?

    @Option(help: ArgumentHelp("How many targets are checked at the same time (default: 512).", valueName: "n"))
    var jobs: String?
}

extension ConnectionOptions {
    /// The port of targets that name none.
    func defaultPort() throws(CommandError) -> Int {
        guard let port else { return Port.https }
        return try Port.read(port, of: "option --port", in: port)
    }

    /// All addresses of `--connect`, `--resolve` and `--connect-to`, in that order.
    func addresses() throws(CommandError) -> [ConnectAddress] {
        var addresses: [ConnectAddress] = []
        for text in connect { addresses += try ConnectAddress.readAny(text) }
        for text in resolve { addresses += try ConnectAddress.readResolve(text) }
        for text in connectTo { addresses.append(try ConnectAddress.readConnectTo(text)) }
        return addresses
    }

    /// Which server name to send.
    func serverNameChoice() throws(CommandError) -> ServerNameChoice {
        guard let sni else { return noSNI ? .none : .referenceName }
        guard !noSNI else { throw .usage("--sni and --no-sni contradict each other: give one of them") }
        return try ServerNameChoice.named(sni, by: "--sni")
    }

    /// The address families to use.
    func addressFamily() throws(CommandError) -> ProbeRequest.AddressFamily {
        guard !(ipv4Only && ipv6Only) else { throw .usage("-4 and -6 contradict each other: give one of them") }
        return ipv4Only ? .ipv4 : ipv6Only ? .ipv6 : .any
    }

    /// The time a target may take, in seconds.
    func timeoutSeconds() throws(CommandError) -> Double {
        guard let timeout else { return 10 }
        let isPlain = timeout.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard isPlain, let seconds = Double(timeout), seconds >= 0.001, seconds <= 86_400 else {
            throw .usage("--timeout \(quoted(timeout)) is no time in seconds from 0.001 to 86400, as in 2.5")
        }
        return seconds
    }

    /// How often to try again.
    func retryCount() throws(CommandError) -> Int {
        try count(retries, option: "--retries", range: 0...100) ?? 0
    }

    /// How many targets are checked at the same time.
    func jobCount() throws(CommandError) -> Int {
        try count(jobs, option: "--jobs", range: 1...100_000) ?? 512
    }

    /// The TLS versions to offer, from the lowest to the highest.
    func tlsVersions() throws(CommandError) -> ClosedRange<TLSVersion> {
        let minimum = try version(minimumTLS, option: "--min-tls")
        let maximum = try version(maximumTLS, option: "--max-tls")
        // One limit alone moves the other one's default out of its way.
        let lowest = minimum ?? min(.tls12, maximum ?? .tls12)
        let highest = maximum ?? .tls13
        guard lowest <= highest else {
            throw .usage(
                "--min-tls \(lowest.number) is above --max-tls \(highest.number): no version is left to offer"
            )
        }
        return lowest...highest
    }

    /// The application protocols to offer.
    func applicationProtocols() throws(CommandError) -> [ApplicationProtocol] {
        guard let alpn else { return [] }
        var protocols: [ApplicationProtocol] = []
        for name in alpn.split(separator: ",", omittingEmptySubsequences: false) {
            guard let applicationProtocol = ApplicationProtocol(String(name)) else {
                throw .usage("--alpn \(quoted(alpn)) holds a name of no or of more than 255 bytes: write h2,http/1.1")
            }
            protocols.append(applicationProtocol)
        }
        return protocols
    }

    private func count(_ text: String?, option: String, range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let text else { return nil }
        guard let number = Int(text), range.contains(number), !text.hasPrefix("+") else {
            throw .usage(
                "\(option) \(quoted(text)) is no number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    private func version(_ text: String?, option: String) throws(CommandError) -> TLSVersion? {
        guard let text else { return nil }
        guard let version = TLSVersion.allCases.first(where: { $0.number == text }) else {
            throw .usage("\(option) \(quoted(text)) is no TLS version: write 1.0, 1.1, 1.2 or 1.3")
        }
        return version
    }
}

/// What the user says about the server name indication.
enum ServerNameChoice: Hashable, Sendable {
    /// The reference name is sent when it is a host name.
    case referenceName
    /// This name is sent.
    case name(ServerNameIndication)
    /// No name is sent.
    case none

    /// The choice of a name that `option` gives.
    static func named(_ text: String, by option: String) throws(CommandError) -> ServerNameChoice {
        let name: ServerName
        do {
            name = try HostName.read(text)
        } catch {
            throw .usage("\(option): \(error)")
        }
        guard let indication = ServerNameIndication(name) else {
            throw .usage(
                "\(option) \(quoted(text)) is an address: TLS carries host names only (RFC 6066), use --no-sni"
            )
        }
        return .name(indication)
    }

    /// The name to send for a reference name; an address never is sent (RFC 6066, 3).
    func indication(for referenceName: ReferenceName) -> ServerNameIndication? {
        switch self {
        case .none: nil
        case .name(let name): name
        case .referenceName:
            if case .name(let name) = referenceName { ServerNameIndication(name) } else { nil }
        }
    }
}
