import LoopbackLab
import Pinning
import Testing
import X509

@testable import PinCheckCLI
@testable import PinChecking

/// What is not judged is said where it can matter for the chain.
@Suite(.endsSomeTime) struct UnjudgedMatterTests {
    private let host = StandardPKI.serverName

    /// A leaf that says where its revocation is told: in lists, by a service, or nowhere but who issued it.
    private func leaf(_ place: String) throws -> LabCertificate {
        // By hand, in DER: all lengths are short.
        func tagged(_ tag: UInt8, _ value: [UInt8]) -> [UInt8] { [tag, UInt8(value.count)] + value }
        let url = tagged(0x86, Array("http://r.example/x".utf8))
        func access(_ last: UInt8) -> CertificateTemplate.Extension {
            let method = tagged(0x06, [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, last])
            return .init(OID(1, 3, 6, 1, 5, 5, 7, 1, 1), value: tagged(0x30, tagged(0x30, method + url)))
        }
        let list = tagged(0x30, tagged(0x30, tagged(0xA0, tagged(0xA0, url))))
        let added: [CertificateTemplate.Extension] =
            switch place {
            case "list": [.init(OID(2, 5, 29, 31), value: list)]
            case "service": [access(1)]
            case "issuer": [access(2)]
            default: []
            }
        return try pki.interA.issue(CertificateTemplate.leaf(host).with { $0.additionalExtensions = added })
    }

    @Test(arguments: [
        // Revocation matters where the certificate says where to ask; curl asks nobody, and nothing is accepted that a client rejects.
        ("list", "afnetworking", true), ("list", "okhttp", true), ("service", "afnetworking", true),
        ("issuer", "okhttp", false), ("none", "afnetworking", false), ("list", "curl", false),
        ("list", "afnetworking --pins $JUNK", false),
    ]) func whatIsNotJudgedIsSaidWhereItMatters(place: String, client: String, matters: Bool) async throws {
        let desk = try Desk(["chain.pem": leaf(place).pem + pki.interA.pem])
        let outcome = await desk("verify @chain.pem --host $HOST --client \(client) --anchors @root.pem")
        #expect(
            outcome.output.contains("not judged here: revocation, which the certificate says where to ask for")
                == matters, "\(outcome)")
    }
}
