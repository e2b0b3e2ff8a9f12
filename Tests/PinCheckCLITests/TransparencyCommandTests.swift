import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// What servers send along with their certificates, as command lines judge and show it.
@Suite(.timeLimit(.minutes(5))) struct TransparencyCommandTests {
    private let pki: StandardPKI
    private let host = StandardPKI.serverName
    private let logs = [LabLog(), LabLog()]
    private let leaf: LabCertificate

    init() throws {
        pki = try .shared()
        leaf = try pki.interA.issue(
            CertificateTemplate.leaf(host).with { $0.serialNumber = [0x12, 0x34] }, loggedBy: logs)
    }

    /// What a check of a server that presents the leaf comes to.
    private func check(
        _ arguments: [String] = [], format: [String] = ["--format", "json"],
        _ change: (inout TLSServerSettings) throws -> Void = { _ in }
    ) async throws -> Outcome {
        var settings = TLSServerSettings(presenting: [leaf, pki.interA])
        try change(&settings)
        return try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            return try await LoopbackServer.serving(.tls(settings)) { server in
                let base = [host, "--connect", "\(server.address):\(server.port)", "--anchors", anchors]
                return await pincheck(base + format + arguments)
            }
        }
    }

    private func warnings(_ outcome: Outcome) throws -> [String] {
        try JSONValue(outcome.output)["warnings"].array.compactMap { $0["id"].text }
    }

    private func staple(_ change: (inout StatusResponse) throws -> Void = { _ in }) throws -> [UInt8] {
        var response = StatusResponse()
        try change(&response)
        return try response.der(about: leaf, from: pki.interA)
    }

    // MARK: What is reported

    @Test(arguments: [TLSVersion.tls12, .tls13]) func embeddedTimestampsAndTheStapleAreReported(version: TLSVersion)
        async throws
    {
        let outcome = try await check(["--client", "afnetworking"]) { settings in
            settings.maximumVersion = version
            settings.staple = try staple()
        }
        #expect(outcome.status == .pass, "\(outcome.output)")
        let report = try JSONValue(outcome.output)
        let timestamps = report["transparency"]["timestamps"].array
        #expect(timestamps.map { $0["log_id"].text } == logs.map { $0.id.map { String(format: "%02x", $0) }.joined() })
        #expect(report["revocation"]["staple"].text == "good")
        #expect(try warnings(outcome).isEmpty)
        let steps = report["checks"].array
        let transparency = steps.first { $0["id"].text == "transparency" }
        #expect(transparency?["detail"].text == "2 SCTs from 2 logs; which logs is not judged")
        let revocation = steps.first { $0["id"].text == "revocation" }
        #expect(revocation?["status"].text == "pass")
    }

    @Test func aServerThatSendsNothingAlongIsReportedSo() async throws {
        let report = try JSONValue(try await check().output)
        #expect(report["revocation"]["staple"].text == "none")
        #expect(report["transparency"]["timestamps"].array.count == 2)
    }

    // MARK: Staples

    @Test func aRevokedLeafIsRejectedByThosePlatformsThatLook() async throws {
        let revoked = try staple { $0.status = .revoked(at: LabClock.now - LabClock.day, reason: 1) }
        for client in ["afnetworking", "alamofire", "okhttp", "android"] {
            let arguments = ["--client", client, "--pins", pki.interA.pin]
            let outcome = try await check(arguments) { $0.staple = revoked }
            #expect(outcome.decision == "fail revoked", "\(client)")
        }
        let curl = try await check(["--client", "curl", "--pins", leaf.pin]) { $0.staple = revoked }
        #expect(curl.status == .pass, "\(curl.output)")
        #expect(try warnings(curl) == ["certificate-revoked"])
        #expect(try JSONValue(curl.output)["revocation"]["staple"].text == "revoked")
        let text = try await check(format: []) { $0.staple = revoked }
        #expect(text.output.contains("was revoked at") && text.output.contains("(key compromise)"), "\(text.output)")
    }

    @Test func aStapleIsReadWhereTheIssuerIsKnownToTheAppAlone() async throws {
        let revoked = try staple { $0.status = .revoked(at: LabClock.now - LabClock.day, reason: 1) }
        try await TemporaryDirectory.scoped { files in
            let issuer = try files.write(pki.interA.pem, to: "issuer.pem")
            let android = try files.write(
                """
                <network-security-config><base-config><trust-anchors><certificates src="@raw/issuer"/></trust-anchors>
                </base-config></network-security-config>
                """, to: "network_security_config.xml")
            let nobody = try files.write(pki.rootB.pem, to: "other.pem")
            for arguments in [
                ["--client", "android", "--pins", android, "--anchors", nobody],
                ["--client", "trustkit", "--pins", leaf.pin, "--pins", pki.junk.pin, "--extra-root", issuer],
            ] {
                let outcome = try await check(arguments) {
                    $0 = TLSServerSettings(presenting: [leaf])
                    $0.staple = revoked
                }
                #expect(outcome.decision == "fail revoked", "\(arguments): \(outcome)")
            }
        }
    }

    @Test func aStapleThatSaysNothingIsAFindingAndNoVerdict() async throws {
        let other = try pki.interA.issue(CertificateTemplate.leaf(host).with { $0.serialNumber = [0x77] })
        let unsigned = StatusResponse().with { $0.responder = pki.rogueI }
        let revoked = StatusResponse.Status.revoked(at: LabClock.now - LabClock.day, reason: nil)
        let cases: [[UInt8]] = [
            [0x30, 0x80], StatusResponse.refusal(status: 3), try StatusResponse().der(about: other, from: pki.interA),
            try unsigned.with { $0.status = revoked }.der(about: leaf, from: pki.interA),
            try staple {
                $0.status = revoked
                $0.thisUpdate = LabClock.now - 9 * LabClock.day
                $0.nextUpdate = LabClock.now - LabClock.day
            }, try staple { $0.thisUpdate = LabClock.now + LabClock.day }, try staple { $0.status = .unknown },
            try staple { $0.others = [StatusResponse()] }, try staple { $0.digest = .sha256 },
            try staple { $0.nextUpdate = nil },
        ]
        for staple in cases {
            let android = try await check(["--client", "okhttp", "--pins", leaf.pin]) { $0.staple = staple }
            #expect(android.decision == "fail unusable-staple")
            let outcome = try await check { $0.staple = staple }
            #expect(outcome.status == .pass, "\(outcome.output)")
            #expect(try warnings(outcome) == ["unusable-staple"])
            #expect(try JSONValue(outcome.output)["revocation"]["staple"].text == "unusable")
            let strict = try await check(["--fail-on", "warn"]) { $0.staple = staple }
            #expect(strict.decision == "warn unusable-staple")
        }
    }

    @Test func aRevocationAmongSeveralAnswersRejects() async throws {
        let revoked = StatusResponse().with { $0.status = .revoked(at: LabClock.now - LabClock.day, reason: nil) }
        let staple = try staple { $0.others = [revoked] }
        for client in ["afnetworking", "android", "generic"] {
            #expect(try await check(["--client", client]) { $0.staple = staple }.decision == "fail revoked")
        }
    }

    // MARK: The handshake

    @Test func aWeakKeyExchangeIsAWarningForEveryClient() async throws {
        func warned(_ bits: Int, _ suites: String) async throws -> [String] {
            let key = try LabKey.shared(.rsa(bits: bits), label: "key exchange")
            let leaf = try pki.interA.issue(
                CertificateTemplate.leaf(host).with { $0.keyUsage = [.digitalSignature, .keyEncipherment] }, key: key)
            // OpenSSL, as curl uses it, takes no key of 1024 bits; Android does.
            let outcome = try await check(["--client", "okhttp", "--pins", pki.interA.pin]) { settings in
                settings.identities = [TLSIdentity([leaf, pki.interA])]
                settings.maximumVersion = .tls12
                settings.cipherList = suites + ":@SECLEVEL=0"
                settings.offersFiniteFieldGroups = true
            }
            #expect(outcome.status == .pass, "\(outcome.output)")
            return try warnings(outcome).filter { ["weak-key-exchange", "no-forward-secrecy"].contains($0) }
        }
        #expect(try await warned(2_048, "AES128-SHA256") == ["no-forward-secrecy"])
        #expect(try await warned(1_024, "DHE-RSA-AES128-GCM-SHA256") == ["weak-key-exchange"])
        #expect(try await warned(2_048, "DHE-RSA-AES128-GCM-SHA256").isEmpty)
        #expect(try await warned(2_048, "ECDHE-RSA-AES128-GCM-SHA256").isEmpty)
    }

    @Test func aServerThatAsksWhoTheClientIsIsToldAndOneThatInsistsWarned() async throws {
        func notes(_ outcome: Outcome) throws -> [String] {
            try JSONValue(outcome.output)["notes"].array.compactMap { $0["id"].text }
        }
        let asks = try await check {
            $0.clientCertificate = .requested
            $0.maximumVersion = .tls12
        }
        #expect(asks.status == .pass)
        #expect(try warnings(asks).isEmpty)
        #expect(try notes(asks).first == "client-certificate-requested")
        let text = try await check(format: []) {
            $0.clientCertificate = .requested
            $0.maximumVersion = .tls12
        }
        #expect(
            text.output.contains(
                "  note: the server asks for a client certificate and got none; give one with --cert\n"))
        let insists = try await check {
            $0.clientCertificate = .required
            $0.maximumVersion = .tls12
        }
        #expect(insists.status == .pass, "\(insists.output)")
        #expect(try warnings(insists) == ["client-certificate-required"])
        #expect(insists.output.contains("give one with --cert"))
        #expect(try notes(try await check()).contains("client-certificate-requested") == false)
    }
}
