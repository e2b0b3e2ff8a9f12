import Base
import LoopbackLab
import Pinning
import Testing

@testable import PinFormats

@Suite("curl decides as the decision table's vectors 137 to 141 say") struct CurlVectors {
    static let key = try! x509(pki.leaf).publicKey
    static let other = try! x509(pki.junk).spkiSHA256.base64
    static let hash = key.spkiSHA256.base64

    /// Values of `--pinnedpubkey`, and whether curl finds the leaf's key in them.
    static let values: [(String, String, Bool)] = [
        ("137", "sha256//\(other);sha256//\(hash)", true), ("137 (one)", "sha256//\(hash)", true),
        // curl looks for ';sha256//': measured with curl 7.88.
        ("137 (between)", "sha256//\(other);\(hash);sha256//\(hash)", true),
        ("137 (empty)", "sha256//\(other);;sha256//\(hash)", true),
        ("137 (semicolon at the end)", "sha256//\(hash);", false),
        ("137 (other words behind)", "sha256//\(hash);x", false),
        ("137 (space)", "sha256//\(other); sha256//\(hash)", false), ("140 (one slash)", "sha256/\(hash)", false),
        ("140 (unpadded)", "sha256//" + hash.dropLast(), false), ("140 (no prefix)", hash, false),
        ("140 (case)", "SHA256//\(hash)", false),
    ]

