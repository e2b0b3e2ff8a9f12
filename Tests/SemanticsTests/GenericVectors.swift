import LoopbackLab
import Pinning
import Testing

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
        // The key is pinned, the certificate is another.
        vector("A9 (another certificate)", pins: [pki.leafRe], hashes: false, "pin-mismatch"),
    ]

    @Test(arguments: vectors) func `a hash is compared with the keys, a certificate with the certificates`(
        _ vector: ClientVector
    ) throws { try vector.check() }

    @Test func `a match on another valid path alone is a rejection that says so`() throws {
        let scene = Scene.ordinary(
            pins: [pki.rootA, pki.rootB], presented: [pki.leaf, pki.interA, pki.interAxB],
            system: [pki.rootA, pki.rootB])
        let preferred = try #require(try scene.verdict(of: Generic()).builtChain.certificates.last)
        for root in [pki.rootA, pki.rootB] {
            var one = scene
            one.pins = [root]
            let verdict = try one.verdict(of: Generic())
            #expect(verdict.reason.id == (try Certificate(root) == preferred ? "pin-matched" : "pin-mismatch"))
            #expect(verdict.warnings.map(\.id).contains("path-dependent"))
        }
    }

    @Test func `an address is pinned as a name is`() throws {
        let leaf = try pki.interA.issue(.leaf("192.0.2.1"))
        let scene = Scene.ordinary(pins: [pki.junk], presented: [leaf, pki.interA], host: "192.0.2.1")
        try ClientVector("A9 (address)", Generic(), scene, "pin-mismatch").check()
    }

    @Test func `what the systems of phones refuse is warned of with pins, and a note without`() throws {
        let days: Int64 = 86_400
        let leaf = try pki.interA.reissue(pki.leaf) { $0.notAfter = $0.notBefore + 900 * days }
        var scene = Scene.ordinary(pins: [leaf], presented: [leaf, pki.interA])
        let pinned = try scene.verdict(of: Generic())
        #expect(pinned.isAccepted)
        let warning = try #require(pinned.warnings.first { $0.id == "platform-rule" })
        #expect(warning.message.hasPrefix("iOS refuses this server: ") && warning.platform == .apple)
        scene.pins = []
        let bare = try scene.verdict(of: Generic())
        #expect(bare.warnings.isEmpty && bare.notes.map(\.id) == ["platform-rule"])
    }
}
