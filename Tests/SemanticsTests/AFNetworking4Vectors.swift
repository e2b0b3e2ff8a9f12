import Foundation
import LoopbackLab
import Pinning
import Testing
import X509

/// One row of the decision table (Pinning's article of that name) about AFNetworking 4.
struct Vector: Sendable, CustomTestStringConvertible {
    let number: String
    let scene: Scene
    /// The stable id of the reason the verdict must have; it says whether the client accepts, too.
    let reason: String

    init(_ number: String, _ scene: Scene, _ reason: String) {
        self.number = number
        self.scene = scene
        self.reason = reason
    }

    var testDescription: String { "vector \(number)" }
}

@Suite("AFNetworking 4 decides as the decision table's vectors 1 to 50 say") struct AFNetworking4Vectors {
    static let world = World.shared
    static let httpBin = world.httpBin
    static let leaf = httpBin[0]

    static func httpBinScene(
        _ mode: AFSecurityPolicy.PinningMode = .none, pins: [LabCertificate] = [], host: String? = nil
    ) -> Scene {
        Scene(
            mode: mode, pins: pins, presented: httpBin, system: [httpBin[3], world.adn[2]], host: host,
            time: World.in2020)
    }

    static let defaultPolicy = [
        Vector("1", httpBinScene(), "trusted-without-pins"),
        Vector("2", httpBinScene(host: "httpbin.org"), "trusted-without-pins"),
        Vector(
            "3", Scene(presented: [world.selfSignedAlternativeName], system: [httpBin[3]], time: World.in2020),
            "self-signed"), Vector("4", httpBinScene(host: "apple.com"), "name-mismatch"),
    ]

    /// Rows 5 to 14, and 15 to 24, which repeat them in certificate mode.
    static func pinning(_ mode: AFSecurityPolicy.PinningMode, firstNumber: Int) -> [Vector] {
        let adn = world.adn
        var others = httpBinScene(mode, pins: [leaf])
        others.presented = adn
        var strangers = httpBinScene(mode, pins: [leaf, httpBin[1], world.standard.rootA])
        strangers.presented = adn
        let scenes: [(Scene, String)] = [
            (httpBinScene(mode, pins: [leaf]), "pin-matched"), (httpBinScene(mode, pins: [httpBin[1]]), "pin-matched"),
            (httpBinScene(mode, pins: [httpBin[2]]), "pin-matched"), (httpBinScene(mode, pins: httpBin), "pin-matched"),
            (httpBinScene(mode, pins: [leaf, adn[0], world.standard.junk]), "pin-matched"),
            (httpBinScene(mode, pins: [leaf], host: "httpbin.org"), "pin-matched"),
            (httpBinScene(mode, pins: []), "no-pins"), (others, "pin-mismatch"),
            (httpBinScene(mode, pins: [leaf], host: "invalid.org"), "name-mismatch"), (strangers, "pin-mismatch"),
        ]
        return scenes.enumerated().map { Vector("\(firstNumber + $0.offset)", $0.element.0, $0.element.1) }
    }

    static func selfSigned(
        _ mode: AFSecurityPolicy.PinningMode, _ presented: LabCertificate, pins: [LabCertificate] = [],
        host: String? = "foobar.com", validatesName: Bool = true, at time: Timestamp = World.in2020
    ) -> Scene {
        Scene(
            mode: mode, allowInvalid: true, validatesName: validatesName, pins: pins, presented: [presented],
            host: host, time: time)
    }

    static let exceptions: [Vector] = {
        let commonName = world.selfSignedCommonName
        let alternativeName = world.selfSignedAlternativeName
        let nameless = world.selfSignedWithoutName
        var unnamed = httpBinScene(host: "invalid.org")
        unnamed.validatesName = false
        var guarded = httpBinScene(host: "httpbin.org")
        guarded.allowInvalid = true
        return [
            Vector("25", unnamed, "trusted-without-pins"),
            Vector("26", selfSigned(.publicKey, commonName, pins: [commonName]), "pin-matched"),
            Vector("27", selfSigned(.publicKey, commonName, pins: [commonName], host: "other.org"), "pin-matched"),
            Vector("28", selfSigned(.publicKey, commonName, pins: [commonName], at: World.in2026), "pin-matched"),
            Vector("29", selfSigned(.certificate, nameless, pins: [nameless]), "name-mismatch"),
            Vector(
                "30 (2020)",
                selfSigned(.certificate, nameless, pins: [nameless], host: "foo.bar", validatesName: false),
                "pin-matched"),
            Vector(
                "30 (2026)",
                selfSigned(
                    .certificate, nameless, pins: [nameless], host: "foo.bar", validatesName: false, at: World.in2026),
                "expired"), Vector("31", selfSigned(.none, alternativeName, host: nil), "everything-accepted"),
            Vector("32", selfSigned(.none, alternativeName, validatesName: false), "everything-accepted"),
            Vector("33", selfSigned(.none, alternativeName, pins: [alternativeName]), "refused-settings"),
            Vector("34", guarded, "refused-settings"),
            Vector("35", selfSigned(.publicKey, alternativeName), "refused-settings"),
        ]
    }()

