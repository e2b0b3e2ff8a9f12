import Pinning
import Testing

@testable import TLSProbe

@Suite struct ProbeErrorTests {
    private static let peer = IPAddress("203.0.113.7").map { PeerAddress(ip: $0, port: 443) }
    private static let reasons: [ProbeError.Reason] = [
        .deadlineExceeded(timeout: .seconds(10)), .cancelled, .nameNotFound, .noAddress(.ipv6),
        .resolverFailed("Temporary failure in name resolution"),
        .notConnected([ConnectFailure(peer: peer, kind: .refused)]),
        .notConnected([ConnectFailure(peer: peer, kind: .refused), ConnectFailure(peer: peer, kind: .unreachable)]),
        .notConnected([ConnectFailure(peer: nil, kind: .localLimit)]),
        .notConnected([ConnectFailure(peer: peer, kind: .other(errno: 13))]), .alert(TLSAlert(number: 40)),
        .closedEarly(received: 0), .closedEarly(received: 7), .reset, .notTLS(.http), .notTLS(.smtpOrFTP),
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
            #expect(!error.id.isEmpty)
        }
    }

    @Test func theTimeoutIsNamedAndTheAddressNextToTheHost() {
        let reset = ProbeError(.handshake, .reset, target: "api.example.com:443", peer: Self.peer)
        #expect(reset.description.hasPrefix("'api.example.com:443' (203.0.113.7:443) reset the connection"))
        let late = ProbeError(.connect, .deadlineExceeded(timeout: .milliseconds(1500)), target: "a:1")
        #expect(late.description.hasSuffix("or raise --timeout (1.5 s)"))
        let proxy = ProbeError(.proxy, .deadlineExceeded(timeout: .seconds(3)), target: "a:1", proxy: "http://p:1")
        #expect(proxy.description.hasSuffix("or raise --timeout (3 s)"), "\(proxy)")
    }

    @Test func failuresOfOneKindShareItsWord() {
        let refused = ConnectFailure(peer: Self.peer, kind: .refused)
        let unreachable = ConnectFailure(peer: Self.peer, kind: .unreachable)
        #expect(ProbeError(.connect, .notConnected([refused, refused]), target: "a:1").id == "refused")
        #expect(ProbeError(.connect, .notConnected([refused, unreachable]), target: "a:1").id == "connect-failed")
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad", PlainProtocol.http), ("<!DOCTYPE html>", .http), ("SSH-2.0-OpenSSH", .ssh),
        ("220 mail ESMTP", .smtpOrFTP), ("+OK ready", .pop3), ("* OK IMAP4rev1", .imap), ("<?xml version='1", .xmpp),
        ("J\u{0}\u{0}\u{0}\n8.0.36", .mysql), ("hello", .unknown),
    ]) func whatIsNotTLSIsRecognisedByItsFirstBytes(opening: String, expected: PlainProtocol) {
        #expect(PlainProtocol(opening: Array(opening.utf8)) == expected)
    }

    @Test(arguments: [[], [22], [22, 3, 3, 0, 90], [21, 3, 1, 0, 2], [23, 3]] as [[UInt8]])
    func whatCanBeATLSRecordIsNotCalledAnythingElse(opening: [UInt8]) {
        #expect(PlainProtocol(opening: opening) == nil)
    }

    @Test func targetsAreWrittenAsUsersWriteThem() throws {
        let v6 = try #require(IPAddress("2001:db8::1"))
        #expect(ProbeRequest(to: .address(v6), port: 8443).target == "[2001:db8::1]:8443")
        #expect(ProbeRequest(to: .resolve(host: "example.com")).target == "example.com:443")
        #expect(ProbeRequest(to: .resolve(host: "::1")).target == "[::1]:443")
    }
}
