import LoopbackLab
import Testing

@testable import TLSProbe

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
            (.plainHTTP, .notTLS(.http)), (.smtp, .notTLS(.smtpOrFTP)), (.ssh, .notTLS(.ssh)),
            (.script(Array("no".utf8)), .notTLS(.unknown)),
            (.alert(70), .protocolVersion(minimum: .tls12, maximum: .tls13)),
        ] + (1...8).map { (.garbage(seed: $0), .notTLS(.unknown)) } as [(ServerBehavior, ProbeError.Reason)])
    func whatIsNoHandshakeIsRecognised(behavior: ServerBehavior, reason: ProbeError.Reason) async throws {
        #expect(try await failure(of: behavior).reason == reason)
    }

    @Test(arguments: [1, 5, 80, 200, 600]) func aServerThatClosesInTheMiddleIsNamed(bytes: Int) async throws {
        let error = try await failure(of: .presenting([world.leaf], delivery: .closes(afterBytes: bytes)))
        #expect(error.reason == .closedEarly(received: bytes))
        #expect(error.id == "closed-early")
        #expect(error.peer != nil)
    }

    @Test(arguments: [1, 5, 80, 200, 600]) func aServerThatResetsInTheMiddleIsNamed(bytes: Int) async throws {
        let error = try await failure(of: .presenting([world.leaf], delivery: .resets(afterBytes: bytes)))
        #expect(error.reason == .reset)
    }

    @Test(arguments: [(40, "handshake_failure"), (80, "internal_error"), (112, "unrecognized_name"), (199, "unknown")])
    func anAlertIsSpelledOut(number: UInt8, name: String) async throws {
        let error = try await failure(of: .alert(number))
        #expect(error.reason == .alert(TLSAlert(number: number)))
        #expect(error.description.contains("alert \(name) (\(number)), sent by the server"))
    }

    @Test func anOversizedRecordIsAFailure() async throws {
        let error = try await failure(of: .oversizedRecord)
        guard case .tlsFailure(let detail) = error.reason else {
            Issue.record("unexpected \(error.reason)")
            return
        }
        #expect(!detail.isEmpty)
    }

    @Test func aServerWithoutACommonCipherIsAnAlert() async throws {
        let settings = serverSettings([world.leaf], upTo: .tls12) {
            // An EC certificate has no use for an RSA cipher.
            $0.cipherList = "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
        }
        #expect(try await failure(of: .tls(settings)).reason == .alert(TLSAlert(number: 40)))
    }

    @Test func aServerThatNeverStopsBeforeTheHandshakeIsLeft() async throws {
        // HelloRequest, which a client waiting for ServerHello passes over.
        let record: [UInt8] = [22, 3, 3, 0, 4, 0, 0, 0, 0]
        let flood = Array(repeatElement(record, count: HandshakeHandler.inputLimit / record.count + 2).joined())
        let error = try await failure(of: .script(flood))
        #expect(error.reason == .tooMuchData(limit: HandshakeHandler.inputLimit))
    }
}
