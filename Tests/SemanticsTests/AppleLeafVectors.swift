import LoopbackLab
import Pinning
import Testing
import X509

/// What Apple's platforms ask of a leaf by whose anchor its path ends at: the cases of Apple's own tests (`VerifyDateTests.m`,
/// `SSLPolicyTests.m`), with issued certificates.
@Suite("Apple judges leaves by the class of their anchor") struct AppleLeafVectors {
    private static let host = "apple.example.com"

    private static func lasting(_ template: CertificateTemplate) -> CertificateTemplate {
        template.valid(from: 1_388_534_400, to: 4_102_444_800)
    }

    private static let root = try! LabCertificate.selfSigned(lasting(.authority("Leaf Root")))
    private static let inter = try! root.issue(lasting(.authority("Leaf CA")))
    private static let mailInter = try! root.issue(
        lasting(.authority("Mail CA")).with { $0.extendedKeyUsage = [OID(1, 3, 6, 1, 5, 5, 7, 3, 4)] })

    // Midnight UTC but for the first, the hour before 1 July.
    private static let june2019: Int64 = 1_561_935_600
    private static let march2018: Int64 = 1_519_862_400
    private static let september2020: Int64 = 1_598_918_400

    enum Anchor: CaseIterable {
        /// The app pins it, and nobody else has it.
        case app
        /// It was installed by hand, and the app pins nothing.
        case user
        /// It is on the system's list.
        case system
        /// The app pins what is on the system's list.
        case appSystem
        /// The app pins what was installed by hand.
        case appUser
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        var from = AppleLeafVectors.september2020
        var days: Int64 = 200
        var seconds: Int64 = 0
        var usage: [OID]? = [.serverAuth]
        var isMail = false
        /// The reasons of a rejection: app, user, system; empty for none.
        let reasons: [String]

        var testDescription: String { name }
    }

    private static let tooLong = Array(repeating: "lifetime-too-long", count: 3)
    private static let wrong = Array(repeating: "wrong-purpose", count: 3)

    static let rows: [Row] = [
        Row(name: "before March 2018", from: march2018 - 1, days: 3_000, reasons: ["", "", ""]),
        Row(name: "826 days, March 2018", from: march2018, days: 826, reasons: ["", "", "lifetime-too-long"]),
        Row(name: "825 days, March 2018", from: march2018, days: 825, seconds: 3_600, reasons: ["", "", ""]),
        Row(name: "826 days before July 2019", from: june2019 - 1, days: 826, reasons: ["", "", "lifetime-too-long"]),
        Row(name: "825 days from July 2019", from: june2019, days: 825, reasons: ["", "", ""]),
        Row(name: "825 days and an hour", from: june2019, days: 825, seconds: 3_600, reasons: ["", "", ""]),
        Row(name: "825 days, an hour and a second", from: june2019, days: 825, seconds: 3_601, reasons: tooLong),
        Row(name: "825 days before September 2020", from: september2020 - 1, days: 825, reasons: ["", "", ""]),
        Row(name: "398 days", days: 398, reasons: ["", "", ""]),
        Row(name: "398 days and a second", days: 398, seconds: 1, reasons: ["", "", "lifetime-too-long"]),
        Row(name: "825 days", days: 825, reasons: ["", "", "lifetime-too-long"]),
        Row(name: "ten years", days: 3_650, reasons: tooLong),
        Row(name: "no purpose, July 2019", from: june2019, usage: nil, reasons: ["", "", "no-server-auth"]),
        Row(
            name: "no purpose, a second later", from: june2019 + 1, usage: nil,
            reasons: ["no-server-auth", "", "no-server-auth"]),
        Row(name: "any purpose", usage: [.anyExtendedKeyUsage], reasons: ["no-server-auth", "", "no-server-auth"]),
        Row(name: "any purpose and serverAuth", usage: [.anyExtendedKeyUsage, .serverAuth], reasons: ["", "", ""]),
        Row(name: "another purpose", usage: [.clientAuth], reasons: wrong),
        Row(
            name: "Server Gated Crypto", usage: [.netscapeServerGatedCrypto],
            reasons: ["wrong-purpose", "", "wrong-purpose"]),
        Row(name: "an authority for mail", isMail: true, reasons: wrong),
    ]

    private func verdict(_ leaf: LabCertificate, _ inter: LabCertificate, pins: [LabCertificate], _ anchor: Anchor)
        throws -> Verdict
    {
        let isPinned = ![.user, .system].contains(anchor)
        return try Scene(
            mode: isPinned ? .certificate : .none, allowInvalid: isPinned, pins: isPinned ? pins : [],
            presented: [leaf, inter], system: anchor == .app ? [] : [Self.root],
            publicRoots: [.system, .appSystem].contains(anchor) ? [Self.root] : [], host: Self.host,
            time: try x509(leaf).notBefore.advanced(bySeconds: 60)
        ).afNetworking4()
    }

