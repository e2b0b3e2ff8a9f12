import LoopbackLab
import Pinning
import Testing

/// Alamofire's fixtures, rebuilt: a root with two authorities and leaves of every kind.
enum AlamofireWorld {
    static let root = try! LabCertificate.selfSigned(.authority("Alamofire Root CA"))
    static let authority1 = try! root.issue(.authority("Alamofire Signing CA1"))
    static let authority2 = try! root.issue(.authority("Alamofire Signing CA2"))
    static let leaf = try! authority2.issue(.leaf(AlamofireVectors.host))
    static let sibling = try! authority1.issue(.leaf(AlamofireVectors.host))
    static let wildcard = try! authority2.issue(.leaf("*.alamofire.org"))
    static let nameless = try! authority2.issue(.leaf(subject: "Missing DNS Name", names: []))
    static let uri = try! authority2.issue(.leaf(subject: "URI", names: [.uri(AlamofireVectors.host)]))
    static let expired = try! authority2.issue(.leaf(AlamofireVectors.host).expired())
}

@Suite("Alamofire decides as the decision table's vectors 68 to 90 say") struct AlamofireVectors {
    static let host = "test.alamofire.org"
    static let pki = AlamofireWorld.self

    static func vector(
        _ number: String, _ evaluator: Alamofire.Evaluator, leaf: LabCertificate = pki.leaf,
        pins: [LabCertificate] = [], intermediates: [LabCertificate] = [pki.authority2],
        system: [LabCertificate] = [pki.root], byDefault: Bool = true, byHost: Bool = true, _ reason: String
    ) -> ClientVector {
        var client = Alamofire(evaluator)
        (client.performDefaultValidation, client.validateHost) = (byDefault, byHost)
        let scene = Scene(pins: pins, presented: [leaf] + intermediates, system: system, host: host)
        return ClientVector(number, client, scene, reason)
    }

    static let defaults = [
        vector("68 (host off)", .systemDefault, byHost: false, "trusted-without-pins"),
        vector("68 (host on)", .systemDefault, "trusted-without-pins"),
        vector(
            "69", .systemDefault, intermediates: [pki.authority2, pki.root], system: [LoopbackLab.pki.rootA],
            "untrusted-root"),
        vector("70 (host off)", .systemDefault, leaf: pki.nameless, byHost: false, "trusted-without-pins"),
        vector("70 (host on)", .systemDefault, leaf: pki.nameless, "name-mismatch"),
        vector("71", .systemDefault, leaf: pki.wildcard, "trusted-without-pins"),
        vector("72 (host off)", .systemDefault, leaf: pki.expired, byHost: false, "expired"),
        vector("72 (host on)", .systemDefault, leaf: pki.expired, "expired"),
        vector("73", .systemDefault, intermediates: [], "unknown-issuer"),
        vector("74", .systemDefault, leaf: pki.uri, "name-mismatch"),
    ]

    static let certificates = [
        vector("75 (leaf)", .pinnedCertificates, pins: [pki.leaf], "pin-matched"),
        vector("75 (intermediate)", .pinnedCertificates, pins: [pki.authority2], "pin-matched"),
        vector("75 (root)", .pinnedCertificates, pins: [pki.root], "pin-matched"),
        vector("76 (leaf)", .pinnedCertificates, pins: [pki.sibling], "pin-mismatch"),
        vector("76 (intermediate)", .pinnedCertificates, pins: [pki.authority1], "pin-mismatch"),
        vector("77", .pinnedCertificates, leaf: pki.expired, pins: [pki.expired], "expired"),
        vector(
            "78", .pinnedCertificates, leaf: pki.expired, pins: [pki.expired], byDefault: false, byHost: false,
            "pin-matched"),
        vector(
            "79 (intermediate)", .pinnedCertificates, leaf: pki.expired, pins: [pki.authority2], byDefault: false,
            byHost: false, "pin-matched"),
        vector(
            "79 (root)", .pinnedCertificates, leaf: pki.expired, pins: [pki.root], byDefault: false, byHost: false,
            "pin-matched"),
        vector("80", .pinnedCertificates, leaf: pki.expired, pins: [pki.expired], byDefault: false, "expired"),
    ]

    static let publicKeys = [
        vector("81", .publicKeys, pins: [pki.leaf], intermediates: [], byDefault: false, byHost: false, "pin-matched"),
        vector("82", .publicKeys, pins: [pki.root], intermediates: [], byDefault: false, byHost: false, "pin-mismatch"),
        vector(
            "83", .publicKeys, pins: [pki.leaf], intermediates: [pki.authority1], byDefault: false, byHost: false,
            "pin-matched"), vector("84", .publicKeys, pins: [pki.sibling, pki.authority1, pki.leaf], "pin-matched"),
        vector("84 (host off)", .publicKeys, pins: [pki.sibling, pki.leaf], byHost: false, "pin-matched"),
    ]

    static let others = [
        vector("85 (expired)", .disabled, leaf: pki.expired, "everything-accepted"),
        vector("85 (incomplete)", .disabled, intermediates: [], "everything-accepted"),
        vector("87 (certificates)", .pinnedCertificates, "client-error"),
        vector("87 (public keys)", .publicKeys, "client-error"),
    ]

    static func selfSigned(_ number: String, accepts: Bool, host: String, _ reason: String) -> ClientVector {
        let certificate = World.selfSignedAlternativeName
        var client = Alamofire(.pinnedCertificates)
        client.acceptSelfSigned = accepts
        return ClientVector(
            number, client, Scene(pins: [certificate], presented: [certificate], host: host, time: World.in2020), reason
        )
    }

