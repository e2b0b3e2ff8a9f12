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
/// Pins and anchors are read once, by the initialiser. Any number of checks can run at the same time. All checkers of a
/// process share a few threads, and connect with at most half of its file descriptors.
public final class PinChecker: Sendable {
    private let judging: CheckRequest.Judging
    private let environment: [String: String]
    private let now: @Sendable () -> Timestamp
    private let policies: Mutex<Policies>

    /// Reads pins and anchors.
    ///
    /// - Parameters:
    ///   - pins: the pins, each in any form of `pincheck --pins`: a pin such as `sha256/…`, or a file or directory of
    ///     certificates, keys, or a client's configuration. Without any, only trust and name are checked.
    ///   - clients: the clients that decide; all have to accept. `nil` chooses by the pins: each configuration's own
    ///     client, AFNetworking for certificates in DER, ``Client/generic`` for other pins.
    ///   - anchors: files or directories of the trusted roots; empty for those of the system.
    ///   - devices: the devices whose roots and rules decide, from the list of `pincheck devices`; each client is
    ///     judged on those of its system. Empty for this machine.
    ///   - environment: the environment variables; `SSL_CERT_FILE` and `SSL_CERT_DIR` name the system's roots.
    ///   - now: the clock by which chains are judged; `nil` means the system's.
    /// - Throws: `Problem` for unreadable pins and anchors, an empty list of clients, and clients that do not fit the
    ///   pins; never for a verdict.
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
    ///   - address: the address to connect to instead of a look-up, such as one from HTTPDNS, with or without a port.
    ///   - timeout: the time for the whole check, with the look-up: from a millisecond to a day. It starts when other
    ///     checks of the process leave room for this one.
    /// - Returns: the result; a server that cannot be reached is an outcome, too.
    /// - Throws: `Problem` for a target or address that cannot be read, for configurations that contradict each other
    ///   for its host, and if the process has no descriptors left. `CancellationError` if the task was cancelled.
    public func check(
        _ target: String, connectingTo address: String? = nil, timeout: Duration = .seconds(10)
    ) async throws -> CheckResult {
        var request = CheckRequest()
        request.judging = judging
        request.connection.timeout = min(max(timeout, .milliseconds(1)), .seconds(86_400))
        if let address {
            request.connection.addresses = .init(given: try ConnectAddress.readAny(address), isOfOneTarget: true)
        }
        let checkTarget = CheckTarget(try Target(target), request)
        let checks = try policies.withLock { (policies) throws(Problem) in try Check.plan([checkTarget], &policies) }
        let results = try await SharedConnections.process.check(
            checks[0], in: Environment(variables: environment, now: now, connectionLimit: 1)
        ).results()
        // An address gives one connection; of several, the first that is not accepted counts.
        guard let result = results.first(where: { $0.outcome != .accepted }) ?? results.first else {
            throw Problem.software("the check of the target came to nothing")
        }
        guard result.reason.id != "local-limit" else { throw Problem.software("\(result.reason)") }
        return result
    }

    /// Judges a chain that another TLS stack received, without a network.
    ///
    /// - Parameters:
    ///   - chain: the certificates in DER as the server sent them, its own first.
    ///   - host: the name or address that the server's certificate must be valid for.
    /// - Returns: the result.
    /// - Throws: `Problem` for an empty chain, unreadable certificates, and contradictory configurations for the host.
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

    /// Reads the pins that are for any host, in any form of ``init(pins:clients:anchors:devices:environment:now:)``.
    ///
    /// - Parameter sources: pins, or the paths of files and directories.
    /// - Returns: the pins in their order, without those that a configuration has only for some hosts.
    /// - Throws: `Problem` for a source that cannot be read.
    public static func pins(in sources: [String]) throws(Problem) -> [Pin] {
        try PinSources(reading: sources.map { .init($0) }).read.pins
    }
}
