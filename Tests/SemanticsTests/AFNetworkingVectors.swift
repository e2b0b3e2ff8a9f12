import LoopbackLab
import Pinning
import Testing
import X509

extension Scene {
    static func httpBin(_ mode: AFSecurityPolicy.PinningMode = .none, pins: [LabCertificate] = [], host: String? = nil)
        -> Scene
    {
        Scene(
            mode: mode, pins: pins, presented: World.httpBin, system: [World.httpBin[3], World.adn[2]], host: host,
            time: World.in2020)
    }

    static func selfSigned(
        _ mode: AFSecurityPolicy.PinningMode, _ presented: LabCertificate, pins: [LabCertificate] = [],
        host: String? = "foobar.com", validatesName: Bool = true, at time: Timestamp = World.in2020
    ) -> Scene {
        Scene(
            mode: mode, allowInvalid: true, validatesName: validatesName, pins: pins, presented: [presented],
            host: host, time: time)
    }
}

@Suite("AFNetworking 4 decides as the decision table's vectors 1 to 50 say") struct AFNetworking4Vectors {
    static let world = World.self
    static let httpBin = world.httpBin
    static let leaf = httpBin[0]

    static func vector(_ number: String, _ scene: Scene, _ reason: String) -> ClientVector {
        ClientVector(number, AFNetworking(policy: scene.policy), scene, reason)
    }

    static let defaultPolicy = [
        vector("1", .httpBin(), "trusted-without-pins"),
        vector("2", .httpBin(host: "httpbin.org"), "trusted-without-pins"),
        vector(
            "3", Scene(presented: [world.selfSignedAlternativeName], system: [httpBin[3]], time: World.in2020),
            "self-signed"), vector("4", .httpBin(host: "apple.com"), "name-mismatch"),
    ]

    /// Rows 5 to 14, and 15 to 24, which repeat them in certificate mode.
    static func pinning(_ mode: AFSecurityPolicy.PinningMode, firstNumber: Int) -> [ClientVector] {
        let adn = world.adn
        let others = Scene.httpBin(mode, pins: [leaf]).with { $0.presented = adn }
        let strangers = Scene.httpBin(mode, pins: [leaf, httpBin[1], pki.rootA]).with { $0.presented = adn }
        let scenes: [(Scene, String)] = [
            (.httpBin(mode, pins: [leaf]), "pin-matched"), (.httpBin(mode, pins: [httpBin[1]]), "pin-matched"),
            (.httpBin(mode, pins: [httpBin[2]]), "pin-matched"), (.httpBin(mode, pins: httpBin), "pin-matched"),
            (.httpBin(mode, pins: [leaf, adn[0], pki.junk]), "pin-matched"),
            (.httpBin(mode, pins: [leaf], host: "httpbin.org"), "pin-matched"), (.httpBin(mode, pins: []), "no-pins"),
            (others, "pin-mismatch"), (.httpBin(mode, pins: [leaf], host: "invalid.org"), "name-mismatch"),
            (strangers, "pin-mismatch"),
        ]
        return scenes.enumerated().map { vector("\(firstNumber + $0.offset)", $0.element.0, $0.element.1) }
    }

    static let exceptions: [ClientVector] = {
        let commonName = world.selfSignedCommonName
        let alternativeName = world.selfSignedAlternativeName
        let nameless = world.selfSignedWithoutName
        let unnamed = Scene.httpBin(host: "invalid.org").with { $0.validatesName = false }
        let guarded = Scene.httpBin(host: "httpbin.org").with { $0.allowInvalid = true }
        return [
            vector("25", unnamed, "trusted-without-pins"),
            vector("26", .selfSigned(.publicKey, commonName, pins: [commonName]), "pin-matched"),
            vector("27", .selfSigned(.publicKey, commonName, pins: [commonName], host: "other.org"), "pin-matched"),
            vector("28", .selfSigned(.publicKey, commonName, pins: [commonName], at: World.in2026), "pin-matched"),
            vector("29", .selfSigned(.certificate, nameless, pins: [nameless]), "name-mismatch"),
            vector(
                "30 (2020)",
                .selfSigned(.certificate, nameless, pins: [nameless], host: "foo.bar", validatesName: false),
                "pin-matched"),
            vector(
                "30 (2026)",
                .selfSigned(
                    .certificate, nameless, pins: [nameless], host: "foo.bar", validatesName: false, at: World.in2026),
                "expired"), vector("31", .selfSigned(.none, alternativeName, host: nil), "everything-accepted"),
            vector("32", .selfSigned(.none, alternativeName, validatesName: false), "everything-accepted"),
            vector("33", .selfSigned(.none, alternativeName, pins: [alternativeName]), "refused-settings"),
            vector("34", guarded, "refused-settings"),
            vector("35", .selfSigned(.publicKey, alternativeName), "refused-settings"),
        ]
    }()

