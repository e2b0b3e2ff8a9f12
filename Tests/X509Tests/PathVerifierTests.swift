import LoopbackLab
import Pinning
import Testing
import X509

func x509(_ certificate: LabCertificate) throws -> Certificate {
    try CertificateReader.certificate(der: certificate.der)
}

let served = [pki.leaf, pki.interA]

func find(
    _ presented: [LabCertificate], anchors: [LabCertificate] = [pki.rootA], pinned: [LabCertificate] = [],
    name: String = serverName, policy: TrustPolicy? = nil, on platform: Platform? = nil,
    at time: Timestamp = PathVerifierTests.now, in store: TrustStore? = nil
) throws -> PathFindings {
    let store = try store ?? TrustStore(anchors: [AnchorBundle(values(anchors))])
    let question = PathQuestion(
        presented: try #require(PresentedChain(try values(presented))), intermediates: try values(pinned),
        anchors: .trustStore, policy: policy ?? .sslServer(name: ReferenceName(name)), time: time, platform: platform)
    return OpenSSLPathVerifier(trustStore: store).findPaths(question)
}

func values(_ certificates: [LabCertificate]) throws -> [Certificate] { try certificates.map { try x509($0) } }

@Suite("Every valid path is found, whatever the wire order") struct PathVerifierTests {
    static let now = Timestamp(secondsSinceEpoch: LabClock.now)

    typealias Row = (
        presented: [LabCertificate], anchors: [LabCertificate], pinned: [LabCertificate], path: [LabCertificate]
    )

    static let rows: [Row] = [
        ([pki.leaf, pki.interA], [pki.rootA], [], [pki.leaf, pki.interA, pki.rootA]),
        // A cross-signed intermediate is left for the one that leads to the anchor.
        ([pki.leaf, pki.interAxB, pki.interA], [pki.rootA], [], [pki.leaf, pki.interA, pki.rootA]),
        ([pki.leaf, pki.interA, pki.interAxB], [pki.rootA], [], [pki.leaf, pki.interA, pki.rootA]),
        // What has expired is passed over for its re-issue, and for the root with its key.
        ([pki.leaf, pki.interAexp, pki.interA2], [pki.rootA], [], [pki.leaf, pki.interA2, pki.rootA]),
        ([pki.leaf, pki.interA2, pki.interAexp], [pki.rootA], [], [pki.leaf, pki.interA2, pki.rootA]),
        ([pki.leaf, pki.interA], [pki.rootAexp, pki.rootA], [], [pki.leaf, pki.interA, pki.rootA]),
        // An anchor ends the path: nothing is asked of what lies beyond.
        ([pki.leaf, pki.interAexp], [pki.leaf], [], [pki.leaf]),
        ([pki.leaf, pki.interA], [pki.interA], [], [pki.leaf, pki.interA]),
        // Certificates of other paths are ignored.
        (
            [pki.leaf, pki.junk, pki.rogue, pki.interA, pki.leaf, pki.interA, pki.rootB, pki.junk], [pki.rootA], [],
            [pki.leaf, pki.interA, pki.rootA]
        ),
        // A pinned certificate completes a path only when nothing presented does.
        ([pki.leaf], [pki.rootA], [pki.interA], [pki.leaf, pki.interA, pki.rootA]),
        ([pki.leaf, pki.interA2], [pki.rootA], [pki.interA], [pki.leaf, pki.interA2, pki.rootA]),
    ]

    @Test(arguments: rows) func thereIsOnePathTheRows(_ row: Row) throws {
        let findings = try find(row.presented, anchors: row.anchors, pinned: row.pinned)
        #expect(findings.validPaths == [try values(row.path)], "\(findings.failures)")
    }