    static let paths: [Vector] = {
        let pki = world.standard
        let chain = [pki.leaf, pki.interA]
        let host = StandardPKI.serverName
        return [
            Vector("36", Scene(mode: .certificate, pins: [pki.rootA], presented: chain, host: host), "unknown-issuer"),
            Vector(
                "37", Scene(mode: .certificate, allowInvalid: true, pins: [pki.rootA], presented: chain, host: host),
                "pin-matched"),
            Vector(
                "38",
                Scene(
                    mode: .certificate, allowInvalid: true, pins: [pki.rootA], presented: chain,
                    host: "evil.example.com"), "name-mismatch"),
            Vector(
                "39",
                Scene(
                    mode: .certificate, pins: [pki.interA], presented: [pki.leaf, pki.interA2], system: [pki.rootA],
                    host: host), "pin-matched"),
            Vector(
                "40",
                Scene(
                    mode: .certificate, pins: [pki.leaf], presented: [pki.leafRe, pki.interA], system: [pki.rootA],
                    host: host), "pin-mismatch"),
            Vector(
                "41",
                Scene(
                    mode: .publicKey, pins: [pki.leaf], presented: [pki.leafRe, pki.interA], system: [pki.rootA],
                    host: host), "pin-matched"),
            Vector(
                "42",
                Scene(
                    mode: .certificate, allowInvalid: true, pins: [pki.leaf], presented: [pki.leaf, pki.interAexp],
                    host: host), "pin-matched"),
            Vector(
                "43",
                Scene(
                    mode: .certificate, allowInvalid: true, pins: [pki.rootA], presented: [pki.rogue, pki.rogueI],
                    system: [pki.rootB], host: host), "pin-mismatch"),
            Vector(
                "44",
                Scene(
                    mode: .certificate, pins: [pki.rootA], presented: [pki.rogue, pki.rogueI],
                    system: [pki.rootA, pki.rootB], host: host), "pin-mismatch"),
            Vector(
                "45",
                Scene(
                    mode: .publicKey, pins: [pki.leaf], presented: [pki.rogue, pki.rogueI, pki.leaf],
                    system: [pki.rootA, pki.rootB], host: host), "pin-mismatch"),
        ]
    }()

    static let all =
        defaultPolicy + pinning(.publicKey, firstNumber: 5) + pinning(.certificate, firstNumber: 15) + exceptions
        + paths

    @Test(arguments: all) func `the verdict and its reason are those of the table`(_ vector: Vector) throws {
        let verdict = try vector.scene.afNetworking4()
        #expect(verdict.reason.id == vector.reason, "\(verdict.trace)")
        #expect(verdict.disposition == (verdict.isAccepted ? .useCredential : .cancelAuthenticationChallenge))
    }

    @Test func `vector 39: the built chain holds the pinned bytes of a re-issued intermediate`() throws {
        let verdict = try Self.paths[3].scene.afNetworking4()
        let pki = Self.world.standard
        #expect(verdict.builtChain.certificates == [try Certificate(pki.leaf), try Certificate(pki.interA)])
        #expect(verdict.builtChain.isVerified)
    }

    @Test func `vector 45: a pin that was only presented is warned about`() throws {
        let verdict = try Self.paths[9].scene.afNetworking4()
        #expect(verdict.warnings.map(\.id) == ["pin-only-presented"])
        #expect(verdict.matches.isEmpty)
    }

    @Test(arguments: [(3, 4), (1, 2), (0, 1)]) func `vectors 49 and 50: the built chain ends at the anchor`(
        anchor: Int, length: Int
    ) throws {
        var scene = Self.httpBinScene()
        scene.system = [Self.httpBin[anchor]]
        #expect(try scene.afNetworking4().builtChain.certificates.count == length)
    }

    @Test func `a private authority in certificate mode is told what setting it needs`() throws {
        let verdict = try Self.paths[0].scene.afNetworking4()
        #expect(verdict.warnings.map(\.id) == ["needs-allow-invalid"])
    }

    @Test func `the best effort of a client that ignores validity goes through what its platform would fetch`() throws {
        let pki = Self.world.standard
        let inter = try pki.rootA.reissue(pki.interA) { $0 = $0.withIssuerPlaces(["http://ca.example/root.cer"]) }
        let scene = Scene(
            mode: .publicKey, allowInvalid: true, pins: [pki.rootA], presented: [pki.leaf, inter],
            host: StandardPKI.serverName)
        let verdict = try scene.afNetworking4()
        #expect(verdict.reason == .pinMatched(PinMatch(pinIndex: 0, depth: 2)))
        #expect(!verdict.builtChain.isVerified)
        #expect(verdict.warnings.map(\.id).contains("intermediate-not-presented"))
        // A certificate that says nothing of where its issuer is leaves nothing to fetch, and the basic policy never fetches.
        #expect(try scene.with { $0.presented = [pki.leaf, pki.interA] }.afNetworking4().reason == .pinMismatch)
        #expect(try scene.with { $0.validatesName = false }.afNetworking4().reason == .pinMismatch)
        // Without a link between what was sent and the pin there is nothing to walk.
        var unlinked = scene
        unlinked.presented = [pki.leaf]
        #expect(try unlinked.afNetworking4().reason == .pinMismatch)
    }

    @Test func `skipped checks say skip and are warned about`() throws {
        let verdict = try Self.exceptions[2].scene.afNetworking4()
        #expect(
            verdict.trace.map { "\($0.number) \($0.id) \($0.status)" } == [
                "1 settings pass", "2 policy pass", "3 trust skip", "4 name skip", "5 pins pass",
            ])
        #expect(verdict.warnings.map(\.id) == ["validity-not-checked"])
    }
}
