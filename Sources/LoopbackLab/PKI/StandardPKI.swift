/// The certificates that most tests need: two roots, an intermediate in four versions, and server certificates.
///
/// ```
/// rootA ─┬─ interA ─┬─ leaf        api.example.com
/// (rootAexp)        ├─ leafRe      renewed, same key
///        │          ├─ leafExp     same key, expired
///        │          └─ leaf2       renewed, new key
///        ├─ interA2                interA again: same key and name
///        └─ interAexp              the same, expired
/// rootB ─┬─ interAxB               interA's key and name
///        └─ rogueI ─── rogue       api.example.com with a stranger's key
/// junk                             self-signed, unrelated
/// ```
///
/// A certificate in `exp` has the key and name of its namesake; rootB in a system's store is an interceptor's root.
///
/// CAs are valid for ten years from a year ago; server certificates for 390 days from 90 days ago, which every platform
/// accepts. Expired certificates were valid for a year from six years ago.
package struct StandardPKI {
    static let serverName = "api.example.com"

    package let rootA, rootB, rootAexp: LabCertificate
    package let interA, interA2, interAexp, interAxB: LabCertificate
    package let leaf, leafRe, leafExp, leaf2: LabCertificate
    package let rogueI, rogue: LabCertificate
    package let junk: LabCertificate

    package init() throws(LabError) { try self.init(at: LabClock.now, isFixed: false) }

    /// Issues the certificates as of `time`, with the same bytes in every process.
    package init(fixedAt time: Int64) throws(LabError) { try self.init(at: time, isFixed: true) }

    private init(at now: Int64, isFixed: Bool) throws(LabError) {
        var issued: UInt8 = 0
        func numbered(_ template: CertificateTemplate) -> CertificateTemplate {
            issued += 1
            return isFixed ? template.with { $0.serialNumber = [issued] } : template
        }
        func key(_ label: String) throws(LabError) -> LabKey { try isFixed ? .fixed(label) : .generate() }
        func authority(_ name: DistinguishedName) -> CertificateTemplate {
            numbered(.authority(name).valid(from: now - LabClock.year, to: now + 9 * LabClock.year))
        }
        func again(_ template: inout CertificateTemplate) { template = numbered(template) }
        func expire(_ template: inout CertificateTemplate) {
            template = numbered(template.valid(from: now - 6 * LabClock.year, to: now - 5 * LabClock.year))
        }
        let server = CertificateTemplate.leaf(subject: "leaf", names: [.dns(Self.serverName)]).valid(
            from: now - 90 * LabClock.day, to: now + 300 * LabClock.day)

        rootA = try .selfSigned(authority("RootA"), key: key("RootA"))
        rootB = try .selfSigned(authority("RootB"), key: key("RootB"))
        rootAexp = try rootA.reissue(rootA, changing: expire)
        interA = try rootA.issue(authority("InterA"), key: key("InterA"))
        interA2 = try rootA.reissue(interA, changing: again)
        interAexp = try rootA.reissue(interA, changing: expire)
        interAxB = try rootB.reissue(interA, changing: again)
        leaf = try interA.issue(numbered(server), key: key("leaf"))
        leafRe = try interA.reissue(leaf, changing: again)
        leafExp = try interA.reissue(leaf, changing: expire)
        leaf2 = try interA.renew(leaf, key: key("leaf2"), changing: again)
        rogueI = try rootB.issue(authority("RogueI"), key: key("RogueI"))
        rogue = try rogueI.issue(numbered(server), key: key("rogue"))
        junk = try .selfSigned(authority("Junk"), key: key("Junk"))
    }
}

/// The certificates and the server's name of tests that need no others.
package let pki: StandardPKI = {
    do { return try StandardPKI() } catch { preconditionFailure("\(error)") }
}()
package let serverName = StandardPKI.serverName
