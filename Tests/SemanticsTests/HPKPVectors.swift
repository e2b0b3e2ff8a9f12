import LoopbackLab
import Pinning
import Testing

@Suite("A browser holds the pins of a header as RFC 7469 says") struct HPKPVectors {
    static let pki = World.shared.standard

    static func vector(_ number: String, pins: [LabCertificate], installed: [LabCertificate] = [], _ reason: String)
        -> ClientVector
    {
        let client = HPKP(installedRoots: Set(installed.map { try! Certificate($0) }))
        return ClientVector(number, client, .ordinary(pins: pins), reason)
    }

    static let vectors = [
        vector("A9 (leaf)", pins: [pki.leaf, pki.junk], "pin-matched"),
        vector("A9 (root)", pins: [pki.junk, pki.rootA], "pin-matched"),
        vector("A9 (mismatch)", pins: [pki.junk, pki.rogue], "pin-mismatch"),
        vector("A9 (no header)", pins: [], "pins-not-applied"),
        vector("A9 (no backup)", pins: [pki.leaf, pki.interA, pki.leafRe], "pins-not-applied"),
        vector("A9 (installed root)", pins: [pki.junk], installed: [pki.rootA], "pins-not-applied"),
        vector("A9 (other installed root)", pins: [pki.junk], installed: [pki.rootB], "pin-mismatch"),
    ]

    @Test(arguments: vectors) func `pins are held against the validated chain when there is a backup`(
        _ vector: ClientVector
    ) throws { try vector.check() }

    @Test func `a header whose pins are all on the chain is not noted, and a warning says so`() throws {
        #expect(try Self.vectors[4].check().warnings.map(\.id) == ["no-backup-pin"])
    }

    @Test func `addresses are never pinned`() throws {
        let leaf = try Self.pki.interA.issue(.leaf("192.0.2.1"))
        let scene = Scene.ordinary(pins: [Self.pki.junk], presented: [leaf, Self.pki.interA], host: "192.0.2.1")
        try ClientVector("A9 (address)", HPKP(), scene, "pins-not-applied").check()
    }
}
