import LoopbackLab
import Pinning
import Testing

@Suite("Android's Network Security Config decides as the decision table's vectors 126 to 128 say") struct AndroidVectors
{
    static let yesterday = Timestamp(secondsSinceEpoch: LabClock.now - LabClock.day)
    static let wrong = Scene.ordinary(pins: [pki.junk])

    private static func exempt(_ root: LabCertificate) -> NetworkSecurityConfiguration.Source.Origin {
        .resource(name: "@raw/root", [try! Certificate(root)])
    }

    static let vectors = [
        ClientVector("126", AndroidNetworkSecurityConfig(expiration: yesterday), wrong, "pins-not-applied"),
        // Midnight itself is still pinned.
        ClientVector("126 (now)", AndroidNetworkSecurityConfig(expiration: World.now), wrong, "pin-mismatch"),
        ClientVector(
            "127",
            AndroidNetworkSecurityConfig(
                trust: AndroidTrust(sources: [.init(.system), .init(exempt(pki.rootA), overridesPins: true)])), wrong,
            "pins-not-applied"),
        ClientVector(
            "127 (other anchor)",
            AndroidNetworkSecurityConfig(
                trust: AndroidTrust(sources: [.init(.system), .init(exempt(pki.rootB), overridesPins: true)])), wrong,
            "pin-mismatch"), ClientVector("128 (bad pin)", AndroidNetworkSecurityConfig(), wrong, "pin-mismatch"),
        ClientVector("128 (other host)", AndroidNetworkSecurityConfig(), .ordinary(), "pins-not-applied"),
        ClientVector("A6 (root)", AndroidNetworkSecurityConfig(), .ordinary(pins: [pki.rootA]), "pin-matched"),
        // Neither an expired pin set nor a pin helps a chain that is not trusted.
        ClientVector(
            "A6 (untrusted)", AndroidNetworkSecurityConfig(expiration: yesterday), wrong.with { $0.system = [] },
            "unknown-issuer"),
        ClientVector(
            "A6 (incomplete)", AndroidNetworkSecurityConfig(),
            .ordinary(pins: [pki.interA], presented: [pki.leaf], hashes: false), "unknown-issuer"),
    ]

    @Test(arguments: vectors) func `the verdict and its reason are those of the table`(_ vector: ClientVector) throws {
        try vector.check()
    }

    @Test(arguments: [(0, "pin-set-expired"), (2, "pins-overridden")])
    func `vectors 126 and 127: that nothing is pinned is warned about`(_ index: Int, warning: String) throws {
        #expect(try Self.vectors[index].check().warnings.map(\.id) == [warning])
    }
}