    @Test func twoTrustedRootsGiveTwoPathsThePreferredOneWhateverTheOrder() throws {
        let one = try find([pki.leaf, pki.interA, pki.interAxB], anchors: [pki.rootA, pki.rootB])
        let other = try find([pki.leaf, pki.interAxB, pki.interA], anchors: [pki.rootB, pki.rootA])
        #expect(one.validPaths == other.validPaths)
        #expect(Set(one.validPaths.compactMap(\.last)) == Set(try values([pki.rootA, pki.rootB])))
    }

    @Test func anAnchorDoesNotStandInForAnAuthorityOfItsNameBelowIt() throws {
        // A root without a key identifier gave its successor the same name.
        let template = CertificateTemplate.authority("Root").with { $0.subjectKeyIdentifier = .absent }
        let root = try LabCertificate.selfSigned(template)
        let successor = try root.issue(.authority("Root"))
        let intermediate = try successor.issue(.authority("CA"))
        let leaf = try intermediate.issue(.leaf(serverName))
        let expected = [try values([leaf, intermediate, successor, root])]
        for presented in [[leaf, intermediate, successor], [leaf, successor, root, intermediate]] {
            let findings = try find(presented, anchors: [root])
            #expect(findings.validPaths == expected, "\(findings.failures)")
        }
        // One that was not signed by that key is none, whatever its name.
        let stranger = try LabCertificate.selfSigned(template)
        #expect(try find([leaf, intermediate, successor], anchors: [stranger]).validPaths.isEmpty)
    }

    /// What is presented, the name that is asked for, the reasons in their order, and the best path there is.
    private static let rejected:
        [(presented: [LabCertificate], name: String, failures: [String], bestEffort: [LabCertificate]?)] = [
            ([pki.leaf, pki.interAexp], serverName, ["expired at 1"], nil),
            ([pki.leaf], serverName, ["unknown-issuer at 0"], [pki.leaf]),
            ([try! .selfSigned(.leaf(serverName))], serverName, ["self-signed"], nil),
            ([pki.rogue, pki.rogueI, pki.rootB], serverName, ["untrusted-root"], [pki.rogue, pki.rogueI, pki.rootB]),
            ([pki.leafExp, pki.interA], "other.example.com", ["expired", "name-mismatch"], nil),
            ([pki.leaf, pki.interA], "other.example.com", ["name-mismatch"], [pki.leaf, pki.interA, pki.rootA]),
            ([weakKey, pki.interA], serverName, ["weak-key"], nil),
            ([weakSignature, pki.interA], serverName, ["weak-signature"], nil),
            ([below, pki.leaf, pki.interA], "evil.example.com", ["not-an-authority…"], nil),
            (tooLong, serverName, ["path-too-long…"], nil),
        ]
    private static let weakKey = try! pki.interA.issue(
        .leaf(serverName), key: .shared(.rsa(bits: 1_024), label: "weak"))
    private static let weakSignature = try! pki.interA.issue(
        CertificateTemplate.leaf(serverName).with { $0.digest = .sha1 })
    private static let below = try! pki.leaf.issue(.leaf("evil.example.com"))
    /// Below an authority that allows none below it.
    private static let tooLong: [LabCertificate] = {
        let limited = try! pki.rootA.issue(.authority("Limited", pathLength: 0))
        let below = try! limited.issue(.authority("Below"))
        return [try! below.issue(.leaf(serverName)), below, limited]
    }()