    static func path(
        _ number: String, _ mode: AFSecurityPolicy.PinningMode = .certificate, allowInvalid: Bool = false,
        pins: [LabCertificate], presented: [LabCertificate] = [pki.leaf, pki.interA], system: [LabCertificate] = [],
        host: String = serverName, _ reason: String
    ) -> ClientVector {
        vector(
            number,
            Scene(mode: mode, allowInvalid: allowInvalid, pins: pins, presented: presented, system: system, host: host),
            reason)
    }

    static let paths = [
        path("36", pins: [pki.rootA], "unknown-issuer"),
        path("37", allowInvalid: true, pins: [pki.rootA], "pin-matched"),
        path("38", allowInvalid: true, pins: [pki.rootA], host: "evil.example.com", "name-mismatch"),
        path("39", pins: [pki.interA], presented: [pki.leaf, pki.interA2], system: [pki.rootA], "pin-matched"),
        path("40", pins: [pki.leaf], presented: [pki.leafRe, pki.interA], system: [pki.rootA], "pin-mismatch"),
        path(
            "41", .publicKey, pins: [pki.leaf], presented: [pki.leafRe, pki.interA], system: [pki.rootA], "pin-matched"),
        path("42", allowInvalid: true, pins: [pki.leaf], presented: [pki.leaf, pki.interAexp], "pin-matched"),
        path(
            "43", allowInvalid: true, pins: [pki.rootA], presented: [pki.rogue, pki.rogueI], system: [pki.rootB],
            "pin-mismatch"),
        path(
            "44", pins: [pki.rootA], presented: [pki.rogue, pki.rogueI], system: [pki.rootA, pki.rootB], "pin-mismatch"),
        path(
            "45", .publicKey, pins: [pki.leaf], presented: [pki.rogue, pki.rogueI, pki.leaf],
            system: [pki.rootA, pki.rootB], "pin-mismatch"),
    ]

    static let all =
        defaultPolicy + pinning(.publicKey, firstNumber: 5) + pinning(.certificate, firstNumber: 15) + exceptions
        + paths

    @Test(arguments: all) func theTableDecides(_ vector: ClientVector) throws {
        let verdict = try vector.check()
        #expect(verdict.disposition == (verdict.isAccepted ? .useCredential : .cancelAuthenticationChallenge))
    }

    @Test func vector39TheBuiltChainHoldsThePinnedBytesOfAReissuedIssuer() throws {
        let verdict = try Self.paths[3].scene.afNetworking4()
        #expect(verdict.builtChain.certificates == [try x509(pki.leaf), try x509(pki.interA)])
        #expect(verdict.builtChain.isVerified)
    }

    @Test func vector45APinThatWasOnlyPresentedIsWarnedAbout() throws {
        let verdict = try Self.paths[9].scene.afNetworking4()
        #expect(verdict.warnings.map(\.id) == ["pin-only-presented"])
        #expect(verdict.matches.isEmpty)
    }

    @Test(arguments: [(3, 4), (1, 2), (0, 1)]) func vectors49And50TheBuiltChainEndsAtTheAnchor(anchor: Int, length: Int)
        throws
    {
        let scene = Scene.httpBin().with { $0.system = [Self.httpBin[anchor]] }
        #expect(try scene.afNetworking4().builtChain.certificates.count == length)
    }

    @Test func aPrivateAuthorityInCertificateModeIsToldWhatSettingItNeeds() throws {
        let verdict = try Self.paths[0].scene.afNetworking4()
        #expect(verdict.warnings.map(\.id) == ["needs-allow-invalid"])
    }

