import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// What servers send along with their certificates, as command lines judge and show it.
@Suite(.timeLimit(.minutes(5))) struct TransparencyCommandTests {
    private let pki: StandardPKI
    private let host = StandardPKI.serverName
    private let logs: [LabLog]
    private let leaf: LabCertificate

    init() throws {
        pki = try .shared()
        logs = try (0..<4).map { try LabLog(key: .shared(.p256, label: "log \($0)")) }
        leaf = try pki.interA.issue(
            CertificateTemplate.leaf(host).with { $0.serialNumber = [0x12, 0x34] }, loggedBy: Array(logs[0..<2]))
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

    @Test(arguments: [TLSVersion.tls12, .tls13]) func timestampsOfAllPlacesAndTheStapleAreReported(version: TLSVersion)
        async throws
    {
        let outcome = try await check { settings in
            settings.maximumVersion = version
            settings.timestamps = LabLog.list([try logs[2].timestamp(for: .certificate(leaf.der))])
            settings.staple = try staple {
                $0.timestamps = LabLog.list([try logs[3].timestamp(for: .certificate(leaf.der))])
            }
        }
        #expect(outcome.status == .pass, "\(outcome.output)")
        let report = try JSONValue(outcome.output)
        let timestamps = report["transparency"]["timestamps"].array
        #expect(timestamps.map { $0["source"].text } == ["certificate", "certificate", "handshake", "staple"])
        #expect(timestamps.map { $0["log_id"].text } == logs.map { $0.id.map { String(format: "%02x", $0) }.joined() })
        #expect(report["revocation"]["staple"].text == "good")
        #expect(try warnings(outcome).isEmpty)
        let steps = report["checks"].array
        let transparency = steps.first { $0["id"].text == "transparency" }
        #expect(transparency?["detail"].text == "4 SCTs from 4 logs; which logs is not judged")
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
                ["--client", "trustkit:macos", "--pins", leaf.pin, "--pins", pki.junk.pin, "--extra-root", issuer],
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
        let cases: [(staple: [UInt8], warning: String, status: String)] = [
            ([0x30, 0x80], "unusable-staple", "unusable"),
            (StatusResponse.refusal(status: 3), "unusable-staple", "unusable"),
            (try StatusResponse().der(about: other, from: pki.interA), "unusable-staple", "unusable"),
            (
                try unsigned.with { $0.status = revoked }.der(about: leaf, from: pki.interA), "unusable-staple",
                "unusable"
            ),
            (
                try staple {
                    $0.status = revoked
                    $0.thisUpdate = LabClock.now - 9 * LabClock.day
                    $0.nextUpdate = LabClock.now - LabClock.day
                }, "staple-expired", "outdated"
            ), (try staple { $0.thisUpdate = LabClock.now + LabClock.day }, "staple-expired", "outdated"),
            (try staple { $0.status = .unknown }, "staple-unknown", "unknown"),
        ]
        for (staple, warning, status) in cases {
            let android = try await check(["--client", "okhttp", "--pins", leaf.pin]) { $0.staple = staple }
            #expect(android.decision == "fail unusable-staple")
            let outcome = try await check { $0.staple = staple }
            #expect(outcome.status == .pass, "\(outcome.output)")
            #expect(try warnings(outcome) == [warning])
            #expect(try JSONValue(outcome.output)["revocation"]["staple"].text == status)
            let strict = try await check(["--fail-on", "warn"]) { $0.staple = staple }
            #expect(strict.decision == "warn \(warning)")
        }
    }

    /// As `OCSPResponse` of Android's libcore keeps answers in a map, by the digest they name their certificate with too.
    @Test func onAndroidTheLastAnswerCountsAndEachHasToBeCurrent() async throws {
        let good = StatusResponse()
        let unknown = good.with { $0.status = .unknown }
        let old = good.with {
            $0.thisUpdate = LabClock.now - 9 * LabClock.day
            $0.nextUpdate = LabClock.now - LabClock.day
        }
        let named = good.with { $0.digest = .sha256 }
        let cases: [(answers: [StatusResponse], isGood: Bool)] = [
            ([good], true), ([named], false), ([named, good], true), ([good, unknown], false), ([unknown, good], true),
            ([good, old], false), ([old, good], true), ([old.with { $0.digest = .sha256 }, good], false),
            ([named, unknown], false),
        ]
        for (index, (answers, isGood)) in cases.enumerated() {
            let staple = try staple {
                $0 = answers[0]
                $0.others = Array(answers.dropFirst())
            }
            let outcome = try await check(["--client", "android"]) { $0.staple = staple }
            #expect(outcome.decision == (isGood ? "pass pins-not-applied" : "fail unusable-staple"), "\(index)")
        }
    }

    /// Android takes a quarter of an hour off and on, and a response that names no next one for its moment alone.
    @Test func onAndroidAStapleHasToBeGoodAtItsMoment() async throws {
        let quarter: Int64 = 900
        let cases: [(from: Int64, to: Int64?, isGood: Bool)] = [
            (-LabClock.day, LabClock.day, true), (quarter - 60, LabClock.day, true),
            (quarter + 60, LabClock.day, false), (-LabClock.day, 60 - quarter, true),
            (-LabClock.day, -quarter - 60, false), (60 - quarter, nil, true), (-quarter - 60, nil, false),
        ]
        for (from, to, isGood) in cases {
            let staple = try staple {
                $0.thisUpdate = LabClock.now + from
                $0.nextUpdate = to.map { LabClock.now + $0 }
            }
            let outcome = try await check(["--client", "android"]) { $0.staple = staple }
            #expect((outcome.status == .pass) == isGood, "\(from) \(to ?? 0): \(outcome.output)")
            if !isGood { #expect(outcome.decision == "fail unusable-staple") }
            let apple = try await check { $0.staple = staple }
            #expect(apple.status == .pass)
        }
    }

    // MARK: Timestamps

    @Test func damagedTimestampsAreAFindingAndDoNotCount() async throws {
        let good = try logs[2].timestamp(for: .certificate(leaf.der))
        let lists: [[UInt8]] = [
            [0, 1], [0, 0], [0xFF, 0xFF, 1, 2], LabLog.list([good]) + [0], LabLog.list([good, [0]]),
        ]
        for list in lists {
            let outcome = try await check { $0.timestamps = list }
            #expect(outcome.status == .pass)
            #expect(try warnings(outcome) == ["damaged-scts"], "\(list)")
        }
    }

    // MARK: Lists of logs

    private func list(_ listed: [LabLog], state: String = "usable") -> String {
        let entries = listed.map { log in
            """
            { "description": "Lab", "log_id": "\(Data(log.id).base64EncodedString())",
              "key": "\(Data(log.key.publicKeyInfo).base64EncodedString())",
              "state": { "\(state)": { "timestamp": "2020-01-01T00:00:00Z" } } }
            """
        }
        return """
            { "log_list_timestamp": "2026-11-20T08:00:00Z", "operators": [{ "logs": [\(entries.joined(separator: ","))] }] }
            """
    }

    private func check(by list: String, _ arguments: [String] = []) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(list, to: "logs.json")
            return try await check(["--ct-logs", path] + arguments)
        }
    }

    @Test func aListWarnsWhenNoTimestampIsOfAUsableLog() async throws {
        let usable = try await check(by: list([logs[0]]))
        #expect(usable.status == .pass)
        #expect(try warnings(usable).isEmpty)
        let shown = try JSONValue(usable.output)["transparency"]["timestamps"].array
        #expect(shown.map { $0["log"].text } == ["Lab", nil])
        #expect(shown[0]["signature_is_valid"].flag == true)
        for text in [list([logs[3]]), list(logs, state: "retired"), list(logs, state: "rejected")] {
            let outcome = try await check(by: text)
            #expect(outcome.status == .pass)
            #expect(try warnings(outcome) == ["ct-log-not-usable"])
            #expect(outcome.output.contains("the list of 2026-11-20 has as usable at"))
            #expect(try await check(by: text, ["--fail-on", "warn"]).decision == "warn ct-log-not-usable")
        }
    }

    @Test func aSignatureThatIsNotTheLogsIsAFinding() async throws {
        let forged = try logs[0].timestamp(for: .certificate(pki.leaf.der))
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(list(logs), to: "logs.json")
            let outcome = try await check(["--ct-logs", path]) { $0.timestamps = LabLog.list([forged]) }
            #expect(outcome.status == .pass)
            #expect(try warnings(outcome) == ["bad-sct-signature"])
            let step = try JSONValue(outcome.output)["checks"].array.first { $0["id"].text == "transparency" }
            #expect(step?["detail"].text == "2 SCTs from 2 logs; which logs is not judged")
        }
    }

    @Test func aListThatCannotBeUsedIsNoVerdict() async throws {
        let damaged = try await check(by: "{\n  \"operators\": 1 }")
        #expect(damaged.status == .data)
        #expect(damaged.errors.contains("logs.json:2: 'operators' is not an array"), "\(damaged.errors)")
        let missing = try await check(["--ct-logs", "/nonexistent/logs.json"])
        #expect(missing.status == .noInput)
        #expect(missing.errors.contains("/nonexistent/logs.json"), "\(missing.errors)")
    }

    // MARK: The handshake

    @Test func aWeakKeyExchangeIsAWarningForEveryClient() async throws {
        func warned(_ bits: Int, _ suites: String) async throws -> [String] {
            let key = try LabKey.shared(.rsa(bits: bits), label: "key exchange")
            let leaf = try pki.interA.issue(.leaf(host), key: key)
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
