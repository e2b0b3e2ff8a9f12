import LoopbackLab
import Pinning
import Testing
import X509

@testable import PinCheckCLI
@testable import PinChecking

/// What is not judged is said by default where it can matter for the chain, and in JSON always.
@Suite(.endsSomeTime) struct UnjudgedMatterTests {
    private let host = StandardPKI.serverName

    private let revocation = "not judged here: revocation, which the certificate says where to ask for"

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

    private func outcome(_ chain: [LabCertificate], _ arguments: String..., root: LabCertificate? = nil) async throws
        -> Outcome
    {
        let files = try TemporaryDirectory()
        let path = try files.write(pem(of: chain), to: "chain.pem")
        let anchors = try files.write((root ?? pki.rootA).pem, to: "anchors.pem")
        return await pincheck(["verify", path, "--anchors", anchors, "--host", host] + arguments)
    }

    @Test(arguments: [("list", true), ("service", true), ("issuer", false), ("none", false)])
    func revocationMattersWhereTheCertificateSaysWhereToAsk(place: String, matters: Bool) async throws {
        let chain = [try leaf(place), pki.interA]
        for client in ["afnetworking", "okhttp"] {
            let outcome = try await outcome(chain, "--client", client).expect(.pass)
            #expect(outcome.output.contains(revocation) == matters, "\(client) \(outcome.output)")
        }
        // curl asks nobody, and nothing is accepted that a client rejects.
        #expect(try await !outcome(chain, "--client", "curl").output.contains("not judged here"))
        #expect(
            try await !outcome(chain, "--pins", pki.junk.pin, "--client", "afnetworking").output.contains(revocation))
    }

    @Test func rootsThatArePutOnDevicesMatterWhereOneIsMissing() async throws {
        let chain = [pki.leaf, pki.interA]
        let note = "not judged here: roots that a management profile (MDM) installs (--extra-root)"
        #expect(try await outcome(chain, "--client", "afnetworking", root: pki.rootB).output.contains(note))
        #expect(try await !outcome(chain, "--client", "afnetworking").output.contains("not judged here"))
        #expect(try await !outcome(chain, "--client", "android", root: pki.rootB).output.contains(note))
        #expect(try await !outcome(chain, "--client", "curl", root: pki.rootB).output.contains(note))
        #expect(try await !outcome([pki.leafExp, pki.interA]).output.contains(note))
    }

    @Test func theDocumentSaysAllOfItAlways() async throws {
        let document = try JSONValue(try await outcome([pki.leaf, pki.interA], "--format", "json").output)
        #expect(
            document["notes"].array.map { $0["id"].text } == [
                "no-revocation", "no-aia", "no-ct-logs", "no-managed-roots",
            ])
        let explained = try await outcome([pki.leaf, pki.interA], "--explain").output
        #expect(explained.contains("note: the SCTs of Certificate Transparency are counted"))
        #expect(!explained.contains("not judged here"))
    }

    @Test(arguments: [(true, true), (true, false), (false, true)]) func whichLogsMattersBelowPublicRootsWithTimestamps(
        isPublic: Bool, hasTimestamps: Bool
    ) throws {
        let leaf = try pki.interA.issue(.leaf(host), loggedBy: hasTimestamps ? [LabLog()] : [])
        let certificates = try [leaf, pki.interA].map { try CertificateReader.certificate(der: $0.der) }
        let root = try CertificateReader.certificate(der: pki.rootA.der)
        let entry = try Client.named("okhttp")
        let verifier = OpenSSLPathVerifier(
            trustStore: TrustStore(anchors: [AnchorBundle([root])]), isPublicRoot: { isPublic && $0 == root })
        let client = ConfiguredClient(client: entry, settings: [], procedure: .success(OkHttp()), pins: nil)
        let policy = HostPolicy(
            SettingsPolicy(devices: [
                JudgedDevice(device: nil, trust: .system, verifier: verifier, verifierWithInstalledRoots: verifier)
            ]), clients: [client], pins: nil)
        let result = CheckResult(
            of: PresentedChain(certificates)!, named: "chain.pem", for: .name(try ServerName(host)), by: policy,
            at: Timestamp(secondsSinceEpoch: LabClock.now))
        let matters = result.judged?.unjudged ?? []
        #expect(matters == (isPublic && hasTimestamps ? [.transparencyLogs] : []))
    }
}