    @Test func theBestEffortGoesThroughWhatThePlatformWouldFetch() throws {
        let inter = try pki.rootA.reissue(pki.interA) { $0 = $0.withIssuerPlaces(["http://ca.example/root.cer"]) }
        let scene = Scene(
            mode: .publicKey, allowInvalid: true, pins: [pki.rootA], presented: [pki.leaf, inter], host: serverName)
        let verdict = try scene.afNetworking4()
        #expect(verdict.reason == .pinMatched(PinMatch(pinIndex: 0, depth: 2)))
        #expect(!verdict.builtChain.isVerified)
        #expect(verdict.warnings.map(\.id).contains("intermediate-not-presented"))
        // A certificate that says nothing of where its issuer is leaves nothing to fetch, and the basic policy never fetches.
        #expect(try scene.with { $0.presented = [pki.leaf, pki.interA] }.afNetworking4().reason == .pinMismatch)
        #expect(try scene.with { $0.validatesName = false }.afNetworking4().reason == .pinMismatch)
        // Without a link between what was sent and the pin there is nothing to walk.
        #expect(try scene.with { $0.presented = [pki.leaf] }.afNetworking4().reason == .pinMismatch)
    }

    @Test func withValidationOffAPinIsOnTheLeafOrOnEveryPathHandedOut() throws {
        func name(_ text: String) -> CertificateTemplate { .authority(DistinguishedName(commonName: text)) }
        let root = try LabCertificate.selfSigned(name("Root"))
        let issuer = try root.issue(name("Issuer"))
        let above = try LabCertificate.selfSigned(name("Not sent")).issue(name("Above"))
        let other = try above.issue(name("Issuer"), key: issuer.key)
        let leaf = try issuer.issue(.leaf(serverName))
        let rows: [(pin: LabCertificate, reason: String, depth: Int?)] = [
            (leaf, "pin-matched", 0), (issuer, "pin-matched", 1), (other, "pin-matched", 1),
            // By Apple's points the first is handed out, and the second is the longest.
            (root, "pin-mismatch", nil), (above, "pin-mismatch", nil),
        ]
        for (pin, reason, depth) in rows {
            for presented in [[leaf, issuer, root, other, above], [leaf, above, other, root, issuer]] {
                let verdict = try Scene(
                    mode: .publicKey, allowInvalid: true, pins: [pin], presented: presented, host: serverName
                ).afNetworking4()
                #expect(verdict.reason.id == reason, "\(verdict.reason)")
                if let depth { #expect(verdict.matches.map(\.depth) == [depth]) }
            }
        }
    }

    @Test func withoutARootThePathEndsBelowTheFirstFlaw() throws {
        let authority = CertificateTemplate.authority("Issuer")
        let (now, weak) = (LabClock.now, try LabKey.shared(.rsa(bits: 1_024), label: "weak"))
        let ended = authority.valid(from: now - 3 * LabClock.day, to: now - LabClock.day)
        let leaf = CertificateTemplate.leaf(serverName)
        let rows: [(issuer: CertificateTemplate, key: LabKey?, leaf: CertificateTemplate, reason: String)] = [
            (authority, nil, leaf, "pin-matched"), (ended, nil, leaf, "pin-mismatch"),
            (authority, weak, leaf, "pin-mismatch"), (authority.with { $0.digest = .sha1 }, nil, leaf, "pin-mismatch"),
            // A flaw that the leaf has, too, ends nothing.
            (ended, nil, leaf.valid(from: now - 3 * LabClock.day, to: now - 2 * LabClock.day), "pin-matched"),
            (authority, weak, leaf.with { $0.digest = .sha1 }, "pin-matched"),
        ]
        for (template, key, leaf, reason) in rows {
            let issuer = try pki.rootA.issue(template, key: key)
            let presented = [try issuer.issue(leaf), issuer]
            let scene = Scene(
                mode: .publicKey, allowInvalid: true, pins: [issuer], presented: presented, host: serverName)
            #expect(try scene.afNetworking4().reason.id == reason)
            #expect(try scene.with { $0.pins = [presented[0]] }.afNetworking4().reason.id == "pin-matched")
        }
    }

    @Test func skippedChecksSaySkipAndAreWarnedAbout() throws {
        let verdict = try Self.exceptions[2].scene.afNetworking4()
        #expect(
            verdict.trace.map { "\($0.number) \($0.id) \($0.status)" } == [
                "1 handshake skip", "2 settings pass", "3 policy pass", "4 trust skip", "5 name skip", "6 pins pass",
            ])
        #expect(verdict.warnings.map(\.id) == ["validity-not-checked"])
    }
}

@Suite("AFNetworking 2 decides as the decision table's vectors 51 to 67 say") struct AFNetworking25Vectors {
    static let world = World.self
    static let httpBin = world.httpBin
    static let leaf = httpBin[0]