    @Test(arguments: values) func vectors137And140TheTextIsComparedNeverDecoded(
        _ number: String, value: String, expected: Bool
    ) { #expect((CurlValue.hashes(in: value) ?? []).contains(Self.hash) == expected, "vector \(number)") }

    @Test(arguments: ["leaf.cer", "sha256/AAAA", "sha256:AAAA", ""]) func vectors139And140AnythingElseIsTheNameOfAFile(
        _ value: String
    ) { #expect(CurlValue.hashes(in: value) == nil) }

    private static let insecure = Curl(isInsecure: true)

    static let vectors = [
        ClientVector("137", Curl(), .ordinary(pins: [pki.junk, pki.leaf]), "pin-matched"),
        ClientVector("138", insecure, .ordinary(pins: [pki.junk], system: []), "pin-mismatch"),
        ClientVector("138 (right)", insecure, .ordinary(pins: [pki.leaf], system: []), "pin-matched"),
        ClientVector("138 (name)", insecure, .ordinary(pins: [pki.leaf], host: "www.example.org"), "pin-matched"),
        ClientVector("A8 (secure)", Curl(), .ordinary(pins: [pki.leaf], system: []), "unknown-issuer"),
        ClientVector("A8 (name)", Curl(), .ordinary(pins: [pki.leaf], host: "www.example.org"), "name-mismatch"),
        ClientVector("141", Curl(), .ordinary(pins: [pki.interA]), "pin-mismatch"),
        ClientVector("A8 (no pin)", Curl(), .ordinary(), "trusted-without-pins"),
        ClientVector("A8 (nothing)", insecure, .ordinary(system: []), "everything-accepted"),
        ClientVector(
            "A8 (incomplete)", Curl(), .ordinary(pins: [pki.leaf, pki.interA], presented: [pki.leaf], hashes: false),
            "unknown-issuer"),
    ]

    @Test(arguments: vectors) func theTableDecides(_ vector: ClientVector) throws { try vector.check() }

    @Test func vectors138And141TheStepNamesCurlsStatusTheWarningTheCause() throws {
        for index in [1, 6] {
            let verdict = try Self.vectors[index].check()
            #expect(verdict.trace.last?.detail.contains("exit status 90") == true)
        }
        #expect(try Self.vectors[6].check().warnings.map(\.id) == ["leaf-only"])
    }
}

@Suite("A pin compared by hand is one of a set, on the preferred path") struct GenericVectors {
    static func vector(_ number: String, pins: [LabCertificate], hashes: Bool = true, _ reason: String) -> ClientVector
    { ClientVector(number, Generic(), .ordinary(pins: pins, hashes: hashes), reason) }

    static let vectors = [
        vector("A9 (leaf)", pins: [pki.leaf, pki.junk], "pin-matched"),
        vector("A9 (root)", pins: [pki.junk, pki.rootA], "pin-matched"),
        vector("A9 (mismatch)", pins: [pki.junk, pki.rogue], "pin-mismatch"),
        vector("A9 (no pins)", pins: [], "trusted-without-pins"),
        vector("A9 (no backup)", pins: [pki.leaf, pki.interA, pki.leafRe], "pin-matched"),
        vector("A9 (certificate)", pins: [pki.leaf], hashes: false, "pin-matched"),
        vector("A9 (CA certificate)", pins: [pki.interA], hashes: false, "pin-matched"),
        vector("A9 (another certificate)", pins: [pki.leafRe], hashes: false, "pin-mismatch"),
    ]

    @Test(arguments: vectors) func aHashIsComparedWithTheKeysACertificateWithTheCertificates(_ vector: ClientVector)
        throws
    { try vector.check() }

    @Test func anAddressIsPinnedAsANameIs() throws {
        let leaf = try pki.interA.issue(.leaf("192.0.2.1"))
        let scene = Scene.ordinary(pins: [pki.junk], presented: [leaf, pki.interA], host: "192.0.2.1")
        try ClientVector("A9 (address)", Generic(), scene, "pin-mismatch").check()
    }
}

@Suite("Android's Network Security Config decides as the decision table's vectors 126 to 128 say") struct AndroidVectors
{
    static let yesterday = Timestamp(secondsSinceEpoch: LabClock.now - LabClock.day)
    static let wrong = Scene.ordinary(pins: [pki.junk])

    static func exempting(_ root: LabCertificate) -> AndroidNetworkSecurityConfig {
        let own = NetworkSecurityConfiguration.Source.Origin.resource(name: "@raw/root", [try! x509(root)])
        return AndroidNetworkSecurityConfig(
            trust: AndroidTrust(sources: [.init(.system), .init(own, overridesPins: true)]))
    }

    private static func vector(_ number: String, _ reason: String, expiration: Timestamp? = nil, _ scene: Scene = wrong)
        -> ClientVector
    { ClientVector(number, AndroidNetworkSecurityConfig(expiration: expiration), scene, reason) }

    static let vectors = [
        vector("126", "pins-not-applied", expiration: yesterday),
        vector("126 (now)", "pin-mismatch", expiration: World.now),
        ClientVector("127", exempting(pki.rootA), wrong, "pins-not-applied"),
        ClientVector("127 (other anchor)", exempting(pki.rootB), wrong, "pin-mismatch"),
        vector("128 (bad pin)", "pin-mismatch"), vector("128 (other host)", "pins-not-applied", .ordinary()),
        vector("A6 (root)", "pin-matched", .ordinary(pins: [pki.rootA])),
        // Neither an expired pin set nor a pin helps a chain that is not trusted.
        vector("A6 (untrusted)", "unknown-issuer", expiration: yesterday, wrong.with { $0.system = [] }),
        vector(
            "A6 (incomplete)", "unknown-issuer", .ordinary(pins: [pki.interA], presented: [pki.leaf], hashes: false)),
    ]

    @Test(arguments: vectors) func theTableDecides(_ vector: ClientVector) throws { try vector.check() }

    @Test(arguments: [(0, "pin-set-expired"), (2, "pins-overridden")])
    func vectors126And127ThatNothingIsPinnedIsWarnedAbout(_ index: Int, warning: String) throws {
        #expect(try Self.vectors[index].check().warnings.map(\.id) == [warning])
    }
}

@Suite struct PinComparisonTests {
    @Test(
        arguments: [(.leaf, [0]), (.authorities, [1, 2]), (.anywhere, [0, 1, 2]), (.everywhere, [0, 1, 2])]
            as [(PinComparison.Place, [Int])]) func aPinMatchesAtItsPlace(place: PinComparison.Place, depths: [Int])
        throws
    {
        let chain = try [pki.leaf, pki.interA, pki.rootA].map(x509)
        let pins = try #require(PinSet(chain.map { Pin(.certificate($0), at: .named("test")) }))
        let matches = PinComparison.Condition(pins, at: place).matches(on: .unverified(chain))
        #expect(matches.map(\.depth) == depths)
    }
}
