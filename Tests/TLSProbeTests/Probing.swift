import LoopbackLab
import NIOCore
import Pinning
import Testing

@testable import TLSProbe

let loopback = IPAddress("127.0.0.1")!

let served = [pki.leaf, pki.interA]

typealias ServerVersion = LoopbackLab.TLSVersion
let versions: [ServerVersion] = [.tls12, .tls13]
let allVersions: [ServerVersion] = [.tls10] + versions

/// A server that presents these certificates and speaks no newer version.
func serverSettings(
    _ presented: [LabCertificate], upTo version: ServerVersion, _ change: (inout TLSServerSettings) -> Void = { _ in }
) -> TLSServerSettings { TLSServerSettings(presenting: presented).with { $0.maximumVersion = version }.with(change) }

func withProber<Value: Sendable>(_ body: (Prober) async throws -> Value) async throws -> Value {
    let prober = Prober()
    let result: Result<Value, any Error>
    do { result = .success(try await body(prober)) } catch { result = .failure(error) }
    await prober.shutdown()
    return try result.get()
}

extension ProbeRequest {
    init(_ server: LoopbackServer, _ change: (inout ProbeRequest) -> Void = { _ in }) throws {
        self.init(to: .address(try #require(IPAddress(server.address))), port: server.port)
        change(&self)
    }
}

func probe(_ behavior: ServerBehavior, address: String = "127.0.0.1", _ change: (inout ProbeRequest) -> Void = { _ in })
    async throws -> Handshake
{ try await observe(behavior, address: address, change).result.get() }

func failure(of behavior: ServerBehavior, _ change: (inout ProbeRequest) -> Void = { _ in }) async throws -> ProbeError
{
    let result = try await observe(behavior, change).result
    return try #require(result.failure, "the probe should not have succeeded: \(result)")
}

func observe(
    _ behavior: ServerBehavior, address: String = "127.0.0.1", _ change: (inout ProbeRequest) -> Void = { _ in }
) async throws -> (result: Result<Handshake, ProbeError>, seen: ConnectionObservation) {
    try await LoopbackServer.serving(behavior, address: address) { server in
        let request = try ProbeRequest(server, change)
        let result = try await withProber { await outcome(of: request, by: $0) }
        let seen = await server.connections(ended: 1)
        return (result, try #require(seen.first, "the server saw no connection: \(result)"))
    }
}

func outcome(of request: ProbeRequest, by prober: Prober) async -> Result<Handshake, ProbeError> {
    do throws(ProbeError) { return .success(try await prober.probe(request)) } catch { return .failure(error) }
}

extension Prober {
    func probe<Judgement: Sendable>(
        _ request: ProbeRequest, judging judge: @Sendable (Handshake) async -> (Judgement, exchange: HTTPExchange?)
    ) async throws(ProbeError) -> (
        handshake: Handshake, judgement: Judgement, response: Result<HTTPResponse, HTTPError>?
    ) {
        let (handshake, connection) = try await hold(request)
        let (judgement, exchange) = await judge(handshake)
        guard let exchange else {
            connection.close()
            return (handshake, judgement, nil)
        }
        return (handshake, judgement, await connection.carry(exchange, within: .seconds(60)))
    }
}

extension StringProtocol { var bytes: [UInt8] { Array(utf8) } }

extension PresentedChain { var encodings: [[UInt8]] { certificates.map(\.der) } }

extension Result { var failure: Failure? { if case .failure(let error) = self { error } else { nil } } }

/// Sees whether a probe has ended 100 ms after its deadline, by the clock and in the order of its loop, both late on a busy machine.
final class EndWatch: @unchecked Sendable {
    typealias Ending = (probe: Result<Handshake, ProbeError>, answer: Result<HTTPResponse, HTTPError>?)

    private let attempt: ProbeAttempt
    private let loop: any EventLoop
    private let exchange: HTTPExchange?
    private var hasEnded = false
    private(set) var isLate = false
    /// The time between the handshake and the exchange.
    private(set) var judging = TimeAmount.zero

    /// A watch over an attempt; with an exchange it has to be one that keeps its connection.
    init(_ attempt: ProbeAttempt, asking exchange: HTTPExchange? = nil, on loop: any EventLoop) {
        self.attempt = attempt
        self.exchange = exchange
        self.loop = loop
    }

    func ending() async -> Ending {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.attempt.start { result in
                    guard let exchange = self.exchange, case .success = result else {
                        self.hasEnded = true
                        return continuation.resume(returning: (result, nil))
                    }
                    // Not in the middle of the handshake's last step, where nobody judges either.
                    let proven: NIODeadline? =
                        if case .held(let tls, _) = self.attempt.kept { tls.completed } else { nil }
                    self.loop.execute {
                        self.attempt.carry(exchange, within: .seconds(60)) { answer in
                            self.hasEnded = true
                            continuation.resume(returning: (result, answer))
                        }
                        self.judging = .now() - (proven ?? .now())
                    }
                }
                self.watch()
            }
        }
    }

    private func watch() {
        let deadline = attempt.connection.deadline
        loop.scheduleTask(deadline: deadline + .milliseconds(100)) {
            guard !self.hasEnded else { return }
            // It learnt of its connection late, and left that out.
            if self.attempt.connection.deadline > deadline { return self.watch() }
            self.isLate = true
            self.attempt.cancel()
        }
    }
}