    private func leaf(_ row: Row) throws -> LabCertificate {
        try (row.isMail ? Self.mailInter : Self.inter).issue(
            CertificateTemplate.leaf(Self.host).valid(from: row.from, to: row.from + row.days * 86_400 + row.seconds)
                .with { $0.extendedKeyUsage = row.usage })
    }

    @Test(arguments: rows, Anchor.allCases) func theTableJudgesTheLeaf(_ row: Row, _ anchor: Anchor) throws {
        let verdict = try verdict(try leaf(row), row.isMail ? Self.mailInter : Self.inter, pins: [Self.root], anchor)
        // The class is by the bytes of the path's end: pinning a root of the system's or the user's makes it no other.
        let reason = row.reasons[anchor == .app ? 0 : [.user, .appUser].contains(anchor) ? 1 : 2]
        #expect((verdict.isAccepted ? "" : verdict.reason.id) == reason, "\(verdict.trace)")
        guard ["lifetime-too-long", "no-server-auth"].contains(reason) else { return }
        let step = try #require(verdict.trace.first { $0.status == .fail })
        #expect(step.id == (reason == "no-server-auth" ? "purpose" : "lifetime"))
    }

    @Test func aPinnedIntermediateOrLeafIsAnOwnAnchorBelowAPublicRootToo() throws {
        let leaf = try leaf(Row(name: "", days: 825, reasons: []))
        for pin in [Self.inter, leaf] { #expect(try verdict(leaf, Self.inter, pins: [pin], .appSystem).isAccepted) }
        #expect(try verdict(leaf, Self.inter, pins: [Self.root], .appSystem).reason.id == "lifetime-too-long")
        let unsaid = try self.leaf(Row(name: "", usage: nil, reasons: []))
        #expect(try verdict(unsaid, Self.inter, pins: [Self.inter], .appSystem).reason.id == "no-server-auth")
    }

    @Test func aPinnedLeafHasALimitAndAFloorAndAnInstalledOneNeither() throws {
        let template = CertificateTemplate.leaf(Self.host).valid(
            from: Self.september2020, to: Self.september2020 + 5_000 * 86_400)
        for key in [LabKey.Algorithm.p256, .rsa(bits: 1_024)] {
            let leaf = try LabCertificate.selfSigned(template, key: .generate(key))
            let scene = Scene(
                presented: [leaf], system: [leaf], host: Self.host,
                time: Timestamp(secondsSinceEpoch: Self.september2020 + 60))
            #expect(try scene.afNetworking4().reason == .trustedWithoutPins)
            let pinned = scene.with {
                ($0.mode, $0.allowInvalid, $0.pins, $0.system) = (.certificate, true, [leaf], [])
            }
            #expect(try pinned.afNetworking4().reason.id == "lifetime-too-long")
        }
    }

    @Test func anOlderVersionAsksNothingOfLeavesUnderTheAppsOwnAnchors() throws {
        let leaf = try leaf(Row(name: "", days: 3_000, usage: nil, reasons: []))
        var scene = Scene(
            mode: .certificate, allowInvalid: true, pins: [Self.root], presented: [leaf, Self.inter], host: Self.host,
            time: Timestamp(secondsSinceEpoch: Self.september2020 + 60))
        #expect(try !scene.afNetworking4().isAccepted)
        scene.release = .apple(DeviceVersion(12, 1, 1))
        #expect(try scene.afNetworking4().isAccepted)
    }

    @Test func theBasicPolicyAsksForNoPurposeNoLifetimeAndLittleStrength() throws {
        let leaf = try Self.inter.issue(
            CertificateTemplate.leaf(Self.host).valid(from: Self.september2020, to: Self.september2020 + 5_000 * 86_400)
                .with {
                    $0.extendedKeyUsage = [.clientAuth]
                    $0.digest = .sha1
                }, key: .generate(.rsa(bits: 1_024)))
        var scene = Scene(
            mode: .none, validatesName: false, presented: [leaf, Self.inter], system: [Self.root],
            time: Timestamp(secondsSinceEpoch: Self.september2020 + 60))
        #expect(try scene.afNetworking4().reason == .trustedWithoutPins)
        scene.presented[0] = try Self.inter.issue(
            CertificateTemplate.leaf(Self.host).valid(from: Self.september2020, to: Self.september2020 + 86_400),
            key: .generate(.rsa(bits: 512)))
        #expect(try scene.afNetworking4().reason.id == "weak-key")
    }
}
