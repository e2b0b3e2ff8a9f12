import LoopbackLab
import Pinning
import Testing
import X509

@testable import PinChecking
@testable import TLSProbe

/// The keys of a server that is asked for keys of several types.
@Suite struct KeySourceTests {
    private func connection(_ variant: Variant, _ result: Result<Handshake, ProbeError>) throws -> CheckedConnection {
        let request = ProbeRequest(to: .address(try #require(IPAddress("127.0.0.1"))), port: 443)
        let endpoint = CheckEndpoint(
            target: "a.example:443", targetPort: 443, urlHost: .dns("a.example"), host: "a.example",
            referenceName: .unchecked, request: request)
        return CheckedConnection(
            endpoint: endpoint, variant: variant, result: result, time: Timestamp(secondsSinceEpoch: LabClock.now))
    }

    private func handshake(_ leaf: LabCertificate) throws -> Handshake {
        Handshake(
            peer: nil, proxy: nil, tlsVersion: .tls13, cipher: "TLS_AES_128_GCM_SHA256", group: nil,
            keyExchange: .ephemeral, alpn: nil,
            presented: try #require(PresentedChain([try CertificateReader.certificate(der: leaf.der)])),
            clientCertificateRequested: false, clientCertificateSent: false, handshakeCompleted: true, staple: nil,
            timings: ProbeTimings(resolve: nil, connect: .zero, proxy: nil, handshake: .zero))
    }

    private func sources(_ connections: [CheckedConnection]) -> [KeySource] {
        let target = CheckedTarget(connections, by: nil, compared: AddressComparison(of: connections))
        let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: []))
        return KeySource.all(
            of: target, keyTypes: [.rsa, .ecdsa], verifiedBy: (verifier, .anchors, nil),
            at: Timestamp(secondsSinceEpoch: LabClock.now))
    }

    @Test func aTypeThatWasNotAnsweredIsUnreachableAndOneThatIsNotServedIsAbsent() throws {
        let failure = Result<Handshake, ProbeError>.failure(
            ProbeError(.connect, .noTimeLeft(timeout: .seconds(1)), target: "a.example"))
        let ordinary = try connection(.ordinary, .success(handshake(pki.leaf)))
        let both = sources([
            ordinary, try connection(.keyType(.rsa), failure), try connection(.keyType(.ecdsa), failure),
        ])
        #expect(both.map(\.keyType) == [nil, .rsa, .ecdsa])
        #expect(both[0].absentKeyTypes.isEmpty)
        let one = sources([ordinary, try connection(.keyType(.ecdsa), .success(handshake(pki.leaf)))])
        #expect(one.map(\.keyType) == [nil])
        #expect(one[0].absentKeyTypes == [.rsa])
        let none = sources([try connection(.ordinary, failure), try connection(.keyType(.rsa), failure)])
        #expect(none.map(\.keyType) == [nil] && none[0].absentKeyTypes.isEmpty)
    }
}
