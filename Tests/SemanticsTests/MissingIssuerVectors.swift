import LoopbackLab
import Pinning
import Testing
import X509

@Suite("A missing issuer is fetched only where the certificate says from where") struct MissingIssuerVectors {
    static let place = "http://ca.example/inter.cer"

    private static func leaf(_ place: String) throws -> LabCertificate { try leaf(ofPlaces: [place]) }

    private static func leaf(ofPlaces places: [String], _ change: (inout CertificateTemplate) -> Void = { _ in }) throws
        -> LabCertificate
    {
        let template = pki.leaf.template.withIssuerPlaces(places).with {
            $0.serialNumber = nil
            change(&$0)
        }
        return try pki.interA.issue(template, key: pki.leaf.key)
    }

    private static func scene(
        _ leaf: LabCertificate, pins: [LabCertificate], system: [LabCertificate],
        _ mode: AFSecurityPolicy.PinningMode = .none, allowInvalid: Bool = false
    ) -> Scene {
        Scene(mode: mode, allowInvalid: allowInvalid, pins: pins, presented: [leaf], system: system, host: serverName)
    }

    @Test func aCertificateModeTheLeafAloneItsIssuerPinned() throws {
        var scene = Self.scene(pki.leaf, pins: [pki.interA], system: [pki.rootA], .certificate)
        #expect(try scene.afNetworking4().reason.id == "unknown-issuer")
        scene.presented = [try Self.leaf(Self.place)]
        let verdict = try scene.afNetworking4()
        #expect(verdict.reason.id == "pin-matched")
        #expect(verdict.warnings.map(\.id).contains("intermediate-not-presented"))
    }

    @Test(arguments: [false, true]) func bValidityIgnoredAnAuthorityPinned(_ isRoot: Bool) throws {
        var scene = Self.scene(
            pki.leaf, pins: [isRoot ? pki.rootA : pki.interA], system: [], .publicKey, allowInvalid: true)
        #expect(try scene.afNetworking4().reason == .pinMismatch)
        scene.presented = [try Self.leaf(Self.place)]
        #expect(try scene.afNetworking4().reason.id == (isRoot ? "pin-mismatch" : "pin-matched"))
        scene.validatesName = false
        #expect(try scene.afNetworking4().reason == .pinMismatch)
    }

    @Test func cAFNetworking25CountsTheLeafAlone() throws {
        let scene = Self.scene(
            pki.leaf, pins: [pki.leaf, pki.interA, pki.rootA, pki.rootA], system: [], .publicKey, allowInvalid: true)
        let verdict = try scene.verdict(of: AFNetworking(policy: scene.policy, validatesCertificateChain: true))
        #expect(verdict.reason.id == "pin-matched", "\(verdict.trace)")
        #expect(verdict.builtChain.certificates.count == 1)
    }

    @Test func onlyClientsWhosePlatformFetchesTakeWhatItWouldFetch() throws {
        var scene = Self.scene(try Self.leaf(Self.place), pins: [pki.interA], system: [pki.rootA])
        for (client, isAccepted) in [
            (NSPinnedDomains(), true), (Alamofire(.systemDefault), true), (Alamofire(.publicKeys), true),
            (Alamofire(.pinnedCertificates), true), (try TrustKit(pins: scene.pinSet, enforcesPinning: false), true),
            (AFNetworking(policy: AFSecurityPolicy(mode: .certificate)), true), (AFNetworking.bare, true),
            (AFNetworking(policy: AFSecurityPolicy(mode: .publicKey, validatesDomainName: false)), false),
            (Generic(), false), (OkHttp(), false), (AndroidNetworkSecurityConfig(), false), (Curl(), false),
        ] as [(any ClientProcedure, Bool)] {
            let verdict = try scene.verdict(of: client)
            #expect(verdict.isAccepted == isAccepted, "\(type(of: client))")
            let warnings = verdict.warnings.filter { $0.id == "intermediate-not-presented" }
            #expect(warnings.count == (isAccepted ? 1 : 0), "\(type(of: client))")
        }
        // Without a place nobody does, also a client that compares no pins.
        scene.presented = [pki.leaf]
        for client in [
            NSPinnedDomains(), Alamofire(.systemDefault), Alamofire(.composite([.systemDefault, .publicKeys])),
            Generic(),
        ] as [any ClientProcedure] {
            #expect(try scene.verdict(of: client).reason.id == "unknown-issuer", "\(type(of: client))")
        }
    }

    @Test(arguments: [
        (["https://ca.example/i.cer", "ldap://ca.example"], false),
        (["https://ca.example/i.cer", "http://ca.example/i.cer"], true),
        ((1...9).map { "http://ca.example/\($0)" }, true), ((1...10).map { "http://ca.example/\($0)" }, false),
    ]) func thePlacesOfACertificateDecideWhetherAnythingIsFetched(places: [String], isFetched: Bool) throws {
        let scene = Self.scene(try Self.leaf(ofPlaces: places), pins: [pki.interA], system: [pki.rootA], .certificate)
        #expect(try scene.afNetworking4().isAccepted == isFetched)
    }

    @Test func nothingIsFetchedForAnExpiredCertificate() throws {
        let leaf = try Self.leaf(ofPlaces: [Self.place]) { $0 = $0.expired() }
        let scene = Self.scene(leaf, pins: [pki.interA], system: [pki.rootA], .publicKey, allowInvalid: true)
        #expect(try scene.afNetworking4().reason == .pinMismatch)
    }

