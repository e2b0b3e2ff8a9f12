import LoopbackLab
import Pinning
import Testing

@Suite("AFNetworking 2 decides as the decision table's vectors 51 to 67 say") struct AFNetworking25Vectors {
    static let world = World.shared
    static let httpBin = world.httpBin
    static let leaf = httpBin[0]

    static func httpBinScene(_ mode: AFSecurityPolicy.PinningMode, pins: [LabCertificate], host: String? = nil) -> Scene
    { Scene(mode: mode, pins: pins, presented: httpBin, system: [httpBin[3]], host: host, time: World.in2020) }

    static func vector(_ number: String, wholeChain: Bool = true, _ scene: Scene, _ reason: String) -> ClientVector {
        let client = AFNetworking(policy: scene.policy, validatesCertificateChain: wholeChain)
        return ClientVector(number, client, scene, reason)
    }

    static let chains = [
        vector("51", wholeChain: false, httpBinScene(.publicKey, pins: httpBin), "pin-matched"),
        vector("52", httpBinScene(.publicKey, pins: httpBin, host: "httpbin.org"), "pin-matched"),
        vector("53", wholeChain: false, httpBinScene(.certificate, pins: httpBin), "pin-matched"),
        vector("54", httpBinScene(.certificate, pins: httpBin), "pin-matched"),
        vector("55", httpBinScene(.certificate, pins: Array(httpBin.dropLast())), "pin-mismatch"),
        vector("56", httpBinScene(.publicKey, pins: [leaf], host: "www.httpbin.org"), "name-mismatch"),
        vector("57", wholeChain: false, httpBinScene(.publicKey, pins: [httpBin[1]]), "pin-mismatch"),
        vector("58", wholeChain: false, httpBinScene(.certificate, pins: [httpBin[1]]), "pin-matched"),
        vector("60 (public key)", httpBinScene(.publicKey, pins: []), "no-pins"),
        vector("60 (certificate)", httpBinScene(.certificate, pins: []), "no-pins"),
        vector("61", httpBinScene(.certificate, pins: httpBin, host: "httpBin.org"), "pin-matched"),
        vector("64", httpBinScene(.publicKey, pins: [leaf, leaf, leaf, leaf]), "pin-matched"),
    ]

    static func selfSigned(_ certificate: LabCertificate, host: String) -> Scene {
        Scene(
            mode: .certificate, allowInvalid: true, pins: [certificate], presented: [certificate], host: host,
            time: World.in2020)
    }

    static let unverified = Scene(presented: [world.selfSignedAlternativeName], host: "foobar.com", time: World.in2020)

    static let exceptions = [
        vector(
            "59", httpBinScene(.none, pins: [leaf], host: "httpbin.org").with { $0.allowInvalid = true },
            "everything-accepted"),
        // Apple looks at the common name no longer, whatever AFNetworking's version.
        vector("62 (SS-cn)", selfSigned(world.selfSignedCommonName, host: "foobar.com"), "name-mismatch"),
        vector("62 (SS-san)", selfSigned(world.selfSignedAlternativeName, host: "foobar.com"), "pin-matched"),
        vector("63 (SS-cn)", selfSigned(world.selfSignedCommonName, host: "foo.bar"), "name-mismatch"),
        vector("63 (SS-san)", selfSigned(world.selfSignedAlternativeName, host: "foo.bar"), "name-mismatch"),
        vector("65 (2.5.4)", unverified, "self-signed"),
    ]

    static let defaults = [vector("67 (2.5.3)", httpBinScene(.none, pins: [], host: "apple.com"), "name-mismatch")]

    @Test(arguments: chains + exceptions + defaults) func `the verdict and its reason are those of the table`(
        _ vector: ClientVector
    ) throws {
        let verdict = try vector.check()
        #expect(verdict.disposition == (verdict.isAccepted ? .useCredential : .cancelAuthenticationChallenge))
    }

    @Test func `vector 64: one pin given four times passes for a chain of four`() throws {
        let verdict = try Self.chains[11].check()
        #expect(verdict.warnings.map(\.id) == ["name-not-checked"])
        let three = Self.httpBinScene(.publicKey, pins: [Self.leaf, Self.leaf, Self.leaf])
        try Self.vector("64", three, "pin-mismatch").check()
    }

    @Test func `vector 66: a root that is not presented is on the chain from 3 on`() throws {
        let scene = Scene(
            mode: .certificate, allowInvalid: true, pins: [pki.rootA], presented: [pki.leaf, pki.interA],
            host: StandardPKI.serverName)
        let verdicts = try [ChallengeDisposition.rejectProtectionSpace, .cancelAuthenticationChallenge].map {
            try scene.afNetworking4($0)
        }
        #expect(verdicts.map(\.reason.id) == ["pin-matched", "pin-matched"])
        #expect(verdicts.map(\.disposition) == [.useCredential, .useCredential])
        let rejected = try scene.with { $0.host = "evil.example.com" }.afNetworking4(.rejectProtectionSpace)
        #expect(rejected.disposition == .rejectProtectionSpace)
    }

    @Test func `two pinned certificates with one key count twice and fail a good chain`() throws {
        let google = Self.world.google
        let scene = Scene(
            mode: .publicKey, pins: google, presented: Array(google.prefix(3)), system: [google[4]], host: "google.com",
            time: World.in2020)
        try Self.vector("A1.3", scene, "pin-mismatch").check()
        let deduplicated = scene.with { $0.pins.remove(at: 2) }
        let verdict = try Self.vector("A1.3", deduplicated, "pin-matched").check()
        #expect(
            verdict.builtChain.certificates == [
                try Certificate(google[0]), try Certificate(google[1]), try Certificate(google[4]),
            ])
    }

    /// The table of A1.3: which pins are enough in which mode. Columns: leaf, intermediate, root, all, all but the root.
    static let sufficientPins: [(AFSecurityPolicy.PinningMode, wholeChain: Bool?, [Bool])] = [
        (.certificate, true, [false, false, false, true, false]),
        (.certificate, false, [true, true, true, true, true]), (.publicKey, true, [false, false, false, true, false]),
        (.publicKey, false, [true, false, false, true, true]), (.certificate, nil, [true, true, true, true, true]),
        (.publicKey, nil, [true, true, true, true, true]),
    ]

    @Test(arguments: sufficientPins) func `the pins that are enough are those of the table`(
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
}