    static func vector(_ number: String, wholeChain: Bool = true, _ scene: Scene, _ reason: String) -> ClientVector {
        let client = AFNetworking(policy: scene.policy, validatesCertificateChain: wholeChain)
        return ClientVector(number, client, scene, reason)
    }

    static let chains = [
        vector("51", wholeChain: false, .httpBin(.publicKey, pins: httpBin), "pin-matched"),
        vector("52", .httpBin(.publicKey, pins: httpBin, host: "httpbin.org"), "pin-matched"),
        vector("53", wholeChain: false, .httpBin(.certificate, pins: httpBin), "pin-matched"),
        vector("54", .httpBin(.certificate, pins: httpBin), "pin-matched"),
        vector("55", .httpBin(.certificate, pins: Array(httpBin.dropLast())), "pin-mismatch"),
        vector("56", .httpBin(.publicKey, pins: [leaf], host: "www.httpbin.org"), "name-mismatch"),
        vector("57", wholeChain: false, .httpBin(.publicKey, pins: [httpBin[1]]), "pin-mismatch"),
        vector("58", wholeChain: false, .httpBin(.certificate, pins: [httpBin[1]]), "pin-matched"),
        vector("60 (public key)", .httpBin(.publicKey, pins: []), "no-pins"),
        vector("60 (certificate)", .httpBin(.certificate, pins: []), "no-pins"),
        vector("61", .httpBin(.certificate, pins: httpBin, host: "httpBin.org"), "pin-matched"),
        vector("64", .httpBin(.publicKey, pins: [leaf, leaf, leaf, leaf]), "pin-matched"),
    ]

    @Test func withValidationOffEveryCertificateOfEachPathIsPinned() throws {
        func name(_ text: String) -> CertificateTemplate { .authority(DistinguishedName(commonName: text)) }
        let (root, other) = (try LabCertificate.selfSigned(name("Root")), try LabCertificate.selfSigned(name("Other")))
        let issuer = try root.issue(name("Issuer").with { $0 = $0.withIssuerPlaces(["http://ca.example/root.cer"]) })
        let cross = try other.issue(name("Issuer"), key: issuer.key)
        let leaf = try issuer.issue(.leaf(serverName))
        let all = [leaf, issuer, root, cross, other]
        for (mode, pins, presented, reason) in [
            (AFSecurityPolicy.PinningMode.certificate, all, all, "pin-matched"),
            // The key of both issuers counts twice then: four pairs for three certificates.
            (.publicKey, all, all, "pin-mismatch"), (.publicKey, [leaf, issuer, root, other], all, "pin-matched"),
            (.certificate, [leaf, issuer, root], all, "pin-mismatch"),
            (.publicKey, [leaf, issuer, root], all, "pin-mismatch"),
            (.certificate, [leaf, cross, other], all, "pin-mismatch"),
            (.certificate, [leaf, issuer, root], [leaf, issuer, root], "pin-matched"),
        ] {
            let scene = Scene(mode: mode, allowInvalid: true, pins: pins, presented: presented, host: serverName)
            try Self.vector("whole chain", scene, reason).check()
        }
    }

    static let unverified = Scene(presented: [world.selfSignedAlternativeName], host: "foobar.com", time: World.in2020)

    static let exceptions: [ClientVector] = {
        func selfSigned(_ certificate: LabCertificate, host: String) -> Scene {
            .selfSigned(.certificate, certificate, pins: [certificate], host: host)
        }
        return [
            vector(
                "59", .httpBin(.none, pins: [leaf], host: "httpbin.org").with { $0.allowInvalid = true },
                "everything-accepted"),
            // Apple looks at the common name no longer, whatever AFNetworking's version.
            vector("62 (SS-cn)", selfSigned(world.selfSignedCommonName, host: "foobar.com"), "name-mismatch"),
            vector("62 (SS-san)", selfSigned(world.selfSignedAlternativeName, host: "foobar.com"), "pin-matched"),
            vector("63 (SS-cn)", selfSigned(world.selfSignedCommonName, host: "foo.bar"), "name-mismatch"),
            vector("63 (SS-san)", selfSigned(world.selfSignedAlternativeName, host: "foo.bar"), "name-mismatch"),
            vector("65 (2.5.4)", unverified, "self-signed"),
        ]
    }()

    static let defaults = [vector("67 (2.5.3)", .httpBin(.none, pins: [], host: "apple.com"), "name-mismatch")]

