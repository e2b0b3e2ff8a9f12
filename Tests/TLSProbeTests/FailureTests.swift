import LoopbackLab
import Pinning
import Testing

@testable import TLSProbe

@Suite(.timeLimit(.minutes(5))) struct ConnectFailureTests {
    private func failure(of request: ProbeRequest) async throws -> ProbeError {
        let result = try await withProber { await outcome(of: request, by: $0) }
        return try #require(result.failure)
    }

    @Test(arguments: ["127.0.0.1", "::1"]) func aRefusedConnectionIsNamed(address: String) async throws {
        try await DeadPort.refusing(address: address) { refusing in
            let ip = try #require(IPAddress(address))
            let error = try await failure(of: ProbeRequest(to: .address(ip), port: refusing))
            let peer = PeerAddress(ip: ip, port: refusing)
            #expect(
                error
                    == ProbeError(
                        .connect, .notConnected([ConnectFailure(peer: peer, code: ECONNREFUSED)]),
                        target: peer.description))
            #expect(error.id == "refused")
            #expect(error.description.contains("'\(peer)': connection refused"))
        }
    }

    @Test func eachAddressOfAHostHasItsReason() async throws {
        try await DeadPort.refusing { refusing in
            let request = ProbeRequest(to: .resolve(host: "localhost", family: .ipv4), port: refusing)
            let error = try await failure(of: request)
            #expect(error.phase == .connect)
            #expect(error.target == "localhost:\(refusing)")
            let peer = PeerAddress(ip: loopback, port: refusing)
            guard case .notConnected(let failures) = error.reason else {
                return #expect(Bool(false), "unexpected \(error.reason)")
            }
            #expect(failures.allSatisfy { $0 == ConnectFailure(peer: peer, code: ECONNREFUSED) })
            #expect(error.id == "refused")
        }
    }

    @Test(arguments: AddressFamily.allCases) func anUnresolvableNameIsAResolveFailure(family: AddressFamily)
        async throws
    {
        let error = try await failure(
            of: ProbeRequest(to: .resolve(host: "name.invalid", family: family), timeout: .seconds(30)))
        #expect(error.phase == .resolve)
        #expect(error.target == "name.invalid:443")
        #expect(error.description.contains("'name.invalid'"))
        #expect(error.peer == nil)
    }
}

@Suite(.timeLimit(.minutes(5))) struct HandshakeFailureTests {
    @Test func aServerThatClosesAtOnceIsNamed() async throws {
        let error = try await failure(of: .closes)
        // A ClientHello that reaches a closed socket is answered with a reset.
        #expect(error.phase == .handshake)
        #expect([.closedEarly(received: 0), .reset].contains(error.reason))
    }

    @Test func aServerThatResetsAtOnceIsNamed() async throws {
        // The reset may come before this side has seen that it is connected.
        #expect(try await failure(of: .resets).id == "reset")
    }

    @Test(
        arguments: [
            (.plainHTTP, .notTLS(.http)), (.smtp, .notTLS(.unknown)), (.script("no".bytes), .notTLS(.unknown)),
            (.alert(70), .protocolVersion(minimum: .tls12, maximum: .tls13)),
        ] + (1...8).map { (.garbage(seed: $0), .notTLS(.unknown)) } as [(ServerBehavior, ProbeError.Reason)])
    func whatIsNoHandshakeIsRecognised(behavior: ServerBehavior, reason: ProbeError.Reason) async throws {
        #expect(try await failure(of: behavior).reason == reason)
    }

    @Test(arguments: [1, 5, 80, 200, 600]) func aServerThatEndsInTheMiddleIsNamed(bytes: Int) async throws {
        let error = try await failure(of: .presenting([pki.leaf], delivery: .closes(afterBytes: bytes)))
        #expect(error.reason == .closedEarly(received: bytes))
        #expect(error.id == "closed-early" && error.peer != nil)
        let reset = try await failure(of: .presenting([pki.leaf], delivery: .resets(afterBytes: bytes)))
        #expect(reset.reason == .reset)
    }

    @Test(arguments: [(40, "handshake_failure"), (80, "internal_error"), (112, "unrecognized_name"), (199, "unknown")])
    func anAlertIsSpelledOut(number: UInt8, name: String) async throws {
        let error = try await failure(of: .alert(number))
        #expect(error.reason == .alert(TLSAlert(number: number)))
        #expect(error.description.contains("alert \(name) (\(number)), sent by the server"))
    }

    @Test func anOversizedRecordIsAFailure() async throws {
        #expect(try await failure(of: .oversizedRecord).id == "tls-failure")
    }

    @Test func aServerThatNeverStopsBeforeTheHandshakeIsLeft() async throws {
        // HelloRequest, which a client waiting for ServerHello passes over.
        let record: [UInt8] = [22, 3, 3, 0, 4, 0, 0, 0, 0]
        let flood = Array(repeatElement(record, count: TLSHandler.inputLimit / record.count + 2).joined())
        let error = try await failure(of: .script(flood))
        #expect(error.reason == .tooMuchData(limit: TLSHandler.inputLimit))
    }
}