    static let selfSigned = [
        selfSigned("88", accepts: true, host: "foobar.com", "pin-matched"),
        selfSigned("88 (not accepted)", accepts: false, host: "foobar.com", "self-signed"),
        selfSigned("88 (other host)", accepts: true, host: "foo.bar", "name-mismatch"),
    ]

    @Test func anEd25519KeyIsNoneThatAlamofireLoads() throws {
        // Under the rules for servers such a root is refused before: what is left are evaluations that ignore validity.
        let root = try LabCertificate.selfSigned(.authority("Ed25519 Root"), key: .generate(.ed25519))
        let leaf = try root.issue(.leaf("www.example.com"))
        var client = Alamofire(.publicKeys)
        (client.performDefaultValidation, client.validateHost) = (false, false)
        func check(_ pins: [LabCertificate], hashes: Bool, _ reason: String) throws -> Verdict {
            let scene = Scene(
                pins: pins, pinsAreHashes: hashes, presented: [leaf, root], system: [root], host: "www.example.com")
            return try ClientVector("A2", client, scene, reason).check()
        }
        for hashes in [true, false] {
            #expect(try check([root], hashes: hashes, "client-error").clientError == "noPublicKeysFound")
            let both = try check([root, leaf], hashes: hashes, "pin-matched")
            #expect(both.matches.map(\.pinIndex) == [1])
        }
        var scene = Scene(pins: [leaf], presented: [leaf, root], system: [root], host: "www.example.com")
        for mode in [AFSecurityPolicy.PinningMode.publicKey, .certificate] {
            scene.mode = mode
            #expect(try scene.afNetworking4().reason.id == "weak-key")
        }
        scene.mode = .publicKey
        scene.allowInvalid = true
        #expect(try scene.afNetworking4().reason.id == "client-error")
    }

    @Test(arguments: defaults + certificates + publicKeys + others + selfSigned) func theTableDecides(
        _ vector: ClientVector
    ) throws {
        let verdict = try vector.check()
        #expect(verdict.disposition == (verdict.isAccepted ? .useCredential : .cancelAuthenticationChallenge))
    }

    @Test(arguments: [78, 79, 81, 83]) func whereBothValidationsAreOffAWarningSaysSo(_ number: Int) throws {
        let vectors = (Self.certificates + Self.publicKeys).filter { $0.number.hasPrefix("\(number)") }
        #expect(!vectors.isEmpty)
        for vector in vectors {
            let verdict = try vector.check()
            #expect(verdict.warnings.contains { $0.id == "validity-not-checked" })
            #expect(!verdict.builtChain.isVerified)
            #expect(verdict.trace.filter { $0.status == .skip }.map(\.id) == ["handshake", "name", "trust"])
        }
    }

    @Test func vector82PinsCompleteNoPathWhereNothingSaysWhatToFetch() throws {
        let pins = [Self.pki.authority2, Self.pki.root]
        try Self.vector(
            "82", .publicKeys, pins: pins, intermediates: [], system: [], byDefault: false, byHost: false,
            "pin-mismatch"
        ).check()
        var client = Alamofire(.pinnedCertificates)
        (client.acceptSelfSigned, client.performDefaultValidation, client.validateHost) = (true, false, false)
        let scene = Scene(pins: pins, presented: [Self.pki.leaf], system: [], host: Self.host)
        try ClientVector("82", client, scene, "pin-matched").check()
    }

    @Test func vector87AnEmptyListIsAnErrorOfItsOwnAndNoMismatch() throws {
        let names = try Self.others.suffix(2).map { try $0.check().clientError }
        #expect(names == ["noCertificatesFound", "noPublicKeysFound"])
        var hashes = Self.vector("87", .pinnedCertificates, pins: [Self.pki.leaf], "client-error").scene
        hashes.pinsAreHashes = true
        try ClientVector("87 (hashes)", Alamofire(.pinnedCertificates), hashes, "client-error").check()
    }

    @Test func vector90AHostWithoutAnEvaluatorIsAnErrorOrLeftToTheSystem() throws {
        let scene = Self.defaults[0].scene.with { $0.pins = [Self.pki.leaf] }
        func client(_ hosts: Set<String>, all: Bool) -> Alamofire {
            var client = Alamofire(.publicKeys)
            (client.evaluatedHosts, client.allHostsMustBeEvaluated) = (hosts, all)
            return client
        }
        let required = try ClientVector("90", client(["alamofire.org"], all: true), scene, "client-error").check()
        #expect(required.clientError == "noRequiredEvaluator")
        let system = try ClientVector("90", client(["*.alamofire.org"], all: false), scene, "pins-not-applied").check()
        #expect(system.disposition == .performDefaultHandling)
        let untrusted = scene.with { $0.system = [LoopbackLab.pki.rootA] }
        let rejected = try ClientVector("90", client([], all: false), untrusted, "unknown-issuer").check()
        #expect(rejected.disposition == .performDefaultHandling)
        // Only the very name counts.
        try ClientVector("90", client([Self.host], all: true), scene, "pin-matched").check()
    }

    @Test func aCompositeKeepsThePinThatMatchedAndStopsAtTheFirstRejection() throws {
        let pins = [Self.pki.leaf]
        try Self.vector("A2", .composite([.publicKeys, .systemDefault]), pins: pins, "pin-matched").check()
        try Self.vector("A2", .composite([.publicKeys, .disabled]), pins: pins, "pin-matched").check()
        let wrong = [Self.pki.sibling]
        try Self.vector("A2", .composite([.systemDefault, .publicKeys]), pins: wrong, "pin-mismatch").check()
        try Self.vector("A2", .composite([]), "everything-accepted").check()
    }
}
