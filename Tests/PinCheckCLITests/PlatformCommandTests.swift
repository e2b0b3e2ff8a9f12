import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI
@testable import PinChecking

/// What the platform of a client decides, as command lines show it. The rules are proven by `PlatformVectors`.
@Suite struct PlatformCommandTests {
    private static func leaf(_ change: (inout CertificateTemplate) -> Void) throws -> LabCertificate {
        try pki.interA.issue(CertificateTemplate.leaf(StandardPKI.serverName).with(change))
    }

    /// A leaf that says where its issuer is.
    private static func placed() throws -> LabCertificate {
        try leaf { $0 = $0.withIssuerPlaces(["http://ca.example/inter.cer"]) }
    }

    private static func lasting() throws -> LabCertificate {
        try leaf { $0 = $0.valid(from: LabClock.now - LabClock.day, to: LabClock.now + 899 * LabClock.day) }
    }

    @Test func everyEntryNamesThePlatformOfItsProcedure() throws {
        let pins = PinSet(
            [UInt8(7), 8].map { byte in
                Pin(.publicKey(SHA256Digest(bytes: [UInt8](repeating: byte, count: 32))!), origin: "test")
            })
        for entry in Client.all {
            let client = try ConfiguredClient(
                ClientInput(client: entry, afSecurityPolicy: AFSecurityPolicy(mode: .none), pins: pins))
            #expect(try client.procedure.get().platform?.family == entry.platform, "\(entry.name)")
        }
    }

    @Test func aLeafThatLivesTooLongIsRefusedByAppleAndTheWayOutIsNamed() async throws {
        let desk = try Desk(["chain.pem": Self.lasting().pem + pki.interA.pem])
        await desk("VERIFY --client afnetworking -f json").expect(
            "fail lifetime-too-long", "is valid for 900 days, more than 825 (a rule of Apple's platforms)")
        await desk("VERIFY --client afnetworking").says(told: "--client okhttp or curl")
        await desk("VERIFY --client okhttp,curl,generic").expect(.pass)
        #expect(await desk.decides("VERIFY --client afnetworking,okhttp") == "fail lifetime-too-long")
        // Once for all clients of a platform.
        let every = await desk("VERIFY --client all -f json").output
        #expect(every.ranges(of: "the reason is a rule of Apple's platforms").count == 1)
    }

    @Test func aRootOnApplesListIsASystemRootWhereverItIsFrom() async throws {
        // No leaf can be issued below a real root, so the root stands for one: without a purpose, as all of them are.
        let data = DeviceData.builtIn
        let device = try #require(data.devices.last { $0.platform == .apple })
        let listed = try #require(data.roots(of: device).first)
        let unlisted = try LabCertificate.selfSigned(
            CertificateTemplate.authority("Look-alike").with { $0.keyUsage = nil }
        ).der
        for (root, decision) in [(listed, "fail no-server-auth"), (unlisted, "pass trusted-without-pins")] {
            let desk = try Desk()
            try desk.files.write(root, to: "it.cer")
            #expect(await desk.decides("verify @it.cer --anchors @it.cer --client afnetworking") == decision)
        }
    }

    @Test func thatServerGatedCryptoDoesNotCountIsSaidInWords() async throws {
        let leaf = try Self.leaf { $0.extendedKeyUsage = [OID.netscapeServerGatedCrypto] }
        let words =
            "may not be used for TLS servers: its extended key usage names Server Gated Crypto, a relic of export rules, "
            + "and not serverAuth\n"
        // OpenSSL itself has no such rule.
        try await desk("VERIFY --client curl", ["chain.pem": leaf.pem + pki.interA.pem]).expect(
            .fail, ending: words, not: "a rule of OpenSSL")
    }

    private static let start = "  hint: --intermediate gives the issuer, but it was not used "
    private static let end = "the chain must hold its intermediate"

    /// What `verify` gets beside the leaf, which says where its issuer is (`PLACED`) or not, and what it says.
    @Test(arguments: [
        ("", "afnetworking --intermediate @inter.cer", "\(start)(no AIA: no device would fetch it): \(end)\n"),
        ("", "okhttp --intermediate @inter.cer", "\(start)(no AIA: no device would fetch it): \(end)\n"),
        ("PLACED", "okhttp --intermediate @inter.cer", "\(start)(Android would not fetch it): \(end)\n"),
        ("PLACED", "curl --intermediate @inter.cer", "\(start)(OpenSSL would not fetch it): \(end)\n"),
        ("PLACED", "okhttp,curl --intermediate @inter.cer", "\(start)(Android would not fetch it): \(end)\n"),
        (
            "PLACED", "afnetworking --intermediate @other.pem",
            "  hint: what --intermediate gives is not its issuer: \(end)\n"
        ),
        // It is not advised where it would be of no use either.
        ("", "afnetworking", "  hint: \(end)\n"), ("PLACED", "okhttp", "  hint: \(end)\n"),
        ("PLACED", "afnetworking,okhttp", "  hint: \(end) (--intermediate FILE judges the chain with it)\n"),
    ]) func anIntermediateThatIsNotUsedIsSaidToBe(leaf: String, arguments: String, words: String) async throws {
        let presented = leaf.isEmpty ? pki.leaf : try Self.placed()
        try await desk("VERIFY --client " + arguments, ["chain.pem": presented.pem]).expect(.fail, words)
    }

    @Test func aMissingIntermediateIsTakenFromAFileWhereItWouldBeFetched() async throws {
        let line = "VERIFY --intermediate @inter.cer -f json --client "
        let texts = ["chain.pem": try Self.placed().pem]
        try await desk(line + "afnetworking", texts).expect("pass trusted-without-pins", "intermediate-not-presented")
        try await desk(line + "okhttp", texts).expect("fail unknown-issuer")
        try await desk("VERIFY --client afnetworking", texts).expect(
            .fail, errors: "would be fetched from http://ca.example/inter.cer; give it with --intermediate FILE")
        // A certificate that says nothing of where its issuer is leaves nothing to fetch.
        let mute = ["chain.pem": pki.leaf.pem]
        try await desk(line + "afnetworking", mute).expect("fail unknown-issuer")
        try await desk("VERIFY --intermediate @absent.cer").expect(.noInput)
        try await desk("VERIFY --intermediate @text.cer", ["text.cer": "no certificate"]).expect(
            .data, errors: "intermediate certificates")
    }

    @Test func theNextCertificateIsHeldToTheLimitsAndARequestHasNone() async throws {
        let leaf = try Self.lasting()
        let texts = [
            "alone.pem": leaf.pem,
            "next.csr": pem(try leaf.key.certificationRequest(for: "next"), label: "CERTIFICATE REQUEST"),
        ]
        let line = "--host $HOST --anchors @root.pem --pins \(leaf.pin) -f json --client "
        try await desk(line + "afnetworking --next @alone.pem", texts).expect(.fail, "lifetime-too-long")
        try await desk(line + "okhttp --next @alone.pem", texts).expect(.pass)
        try await desk(line + "afnetworking --next @next.csr", texts).expect(.pass)
    }
}