@Suite struct ProbeErrorTests {
    private static let peer = IPAddress("203.0.113.7").map { PeerAddress(ip: $0, port: 443) }
    private static let reasons: [ProbeError.Reason] = [
        .deadlineExceeded(timeout: .seconds(10)), .cancelled, .nameNotFound, .noAddress(.ipv6),
        .resolverFailed("Temporary failure in name resolution"),
        .notConnected([ConnectFailure(peer: peer, code: ECONNREFUSED)]),
        .notConnected([ConnectFailure(peer: peer, code: ECONNREFUSED), ConnectFailure(peer: peer, code: EHOSTUNREACH)]),
        .notConnected([ConnectFailure(peer: nil, code: EMFILE)]),
        .notConnected([ConnectFailure(peer: peer, code: EACCES)]), .alert(TLSAlert(number: 40)),
        .closedEarly(received: 0), .closedEarly(received: 7), .reset, .notTLS(.http), .notTLS(.unknown),
        .protocolVersion(minimum: .tls12, maximum: .tls13), .certificatesTooLarge(limit: 1),
        .tooManyCertificates(limit: 1), .tooMuchData(limit: 1), .keyNotProven, .clientCertificateRequired,
        .noCertificate, .unreadableCertificate("x"), .tlsFailure("x"), .setUpFailed("x"),
    ]

    @Test(arguments: reasons) func theDescriptionIsOneLineThatQuotesTheTarget(reason: ProbeError.Reason) {
        for phase in ProbeError.Phase.allCases {
            let error = ProbeError(phase, reason, target: "api.example.com:443", peer: Self.peer)
            #expect(
                error.description.contains("'api.example.com:443'") || error.description.contains("'api.example.com'"))
            #expect(!error.description.contains { $0.isNewline })
            // A library has no command line.
            #expect(!error.description.contains("--"))
            #expect(!error.id.isEmpty)
        }
    }

    @Test func theTimeoutIsNamedAndTheAddressNextToTheHost() {
        let reset = ProbeError(.handshake, .reset, target: "api.example.com:443", peer: Self.peer)
        #expect(reset.description.hasPrefix("'api.example.com:443' (203.0.113.7:443) reset the connection"))
        let late = ProbeError(.connect, .deadlineExceeded(timeout: .milliseconds(1500)), target: "a:1")
        #expect(late.description.hasSuffix("or raise the timeout (1.5 s)"))
        let proxy = ProbeError(.proxy, .deadlineExceeded(timeout: .seconds(3)), target: "a:1", proxy: "http://p:1")
        #expect(proxy.description.hasSuffix("or raise the timeout (3 s)"), "\(proxy)")
    }

    @Test func failuresOfOneKindShareItsWord() {
        let refused = ConnectFailure(peer: Self.peer, code: ECONNREFUSED)
        let unreachable = ConnectFailure(peer: Self.peer, code: EHOSTUNREACH)
        #expect(ProbeError(.connect, .notConnected([refused, refused]), target: "a:1").id == "refused")
        #expect(ProbeError(.connect, .notConnected([refused, unreachable]), target: "a:1").id == "connect-failed")
    }

    /// What can be a TLS record is not called anything else.
    @Test(
        arguments: [
            ("HTTP/1.1 400 Bad".bytes, .http), ("<!DOCTYPE html>".bytes, .http), ("SSH-2.0-OpenSSH".bytes, .unknown),
            ([], nil), ([22], nil), ([22, 3, 3, 0, 90], nil), ([21, 3, 1, 0, 2], nil), ([23, 3], nil),
        ] as [([UInt8], PlainProtocol?)]) func whatIsNotTLSIsRecognisedByItsFirstBytes(
            opening: [UInt8], expected: PlainProtocol?
        )
    { #expect(PlainProtocol(opening: opening) == expected) }

    @Test func targetsAreWrittenAsUsersWriteThem() {
        let v6 = IPAddress("2001:db8::1")!
        #expect(ProbeRequest(to: .address(v6), port: 8443).target == "[2001:db8::1]:8443")
        #expect(ProbeRequest(to: .resolve(host: "example.com")).target == "example.com:443")
        #expect(ProbeRequest(to: .resolve(host: "::1")).target == "[::1]:443")
    }
}
