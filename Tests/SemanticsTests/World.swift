import Base
import LoopbackLab
import Pinning
import Testing
import X509

/// The certificates the vectors of the semantics are about, rebuilt with keys of our own where the originals are files of other projects.
enum World {
    static let now = Timestamp(secondsSinceEpoch: LabClock.now)
    /// The moment of those about AFNetworking's fixtures: 2020-06-01.
    static let in2020 = Timestamp(secondsSinceEpoch: 1_590_969_600)
    /// A moment at which those fixtures have expired: 2026-01-01.
    static let in2026 = Timestamp(secondsSinceEpoch: 1_767_225_600)

    private static func valid(_ template: CertificateTemplate) -> CertificateTemplate {
        template.valid(from: 1_388_534_400, to: 1_704_067_200)
    }

    /// HB: a chain of four as httpbin.org presented it in 2020: leaf, authority, cross-signed root, the root that signed it.
    static let httpBin: [LabCertificate] = {
        let starfield = try! LabCertificate.selfSigned(valid(.authority("Starfield G2")))
        let amazon = try! starfield.issue(valid(.authority("Amazon Root CA 1")))
        let server = try! amazon.issue(valid(.authority("Server CA 1B")))
        return [try! server.issue(valid(.leaf("httpbin.org"))), server, amazon, starfield]
    }()
    /// GG: leaf, authority, the root GeoTrust as a cross-certificate, the root that signed it, and GeoTrust as a root of its own.
    static let google: [LabCertificate] = {
        let equifax = try! LabCertificate.selfSigned(valid(.authority("Equifax")))
        let geoTrust = try! LabCertificate.selfSigned(valid(.authority("GeoTrust Global CA")))
        let authority = try! geoTrust.issue(valid(.authority("Internet Authority G2")))
        let leaf = try! authority.issue(valid(.leaf("google.com")))
        return [leaf, authority, try! equifax.reissue(geoTrust), equifax, geoTrust]
    }()
    /// ADN: another site's chain of three under a root of its own.
    static let adn: [LabCertificate] = {
        let digiCert = try! LabCertificate.selfSigned(valid(.authority("EV Root")))
        let highAssurance = try! digiCert.issue(valid(.authority("High Assurance CA-3")))
        return [try! highAssurance.issue(valid(.leaf("app.net"))), highAssurance, digiCert]
    }()

    private static func selfSigned(_ name: DistinguishedName, _ names: [GeneralName]) -> LabCertificate {
        try! .selfSigned(valid(.leaf(subject: name, names: names)).with { $0.extendedKeyUsage = nil })
    }

    /// SS-cn: self-signed, the name in the common name only; 2014 to 2024.
    static let selfSignedCommonName = selfSigned("foobar.com", [])
    /// SS-san: self-signed for foobar.com.
    static let selfSignedAlternativeName = selfSigned("AltName", [.dns("foobar.com")])
    /// SS-none: self-signed without any name of a server.
    static let selfSignedWithoutName = selfSigned("NoDomains", [])
}

func x509(_ certificate: LabCertificate) throws -> Certificate {
    try CertificateReader.certificate(der: certificate.der)
}

func values(_ certificates: [LabCertificate]) throws -> [Certificate] { try certificates.map { try x509($0) } }

extension Verdict {
    /// The name of the client's own error, `nil` for another reason.
    var clientError: String? { if case .clientError(let name, _) = reason { name } else { nil } }
}

extension AFNetworking { static let bare = AFNetworking(policy: AFSecurityPolicy(mode: .none)) }

func hash(_ certificate: LabCertificate) throws -> SHA256Digest { try x509(certificate).spkiSHA256 }

struct Scene: Sendable, Changeable {
    var mode = AFSecurityPolicy.PinningMode.none
    var allowInvalid = false
    var validatesName = true
    var pins: [LabCertificate] = []
    /// Whether the pins are the hashes of the certificates' keys, as most clients have them.
    var pinsAreHashes = false
    var presented: [LabCertificate]
    var system: [LabCertificate] = []
    /// Roots that are on the platform's own list.
    var publicRoots: [LabCertificate] = []
    var host: String?
    var time = World.now
    var release = PlatformRelease.newest
    var fetchable: [LabCertificate] = []
    var evidence: LeafEvidence?
    /// What the handshake settled, `nil` for a chain that came without one.
    var connection: ConnectionFacts?

    var verifier: OpenSSLPathVerifier {
        get throws {
            let listed = try values(publicRoots)
            return OpenSSLPathVerifier(
                trustStore: TrustStore(anchors: [AnchorBundle(try values(system))]),
                isPublicRoot: { listed.contains($0) })
        }
    }

    var observation: ServerView {
        get throws {
            ServerView(
                presented: PresentedChain(try values(presented))!,
                referenceName: host.map { ReferenceName($0) } ?? .unchecked, time: time,
                fetchable: try values(fetchable), release: release, evidence: evidence, connection: connection)
        }
    }

    var pinSet: PinSet? {
        get throws {
            PinSet(
                try pins.map { pin in
                    let certificate = try x509(pin)
                    return Pin(
                        pinsAreHashes ? .publicKey(certificate.spkiSHA256) : .certificate(certificate),
                        at: .named("test"))
                })
        }
    }

    var policy: AFSecurityPolicy {
        AFSecurityPolicy(mode: mode, allowInvalidCertificates: allowInvalid, validatesDomainName: validatesName)
    }

    func verdict(of client: some ClientProcedure) throws -> Verdict {
        client.decide(try observation, pins: try pinSet, verifier: try verifier)
    }

    func failures(of client: some ClientProcedure, at place: SourceLocation = #_sourceLocation) throws -> [TrustFailure]
    {
        let reason = try verdict(of: client).reason
        if case .untrusted(let failures) = reason { return failures }
        Issue.record("\(reason)", sourceLocation: place)
        return []
    }

    func afNetworking4(_ rejection: ChallengeDisposition = .cancelAuthenticationChallenge) throws -> Verdict {
        try verdict(of: AFNetworking(policy: policy, rejection: rejection))
    }
}

/// One row of the decision table (Pinning's article of that name) about a client with settings of its own.
struct ClientVector: Sendable, CustomTestStringConvertible {
    let number: String
    let client: any ClientProcedure
    let scene: Scene
    let reason: String

    init(_ number: String, _ client: any ClientProcedure, _ scene: Scene, _ reason: String) {
        self.number = number
        self.client = client
        self.scene = scene
        self.reason = reason
    }

    var testDescription: String { "vector \(number)" }

    @discardableResult func check(at place: SourceLocation = #_sourceLocation) throws -> Verdict {
        let verdict = try scene.verdict(of: client)
        #expect(verdict.reason.id == reason, "vector \(number): \(verdict.trace)", sourceLocation: place)
        #expect(verdict.trace.map(\.number) == verdict.trace.indices.map { $0 + 1 }, sourceLocation: place)
        let hasFailedStep = verdict.trace.contains { $0.status == .fail }
        let isReportOnly = verdict.reason == .mismatchNotEnforced
        #expect(isReportOnly || hasFailedStep != verdict.isAccepted, "\(verdict.trace)", sourceLocation: place)
        return verdict
    }
}

extension Scene {
    static func ordinary(
        pins: [LabCertificate] = [], presented: [LabCertificate]? = nil, system: [LabCertificate]? = nil,
        host: String? = serverName, hashes: Bool = true
    ) -> Scene {
        Scene(
            pins: pins, pinsAreHashes: hashes, presented: presented ?? [pki.leaf, pki.interA],
            system: system ?? [pki.rootA], host: host)
    }
}
