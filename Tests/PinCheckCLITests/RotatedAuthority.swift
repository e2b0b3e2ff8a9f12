import LoopbackLab
import PinChecking
import Pinning

/// An authority that does to a server what authorities do: it renews, changes intermediates, drops a cross-certificate and moves
/// to its other root.
///
/// ```
/// old ─── crossed ┐                       (the key of rootX, for devices that only have the old root)
/// rootX ──────────┴─┬─ interX ── leaf
///                   └─ interX2
/// rootY ───────────── interY
/// ```
struct RotatedAuthority {
    static let host = "api.example.com"

    let old: LabCertificate
    let rootX: LabCertificate
    let rootY: LabCertificate
    let crossed: LabCertificate
    let interX: LabCertificate
    let interX2: LabCertificate
    let interY: LabCertificate
    let leaf: LabCertificate
    /// A key that no certificate has yet.
    let reserve: LabKey

    init() throws {
        func authority(_ name: String) -> CertificateTemplate { .authority(DistinguishedName(commonName: name)) }
        old = try .selfSigned(authority("Old Root"))
        rootX = try .selfSigned(authority("Root X"))
        rootY = try .selfSigned(authority("Root Y"))
        crossed = try old.crossSign(rootX)
        interX = try rootX.issue(authority("Inter X"))
        interX2 = try rootX.issue(authority("Inter X2"))
        interY = try rootY.issue(authority("Inter Y"))
        leaf = try interX.issue(.leaf(Self.host))
        reserve = try .generate()
    }

    /// A chain, and the roots of the device that gets it.
    struct Step: Sendable {
        let name: String
        let chain: [LabCertificate]
        let roots: [LabCertificate]
    }

    /// The chain of today, on devices of both generations.
    var today: [Step] {
        [
            Step(name: "today on old devices", chain: [leaf, interX, crossed], roots: [old]),
            Step(name: "today", chain: [leaf, interX, crossed], roots: [rootX, rootY]),
        ]
    }

    /// What the authority does to a server that gets whatever key.
    func rotations() throws -> [Step] {
        let new = [rootX, rootY]
        return [
            Step(name: "same key", chain: [try interX.reissue(leaf), interX, crossed], roots: new),
            Step(name: "same key on old devices", chain: [try interX.reissue(leaf), interX, crossed], roots: [old]),
            Step(name: "new key", chain: [try interX.renew(leaf), interX, crossed], roots: new),
            Step(name: "new key on old devices", chain: [try interX.renew(leaf), interX, crossed], roots: [old]),
            Step(name: "new intermediate", chain: [try interX2.renew(leaf), interX2, crossed], roots: new),
            Step(name: "no cross-certificate", chain: [try interX.renew(leaf), interX], roots: new),
            Step(name: "the other root", chain: [try interY.renew(leaf), interY], roots: new),
        ]
    }

    /// What the authority does, and another one, to a server that has this key first and the one in reserve later.
    func rotationsOfOwnKeys() throws -> [Step] {
        let new = [rootX, rootY]
        func moved(_ issuer: LabCertificate) throws -> LabCertificate { try issuer.renew(leaf, key: reserve) }
        let stranger = try LabCertificate.selfSigned(.authority("Another Root"))
        return [
            Step(name: "same key", chain: [try interX.reissue(leaf), interX], roots: new),
            Step(name: "the key in reserve", chain: [try moved(interX), interX], roots: new),
            Step(name: "new intermediate", chain: [try interX2.reissue(leaf), interX2], roots: new),
            Step(name: "no cross-certificate", chain: [try interX.reissue(leaf), interX], roots: new),
            Step(name: "the other root", chain: [try moved(interY), interY], roots: new),
            Step(name: "another authority", chain: [try moved(stranger)], roots: [stranger]),
        ]
    }

    /// What a table says of the authority.
    var cas: [CA] {
        func root(_ certificate: LabCertificate, _ name: String, _ crossSigners: [String] = []) -> CA.Root {
            CA.Root(
                name, SHA256Digest(bytes: certificate.publicKeySHA256)!.hexadecimal, "EC P-256", .inUse,
                signedBy: crossSigners, "https://authority.example/roots", "2026-01-01")
        }
        return [CA("A Laboratory", [root(rootX, "Root X", ["Old Root"]), root(rootY, "Root Y")])]
    }
}