    @Test(arguments: rejected.indices) func whatIsNoPathSaysWhy(index: Int) throws {
        let (presented, name, failures, bestEffort) = Self.rejected[index]
        let found = try find(presented, name: name)
        #expect(found.validPaths.isEmpty)
        let ids = found.failures.map(\.id)
        try #require(ids.count >= failures.count, "\(ids)")
        for (failure, found) in zip(failures, found.failures) {
            let parts = failure.replacing("…", with: "").split(separator: " at ").map(String.init)
            #expect(found.id == parts[0])
            guard parts.count > 1, let depth = Int(parts[1]) else { continue }
            #expect(try found.depth == depth && found.certificate == values(presented)[depth])
        }
        #expect(failures.last?.hasSuffix("…") == true || ids.count == failures.count, "\(ids)")
        if let bestEffort { #expect(found.bestEfforts.first == (try values(bestEffort))) }
    }

    @Test func theBasicPolicyChecksNeitherNamesNorStrength() throws {
        for presented in [[pki.leaf, pki.interA], [Self.weakKey, pki.interA]] {
            #expect(try !find(presented, policy: .basicX509).validPaths.isEmpty)
        }
    }

    @Test func aTwinOfTheIssuerWithAnotherKeyIsABadSignature() throws {
        let twin = try pki.rootA.renew(pki.interA) { $0.subjectKeyIdentifier = .absent }
        let findings = try find([pki.leaf, twin])
        #expect(findings.validPaths.isEmpty)
        #expect(findings.failures.map(\.id).contains("bad-signature"))
        #expect(findings.bestEfforts == [try values([pki.leaf])])
    }

    @Test func theLastSecondOfValidityIsValidAndTheNextOneIsNot() throws {
        let leaf = try pki.interA.issue(.leaf(serverName).valid(from: LabClock.now - 100, to: LabClock.now + 100))
        let last = Self.now.advanced(bySeconds: leaf.template.notAfter - Self.now.secondsSinceEpoch)
        let early = Timestamp(secondsSinceEpoch: leaf.template.notBefore - 1)
        for (time, ids) in [(last, []), (last.advanced(bySeconds: 1), ["expired"]), (early, ["not-yet-valid"])] {
            #expect(try find([leaf, pki.interA], at: time).failures.map(\.id) == ids)
        }
    }

    @Test func aServerMayNotUseACertificateMadeForSomethingElse() throws {
        for (usage, id) in [
            ([OID.clientAuth], "wrong-purpose"), ([OID.netscapeServerGatedCrypto], "wrong-purpose"), ([], nil),
        ] as [([OID], String?)] {
            let leaf = try pki.interA.issue(
                .leaf(serverName).with { $0.extendedKeyUsage = usage.isEmpty ? nil : usage })
            #expect(try find([leaf, pki.interA]).failures.first?.id == id)
            #expect(try !find([leaf, pki.interA], policy: .basicX509).validPaths.isEmpty)
        }
    }

    private static let malformed: [(change: @Sendable (inout CertificateTemplate) -> Void, clause: String)] = [
        ({ $0.version = 1 }, "it is of version 1 and has extensions"),
        ({ $0.version = 2 }, "it is of version 2 and has extensions"), ({ $0.version = 4 }, "it is of version 4"),
        ({ $0.add(14, [0x04, 0x01, 0x09]) }, "it has 2.5.29.14 twice"),
        ({ $0.add(99, [0x05, 0x00], [0x05, 0x00]) }, "it has 2.5.29.99 twice"),
        ({ $0.garble(14) }, "its subjectKeyIdentifier cannot be read"),
        ({ $0.garble(35) }, "its authorityKeyIdentifier cannot be read"),
        ({ $0.garble(19) }, "its basicConstraints cannot be read"), ({ $0.garble(15) }, "its keyUsage cannot be read"),
        ({ $0.garble(37) }, "its extendedKeyUsage cannot be read"),
        ({ $0.garble(17) }, "its subjectAltName cannot be read"),
        ({ $0.garble(30) }, "its nameConstraints cannot be read"),
        ({ $0.garble(32) }, "its certificatePolicies cannot be read"),
        ({ $0.permittedNames = [.dns("example.com.")] }, "a name constraint of it ends in a dot"),
        ({ $0.excludedNames = [.dns("*.example.org")] }, "a name constraint of it holds a *"),
    ]

    @Test(arguments: malformed.indices) func aMalformedCertificateIsOnNoPathWhereverItStands(_ index: Int) throws {
        let (change, clause) = Self.malformed[index]
        let root = try LabCertificate.selfSigned(.authority("Malformed").with(change))
        let authority = try pki.rootA.issue(.authority("Malformed").with(change))
        let leaf = try pki.interA.issue(CertificateTemplate.leaf(serverName).with(change))
        for (presented, anchor) in [
            ([leaf, pki.interA], pki.rootA), ([try authority.issue(.leaf(serverName)), authority], pki.rootA),
            ([try root.issue(.leaf(serverName))], root), ([leaf], leaf),
        ] {
            let findings = try find(presented, anchors: [anchor])
            #expect(findings.failures.first?.reason == .malformed(clause), "\(findings.failures)")
            #expect(findings.validPaths.isEmpty && !findings.failures.contains { $0.id == "unknown-issuer" })
        }
    }

    @Test func aWildcardCannotCarryANamePastTheConstraintsOfItsAuthority() throws {
        // CVE-2025-61727: the constraint excludes the very name, the leaf holds only the wildcard.
        let authority = try pki.rootA.issue(
            .authority("Constrained").with { $0.excludedNames = [.dns("secret.example.com")] })
        let leaf = try authority.issue(.leaf("*.example.com"))
        let secret = try find([leaf, authority], name: "secret.example.com")
        #expect(secret.failures.map(\.id) == ["name-constraint"])
        #expect(try !find([leaf, authority], name: "public.example.com").validPaths.isEmpty)
    }

    @Test(arguments: [
        ("*.example.com", "_dmarc.example.com", true), ("*.my_svc.example.com", "a.my_svc.example.com", true),
        ("*.EXAMPLE.com", "a-1.example.com", true), ("*.example.com", "xn--bcher-kva.example.com", true),
        ("a_b.example.com", "A_B.example.com", true), ("*.example.com", "a.example.org", false),
        ("f*.example.com", "foo_.example.com", false), ("*a.example.com", "_a.example.com", false),
        ("a.*.example.com", "a._.example.com", false), ("**.example.com", "a_.example.com", false),
        ("*example.com", "_example.com", false), (".example.com", "a_b.example.com", false), ("*.", "a_b.com", false),
        ("a_b.example.com.", "a_b.example.com", false), ("*.example.com\u{0}", "a_b.example.com", false),
    ]) func aWildcardStandsForTheWholeLeftMostLabel(pattern: String, name: String, isValid: Bool) throws {
        let leaf = try pki.interA.issue(.leaf(pattern))
        #expect(try find([leaf, pki.interA], name: name).failures.map(\.id) == (isValid ? [] : ["name-mismatch"]))
    }

    @Test func aWildcardBelowARegistrysSuffixSpoilsNoNameBesideIt() throws {
        let leaf = try pki.interA.issue(.leaf("*.co.uk", "example.co.uk"))
        for (name, isValid) in [("example.co.uk", true), ("other.co.uk", false)] {
            let findings = try find([leaf, pki.interA], name: name)
            #expect(findings.failures.map(\.id) == (isValid ? [] : ["name-mismatch"]))
        }
    }

    @Test func ofManyNamesSixArePutIntoWords() throws {
        let leaf = try pki.interA.issue(.leaf("a.example.com").withManyNames(60))
        let failure = try #require(try find([leaf, pki.interA], name: "b.example.com").failures.first)
        #expect(failure.description.hasSuffix("name-4.many.example.com and 55 more"))
    }
}

@Suite struct PublicSuffixTests {
    @Test(
        arguments: [
            ("www.example.co.uk", "co.uk"), ("example.com", "com"), ("com", "com"), ("someone.github.io", "github.io"),
            ("a-name-long-enough-not-to-be-stored-in-place.and-more.example.com", "com"), ("localhost", nil),
            ("api.internal-zone", nil), ("", nil),
        ] as [(String, String?)]) func theSuffixIsThatOfTheList(name: String, suffix: String?)
    {
        // Long names live on the heap: under the address sanitizer this showed that libpsl answers with a part of its input.
        #expect(SystemPublicSuffixList.publicSuffix(of: name) == suffix)
    }
}
