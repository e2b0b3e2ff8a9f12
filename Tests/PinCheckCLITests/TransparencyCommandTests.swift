import Foundation
import LoopbackLab
import PinCheckCLI
import PinChecking
import Testing
import X509

/// What servers send along with their certificates.
@Suite(.timeLimit(.minutes(5))) struct TransparencyCommandTests {
    private let logs = [LabLog(), LabLog()]
    private let leaf: LabCertificate

    init() throws {
        leaf = try pki.interA.issue(
            CertificateTemplate.leaf(host).with { $0.serialNumber = [0x12, 0x34] }, loggedBy: logs)
    }

    private func check(
        _ arguments: String = "-f json", _ texts: [String: String] = [:],
        _ change: (inout TLSServerSettings) throws -> Void = { _ in }
    ) async throws -> Outcome {
        var settings = TLSServerSettings(presenting: [leaf, pki.interA])
        try change(&settings)
        return try await Desk.serving(.tls(settings), texts) { desk, _ in await desk("CHECK " + arguments) }
    }

    private func staple(_ change: (inout StatusResponse) throws -> Void = { _ in }) throws -> [UInt8] {
        var response = StatusResponse()
        try change(&response)
        return try response.der(about: leaf, from: pki.interA)
    }

    private func revoked() throws -> [UInt8] {
        try staple { $0.status = .revoked(at: LabClock.now - LabClock.day, reason: 1) }
    }

    @Test func timestampsAndStapleAreReported() async throws {
        let outcome = try await check("--client afnetworking -f json") { $0.staple = try staple() }
        let report = try JSONValue(outcome.expect(.pass).output)
        let timestamps = report["transparency"]["timestamps"].array
        #expect(timestamps.map { $0["log_id"].text } == logs.map { $0.id.map { String(format: "%02x", $0) }.joined() })
        #expect(report["revocation"]["staple"].text == "good" && report["warnings"].array.isEmpty)
        let steps = report["checks"].array
        let transparency = steps.first { $0["id"].text == "transparency" }
        #expect(transparency?["detail"].text == "2 SCTs from 2 logs; which logs is not judged")
        #expect(steps.first { $0["id"].text == "revocation" }?["status"].text == "pass")
        let bare = try await check().json
        #expect(bare["revocation"]["staple"].text == "none" && bare["transparency"]["timestamps"].array.count == 2)
    }

    @Test(arguments: Client.all.map(\.name) + ["generic --device ios-26", "generic --device android-17"])
    func aRevokedLeafIsRejectedByAllClientsButCurl(client: String) async throws {
        let revoked = try revoked()
        // TrustKit starts with two pins only.
        let outcome = try await check("-f json --pins \(leaf.pin) --pins $JUNK --client " + client) {
            $0.staple = revoked
        }.expect(client == "curl" ? "pass pin-matched" : "fail revoked")
        #expect(try outcome.json["revocation"]["staple"].text == "revoked")
        #expect(try outcome.json["warnings"].ids.contains("certificate-revoked") == (client == "curl"))
    }

    @Test(arguments: [
        "--client android --pins @nsc.xml --anchors @other.pem",
        "--client trustkit --pins LEAF --pins $JUNK --extra-root @inter.pem",
    ]) func aStapleIsReadWhereTheIssuerIsKnownToTheAppAlone(arguments: String) async throws {
        let android = AppText.android(AppText.base(AppText.anchors("@raw/issuer")))
        let texts = ["own/nsc.xml": android, "own/issuer.pem": pki.interA.pem]
        let line = arguments.replacing("@nsc.xml", with: "@own/nsc.xml").replacing("LEAF", with: leaf.pin)
        let revoked = try revoked()
        try await check("-f json " + line, texts) {
            $0 = TLSServerSettings(presenting: [leaf])
            $0.staple = revoked
        }.expect("fail revoked")
    }

    /// futures.md, vector 25: no pin of a server whose own staple says revoked is recommended, saved, or printed without a warning.
    @Test(arguments: ["text", "json"] + PinsCommandTests.blocks) func noPinOfARevokedServerIsToBeShipped(form: String)
        async throws
    {
        let staple = try revoked()
        let settings = TLSServerSettings(presenting: [leaf, pki.interA]).with { $0.staple = staple }
        try await Desk.serving(.tls(settings)) { desk, _ in
            for option in ["", " --recommend", " --key @leaf.key", " --save @Pins", " --recommend --save @Pins"] {
                try desk.write(pki.leaf2.key.privateKeyPEM(), to: "leaf.key")
                let warning = "WARNING: $HOST:443: not verified:  …  was revoked  …  prove nothing"
                let saving = option.contains("--save") ? " … nothing was saved of $HOST:443" : ""
                let outcome = await desk.expect("pins CHECK -f \(form)\(option)", "fail: \(warning)\(saving)")
                if option.contains("--recommend"), form != "json" { outcome.says(not: leaf.pin, pki.interA.pin) }
                if option.isEmpty, form != "text" { outcome.says("prove nothing") }
            }
            #expect(!FileManager.default.fileExists(atPath: desk.files.path + "/Pins"))
            let result = try await desk("pins CHECK -f json").json["results"][0]
            #expect(result["verified"].flag == false && result["reason"]["id"].text == "revoked")
            let advice = try await desk("pins CHECK --recommend -f json").json["results"][0]["recommendation"]
            #expect(advice["strategy"].text == "none" && advice["pins"].array.isEmpty)
        }
    }

    @Test func aStapleThatSaysNothingIsAFindingAndNoVerdict() async throws {
        let staple = try StatusResponse().with { $0.responder = pki.rogueI }.der(about: leaf, from: pki.interA)
        try await check("-f json --client okhttp") { $0.staple = staple }.expect("fail unusable-staple")
        let outcome = try await check("-f json --fail-on warn") { $0.staple = staple }.expect("warn unusable-staple")
        #expect(try outcome.json["warnings"].ids == ["unusable-staple"])
        #expect(try outcome.json["revocation"]["staple"].text == "unusable")
    }

    @Test func aServerThatAsksWhoTheClientIsIsTold() async throws {
        let outcome = try await check {
            $0.clientCertificate = .requested
            $0.maximumVersion = .tls12
        }.expect(.pass, "give one with --cert")
        #expect(try outcome.json["warnings"].ids == [])
        #expect(try outcome.json["notes"].ids.first == "client-certificate-requested")
        try await check().says(not: "client-certificate-requested")
    }

    /// A leaf that says where its revocation is told: in lists, by a service, or nowhere but who issued it.
    private func placed(_ place: String) throws -> LabCertificate {
        let url = element(0x86, "http://r.example/x".bytes)
        let list = element(0x30, element(0x30, element(0xA0, element(0xA0, url))))
        let service = element(0x06, [0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x01]) + url
        var leaf = CertificateTemplate.leaf(host)
        switch place {
        case "list": leaf.additionalExtensions = [.init(OID(2, 5, 29, 31), value: list)]
        case "service":
            let access = element(0x30, element(0x30, service))
            leaf.additionalExtensions = [.init(OID(1, 3, 6, 1, 5, 5, 7, 1, 1), value: access)]
        default: leaf = leaf.withIssuerPlaces(["http://r.example/x"])
        }
        return try pki.interA.issue(leaf)
    }

    @Test(arguments: [
        // Revocation matters where the certificate says where to ask; curl asks nobody, and nothing is accepted that a client rejects.
        ("list", "afnetworking", true), ("list", "okhttp", true), ("service", "afnetworking", true),
        ("issuer", "okhttp", false), ("list", "curl", false), ("list", "afnetworking --pins $JUNK", false),
    ]) func whatIsNotJudgedIsSaidWhereItMatters(place: String, client: String, matters: Bool) async throws {
        let desk = try Desk(["chain.pem": placed(place).pem + pki.interA.pem])
        let outcome = await desk("verify @chain.pem --host $HOST --client \(client) --anchors @root.pem")
        #expect(
            outcome.output.contains("not judged here: revocation, which the certificate says where to ask for")
                == matters, "\(outcome)")
    }
}