    @Test(arguments: chains + exceptions + defaults) func theTableDecides(_ vector: ClientVector) throws {
        let verdict = try vector.check()
        #expect(verdict.disposition == (verdict.isAccepted ? .useCredential : .cancelAuthenticationChallenge))
    }

    @Test func vector64OnePinGivenFourTimesPassesForAChainOfFour() throws {
        let verdict = try Self.chains[11].check()
        #expect(verdict.warnings.map(\.id) == ["name-not-checked"])
        let three = Scene.httpBin(.publicKey, pins: [Self.leaf, Self.leaf, Self.leaf])
        try Self.vector("64", three, "pin-mismatch").check()
    }

    @Test func vector66ARootThatIsNotPresentedIsOnTheChainFrom3On() throws {
        let scene = Scene(
            mode: .certificate, allowInvalid: true, pins: [pki.rootA], presented: [pki.leaf, pki.interA],
            host: serverName)
        let verdicts = try [ChallengeDisposition.rejectProtectionSpace, .cancelAuthenticationChallenge].map {
            try scene.afNetworking4($0)
        }
        #expect(verdicts.map(\.reason.id) == ["pin-matched", "pin-matched"])
        #expect(verdicts.map(\.disposition) == [.useCredential, .useCredential])
        let rejected = try scene.with { $0.host = "evil.example.com" }.afNetworking4(.rejectProtectionSpace)
        #expect(rejected.disposition == .rejectProtectionSpace)
    }

    @Test func twoPinnedCertificatesWithOneKeyCountTwiceAndFailAGoodChain() throws {
        let google = Self.world.google
        let scene = Scene(
            mode: .publicKey, pins: google, presented: Array(google.prefix(3)), system: [google[4]], host: "google.com",
            time: World.in2020)
        try Self.vector("A1.3", scene, "pin-mismatch").check()
        let deduplicated = scene.with { $0.pins.remove(at: 2) }
        let verdict = try Self.vector("A1.3", deduplicated, "pin-matched").check()
        #expect(verdict.builtChain.certificates == [try x509(google[0]), try x509(google[1]), try x509(google[4])])
    }

    /// The table of A1.3: which pins are enough in which mode. Columns: leaf, intermediate, root, all, all but the root.
    static let sufficientPins: [(AFSecurityPolicy.PinningMode, wholeChain: Bool?, [Bool])] = [
        (.certificate, true, [false, false, false, true, false]),
        (.certificate, false, [true, true, true, true, true]), (.publicKey, true, [false, false, false, true, false]),
        (.publicKey, false, [true, false, false, true, true]), (.certificate, nil, [true, true, true, true, true]),
        (.publicKey, nil, [true, true, true, true, true]),
    ]

    @Test(arguments: sufficientPins) func thePinsThatAreEnoughAreThoseOfTheTable(
        _ mode: AFSecurityPolicy.PinningMode, wholeChain: Bool?, expected: [Bool]
    ) throws {
        let pins = [[pki.leaf], [pki.interA], [pki.rootA], [pki.leaf, pki.interA, pki.rootA], [pki.leaf, pki.interA]]
        let accepted = try pins.map { pins in
            let scene = Scene.ordinary(pins: pins, hashes: false).with { $0.mode = mode }
            guard let wholeChain else { return try scene.afNetworking4().isAccepted }
            return try scene.verdict(of: AFNetworking(policy: scene.policy, validatesCertificateChain: wholeChain))
                .isAccepted
        }
        #expect(accepted == expected)
    }

    /// What an accepted chain goes on to is above that chain, not above another one of the same keys.
    @Test func theReachGoesOnAlongThePathOfTheDecision() throws {
        let root = try LabCertificate.selfSigned(.authority("Quay Root"))
        let other = try LabCertificate.selfSigned(.authority("Quay Other"))
        let issuing = try root.issue(.authority("Quay Issuing"))
        let cross = try other.issue(.authority("Quay Issuing"), key: issuing.key)
        let leaf = try issuing.issue(.leaf(serverName))
        for (last, reach) in [(other, [leaf, issuing]), (root, [leaf, issuing, root])] {
            let scene = Scene.ordinary(
                pins: [issuing, last], presented: [leaf, issuing, cross], system: [root, other], hashes: false)
            let verdict = try scene.with { $0.mode = .certificate }.afNetworking4()
            let expected = try values(reach)
            #expect(verdict.isAccepted && verdict.reach.certificates == expected)
        }
    }
}