    @Test func whatWouldBeFetchedMayBeAtHandAndIsAskedForWhereItIsNot() throws {
        let leaf = try Self.leaf(Self.place)
        let scene = Self.scene(leaf, pins: [leaf], system: [pki.rootA], .publicKey).with { $0.pinsAreHashes = true }
        func verdict(_ fetchable: [LabCertificate]) throws -> Verdict {
            try scene.with { $0.fetchable = fetchable }.afNetworking4()
        }
        let missing = try verdict([])
        #expect(missing.reason.id == "unknown-issuer")
        let note = missing.warnings.first { $0.id == "issuer-would-be-fetched" }
        #expect(note?.message == "apple: the issuer of CN=leaf would be fetched from \(Self.place)")
        let given = try verdict([pki.interA])
        #expect(given.reason.id == "pin-matched")
        #expect(given.warnings.map(\.id) == ["intermediate-not-presented"])
        #expect(try verdict([pki.junk]).reason.id == "unknown-issuer")
    }

    @Test func ofRejectedPathsOneToAnAnchorIsHandedOut() throws {
        var scene = Scene(
            mode: .publicKey, allowInvalid: true, pins: [pki.rootA], presented: [pki.leaf, pki.interA],
            system: [pki.rootA], host: "other.example.com")
        let verdict = try scene.afNetworking4()
        #expect(verdict.reason == .pinMatched(PinMatch(pinIndex: 0, depth: 2)))
        // The root is the device's, not one that was fetched.
        #expect(!verdict.warnings.map(\.id).contains("intermediate-not-presented"))
        #expect(try scene.with { $0.system.append(pki.interA) }.afNetworking4().reason.id == "pin-mismatch")
        scene.presented[0] = pki.leafExp
        scene.host = serverName
        #expect(try scene.afNetworking4().reason == .pinMatched(PinMatch(pinIndex: 0, depth: 2)))
    }

    @Test func anExpiredCABelowAnUnknownRootNeedNotBeOnThePathHandedOut() throws {
        let scene = Scene(
            mode: .publicKey, allowInvalid: true, pins: [pki.interA], presented: [pki.leaf, pki.interAexp],
            host: serverName)
        #expect(try scene.afNetworking4().reason.id == "pin-mismatch")
    }

    @Test func anAnchorGoesBeforeAPresentedCertificateWhoseKeyIDMatches() throws {
        let root = try LabCertificate.selfSigned(
            CertificateTemplate.authority("No Identifier").with { $0.subjectKeyIdentifier = .absent })
        let cross = try pki.rootB.issue(
            CertificateTemplate.authority("No Identifier").with { $0.subjectKeyIdentifier = .derived }, key: root.key)
        let leaf = try root.issue(.leaf(serverName))
        let scene = Scene(
            mode: .publicKey, pins: [pki.rootB], presented: [leaf, cross], system: [root, pki.rootB], host: serverName)
        let verdict = try scene.afNetworking4()
        #expect(verdict.reason == .pinMismatch)
        #expect(verdict.warnings.map(\.id).contains("path-dependent"))
    }

    @Test func allAnchorsAreAskedAtOnceSoThatAnotherPathToOneOfThemIsSeen() throws {
        // leaf ← Root 2 of the system; Root 2 cross-signed by Root 0, which was installed by hand and is pinned.
        let root2 = try LabCertificate.selfSigned(.authority("Root 2"))
        let root0 = try LabCertificate.selfSigned(.authority("Root 0"))
        let leaf = try root2.issue(.leaf(serverName))
        let cross = try root0.reissue(root2)
        let files = try TemporaryDirectory()
        let file = try files.write(root2.pem, to: "roots.pem")
        let system = TrustStore.system(environment: ["SSL_CERT_FILE": file, "SSL_CERT_DIR": "/nonexistent"])
        let store = TrustStore(anchors: [AnchorBundle([try x509(root0)])], and: system)
        let scene = Scene.ordinary(pins: [root0], presented: [leaf, cross])
        let verdict = Alamofire(.publicKeys).decide(
            try scene.observation, pins: try scene.pinSet, verifier: OpenSSLPathVerifier(trustStore: store))
        #expect(verdict.reason == .pinMismatch)
        #expect(verdict.warnings.map(\.id).contains("path-dependent"))
    }

    @Test func anExemptAnchorOnOneOfTwoPathsIsWarnedOf() throws {
        let anchors = [pki.rootA, pki.rootB]
        let scene = Scene.ordinary(
            pins: [pki.junk, pki.leaf2], presented: [pki.leaf, pki.interA, pki.interAxB], system: anchors)
        let pinned = scene.with { $0.pins = [pki.leaf, pki.leaf2] }
        let preferred = try #require(try scene.verdict(of: OkHttp()).builtChain.certificates.last)
        for anchor in anchors {
            let isPreferred = try x509(anchor) == preferred
            let verdict = try scene.verdict(of: AndroidVectors.exempting(anchor))
            #expect(verdict.reason.id == (isPreferred ? "pins-not-applied" : "pin-mismatch"))
            #expect(verdict.warnings.map(\.id).contains("path-dependent"))
            let accepted = try pinned.verdict(of: AndroidVectors.exempting(anchor))
            #expect(accepted.isAccepted && !accepted.warnings.map(\.id).contains("path-dependent"))
        }
    }
}
