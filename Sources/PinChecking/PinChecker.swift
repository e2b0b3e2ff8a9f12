import Base
import PinFormats
@_exported public import Pinning
import Synchronization
import TLSProbe
import X509

/// Checks servers and chains against pins as the clients that ship them would.
///
/// ```swift
/// let checker = try PinChecker(pins: ["sha256/…", "Pins"], clients: [.afnetworking, .okhttp])
/// let result = try await checker.check("api.example.com")
/// if result.outcome != .accepted { print(result.reason) }
/// ```
///
/// Pins and anchors are read once, when the checker is made; it can be used for any number of checks, at the same time too. All checkers
/// of a process share a few threads, and as many connections at once as leave the process half of its descriptors.
public final class PinChecker: Sendable {
    private let judging: CheckRequest.Judging
    private let environment: [String: String]
    private let now: @Sendable () -> Timestamp
    private let policies: Mutex<Policies>

    /// Reads pins and anchors.
    ///
    /// - Parameters:
    ///   - pins: what is pinned, each in any form that `pincheck --pins` takes: a pin such as `sha256/…`, or a file or directory
    ///     of certificates, keys, or a client's configuration. Without any, only trust and name are checked.
    ///   - clients: the clients whose decisions are made; all have to accept. `nil` for those that the pins are for, as the command line
    ///     chooses them: each configuration's own client, AFNetworking for certificates in DER, ``Client/generic`` for other pins.
    ///   - anchors: files or directories of the roots that are trusted; empty for those of the system.
    ///   - devices: the devices whose roots and rules decide, as `pincheck devices` lists them and `pincheck --device` takes them; each
    ///     client is judged on those of its system. Empty for this machine.
    ///   - environment: the environment variables, of which `SSL_CERT_FILE` and `SSL_CERT_DIR` say where the system's roots are.
    ///   - now: tells the time by which chains are judged; `nil` for the system's clock.
    /// - Throws: `Problem` for pins and anchors that cannot be read, for an empty list of clients, and for clients that do not go
    ///   with the pins. It is never a verdict.
    public init(
        pins: [String] = [], clients: [Client]? = nil, anchors: [String] = [], devices: [String] = [],
        environment: [String: String] = [:], now: (@Sendable () -> Timestamp)? = nil
    ) throws(Problem) {
        guard clients?.isEmpty != true else {
            throw .usage(
                "the list of clients is empty: name one, or leave the list out to judge as the pins' own clients do")
        }
        var judging = CheckRequest.Judging()
        judging.pins = pins.map { .init($0) }
        judging.clients = clients.map { .named($0) }
        judging.trust.anchors = anchors
        judging.devices = devices.isEmpty ? nil : devices.words
        (self.judging, self.environment) = (judging, environment)
        let clock = now ?? { Timestamp(secondsSinceEpoch: Int64(time(nil))) }
        self.now = clock
        var policies = Policies(environment: environment, at: clock())
        try policies.read(judging)
        self.policies = Mutex(policies)
    }

    /// Connects to a server and judges the chain it sends.
    ///
    /// - Parameters:
    ///   - target: `host`, `host:port`, `[v6]:port`, an address, or an https URL.
    ///   - address: where to connect to instead of looking the host up, as an HTTPDNS answer says; with a port, or without.
    ///   - timeout: how long the check may take in all, name lookup included: from a millisecond to a day. A check that waits for others
    ///     of the process to end begins after that.
    /// - Returns: what came of it; a server that cannot be reached is an outcome, too.
    /// - Throws: `Problem` for a target or an address that cannot be understood, for configurations that contradict each other for
    ///   its host, and where the process has no descriptors left. `CancellationError` where the task was cancelled.
    public func check(
        _ target: String, connectingTo address: String? = nil, timeout: Duration = .seconds(10)
    ) async throws -> CheckResult {
        var request = CheckRequest()
        request.judging = judging
        request.connection.timeout = min(max(timeout, .milliseconds(1)), .seconds(86_400))
        if let address { request.connection.addresses.given = try ConnectAddress.readAny(address) }
        let checkTarget = CheckTarget(target: try Target(target), request: request)
        let checks = try policies.withLock { (policies) throws(Problem) in try Check.plan([checkTarget], &policies) }
        let results = try await SharedConnections.process.check(
            checks[0], in: Environment(variables: environment, now: now, connectionLimit: 1)
        ).results()
        // An address stands for one connection; should there be several, the first that is not accepted says most.
        guard let result = results.first(where: { $0.outcome != .accepted }) ?? results.first else {
            throw Problem.software("the check of the target came to nothing")
        }
        guard result.reason.id != "local-limit" else { throw Problem.software("\(result.reason)") }
        return result
    }

    /// Judges a chain that a TLS stack of your own was given, without a network.
    ///
    /// - Parameters:
    ///   - chain: the certificates in DER as the server sent them, its own first.
    ///   - host: the name or the address the server's certificate must be valid for.
    /// - Returns: what came of it.
    /// - Throws: `Problem` for an empty chain, for certificates that cannot be read, and for configurations that contradict each
    ///   other for the host.
    public func check(chain: [[UInt8]], for host: String) throws(Problem) -> CheckResult {
        var certificates: [Certificate] = []
        for (index, der) in chain.enumerated() {
            do { certificates.append(try CertificateReader.certificate(der: der)) } catch {
                throw .data("certificate \(index) of the chain cannot be read: \(error)")
            }
        }
        guard let presented = PresentedChain(certificates) else {
            throw .data("the chain holds no certificate: give those that the server sent, its own first")
        }
        let name = ReferenceName(written: host)
        let judging = judging
        let policy = try policies.withLock { (policies) throws(Problem) in
            try policies.policy(judging, for: name, writtenAs: host)
        }
        return CheckResult(of: presented, named: host, for: name, by: policy, at: now())
    }

    /// The pins that sources hold for whatever host is checked, in any form that
    /// ``init(pins:clients:anchors:devices:environment:now:)`` takes.
    ///
    /// - Parameter sources: pins, or the paths of files and directories.
    /// - Returns: the pins in their order; those that a configuration has for some hosts alone are not among them.
    /// - Throws: `Problem` for a source that cannot be read.
    public static func pins(in sources: [String]) throws(Problem) -> [Pin] {
        try PinSources(reading: sources.map { .init($0) }).pins
    }
}
