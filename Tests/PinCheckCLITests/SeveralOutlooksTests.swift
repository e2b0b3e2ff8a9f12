import Foundation
import LoopbackLab
@testable import PinCheckCLI
@testable import PinChecking
import PinFormats
import Pinning
import Testing
import X509

/// The outlook of several clients and of several paths, by `verify`.
@Suite(.endsSomeTime) struct SeveralOutlooksTests {
    let now = LabClock.now
    let root: LabCertificate
    let inter: LabCertificate
    /// The same authority in a certificate that ends in ten days.
    let shortInter: LabCertificate
    let leaf: LabCertificate

    init() throws {
        func valid(_ template: CertificateTemplate, _ days: Int64) -> CertificateTemplate {
            template.valid(from: LabClock.now - 10 * LabClock.day, to: LabClock.now + days * LabClock.day)
        }
        root = try .selfSigned(valid(.authority("Root"), 3_000))
        inter = try root.issue(valid(.authority("Inter"), 1_500))
        shortInter = try root.issue(valid(.authority("Inter"), 10), key: inter.key)
        leaf = try inter.issue(valid(.leaf("api.example.com"), 80))
    }

    private func verify(_ chain: [LabCertificate], _ pins: [String], _ flags: String...) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(chain.map(\.pem).joined(), to: "chain.pem")
            let anchors = try files.write(root.pem, to: "root.pem")
            try files.write(leaf.der, to: "leaf.cer")
            var pinFlags: [String] = []
            for pin in pins { pinFlags += ["--pins", pin == "leaf.cer" ? files.path + "/leaf.cer" : pin] }
            return await pincheck(
                ["verify", path, "--host", "api.example.com", "--anchors", anchors] + pinFlags + flags, at: now)
        }
    }

    private func document(_ outcome: Outcome) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
    }

    private func date(inDays days: Int64) -> String { Timestamp(secondsSinceEpoch: now + days * LabClock.day).date }

    // MARK: Every path

    @Test(arguments: ["afnetworking", "afnetworking-3"]) func certificateModeMindsWhatTheSystemIsAskedAbout(
        client: String
    ) async throws {
        let chain = [leaf, shortInter]
        try await verify(chain, ["leaf.cer"], "--client", client, "--fail-before", "30d").expect(
            .fail, "accepted, but CN=Inter (depth 1) expires in 10 d, on \(date(inDays: 10))",
            not: "also sent, but not on this chain")
        try await verify(chain, ["leaf.cer"], "--client", client, "--warn-before", "30d", "--fail-on", "warn").expect(
            .warn)
        let json = try document(await verify(chain, ["leaf.cer"], "--client", client, "-f", "json"))
        let outlook = try #require(json["outlook"] as? [String: Any])
        #expect((outlook["valid_until"] as? String)?.hasPrefix(date(inDays: 10)) == true)
    }

    @Test(arguments: ["afnetworking", "alamofire:accept-self-signed"]) func pinsReachAsFarAsAPathThatIsFetched(
        client: String
    ) async throws {
        let leaf = try inter.issue(
            .leaf("api.example.com").withIssuerPlaces(["http://ca.example/inter.cer"]).valid(
                from: now - LabClock.day, to: now + 80 * LabClock.day))
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(leaf.pem, to: "chain.pem")
            let anchors = try files.write(root.pem, to: "root.pem")
            let given = try files.write(inter.pem, to: "inter.pem")
            let pins = try [leaf, root].enumerated().map { try files.write($1.der, to: "\($0).cer") }
            let outcome = await pincheck(
                [
                    "verify", chain, "--host", "api.example.com", "--anchors", anchors, "--intermediate", given,
                    "--pins", pins[0], "--pins", pins[1], "--mode", "certificate", "--client", client, "-f", "json",
                ], at: now)
            let json = try document(outcome)
            let matched = (json["pins"] as? [String: Any])?["matched"] as? [[String: Any]]
            #expect(matched?.compactMap { $0["depth"] as? Int } == [0, 2])
            let outlook = try #require(json["outlook"] as? [String: Any])
            #expect(outlook["pins_end"] as? String == "root-expiry")
            #expect(outlook["has_backup"] as? Bool == false)
        }
    }

    @Test func monitoringIsToldOfEveryCertificateThatIsNeeded() async throws {
        let chain = [leaf, shortInter]
        let nagios = try await verify(
            chain, ["leaf.cer"], "-f", "nagios", "--warn-before", "30d", "--fail-before", "20d"
        ).says(starting: "PINCHECK CRITICAL")
        for part in ["days_0=80;30:;20:", "days_1=10;30:;20:", "days_2=3000;30:;20:"] {
            #expect(nagios.output.contains(part), "\(nagios.output)")
        }
        let prometheus = try await verify(chain, ["leaf.cer"], "-f", "prometheus")
        let ends = prometheus.output.split(separator: "\n").filter { $0.contains("not_after_timestamp_seconds{") }
        #expect(ends.count == 3)
        let json = try document(await verify(chain, ["leaf.cer"], "-f", "json"))
        let paths = try #require(json["other_paths"] as? [[String: Any]])
        #expect(paths.map { $0["clients"] as? [String] } == [["afnetworking"]])
        #expect(
            (paths.first?["chain"] as? [[String: Any]])?.map { $0["role"] as? String } == [
                "leaf", "intermediate", "root",
            ])
    }

    @Test func withAllowInvalidOnlyThePinnedPathCounts() async throws {
        try await verify(
            [leaf, shortInter], ["leaf.cer"], "--allow-invalid-certificates", "--no-validate-domain-name",
            "--fail-before", "30d"
        ).expect(.pass)
    }

    // MARK: Every client

    @Test(arguments: ["okhttp,curl", "curl,okhttp", "all"]) func theClientThatIsWorstOffDecides(clients: String)
        async throws
    {
        try await verify([leaf, inter], [leaf.pin, root.pin], "--client", clients, "--min-pin-life", "200d").expect(
            .fail, "no configured pin is sure to match after \(date(inDays: 80))")
    }

    @Test func theOrderOfClientsChangesTheOrderOfLinesAlone() async throws {
        func lines(_ clients: String, _ pins: [String], _ form: String) async throws -> [Substring] {
            let outcome = try await verify([leaf, inter], pins, "--client", clients, "--fail-on", "warn", "-f", form)
            // Each run has a directory of its own.
            let text = outcome.output.replacing(/[^ `|]*\/chain\.pem/, with: "chain.pem")
            return text.split(separator: "\n").sorted()
        }
        for pins in [[leaf.pin, root.pin], ["leaf.cer"], [inter.pin], [root.pin]] {
            for (one, other) in [
                ("okhttp,curl", "curl,okhttp"), ("okhttp,afnetworking,curl", "curl,afnetworking,okhttp"),
            ] {
                for form in ["text", "nagios"] { #expect(try await lines(one, pins, form) == lines(other, pins, form)) }
            }
        }
    }

    @Test func eachClientHasAnOutlookInTheDocument() async throws {
        let outcome = try await verify(
            [leaf, inter], [leaf.pin, root.pin], "--client", "okhttp,curl:insecure", "-f", "json")
        let clients = try #require(document(outcome)["clients"] as? [[String: Any]])
        let outlooks = clients.compactMap { $0["outlook"] as? [String: Any] }
        #expect(outlooks.map { $0["pins_end"] as? String } == ["root-expiry", "leaf-renewal"])
        #expect((outlooks[0]["valid_until"] as? String)?.hasPrefix(date(inDays: 80)) == true)
        // curl --insecure looks at no date.
        #expect(outlooks[1]["valid_until"] is NSNull)
        try await verify([leaf, inter], [leaf.pin], "--client", "curl:insecure", "--fail-before", "90d").expect(
            .fail, "less than 90d from now; the client does not mind")
    }

    @Test func pinsThatExpireAreSaidToBeTheirClients() async throws {
        let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        try await verify([leaf, inter], [leaf.pin, other], "--client", "okhttp,android:expires=2100-01-01").says(
            "outlook: android: the pins expire on 2100-01-01: from then on")
    }

    // MARK: A client of one's own

    /// Wants both the leaf's key and the root's certificate, and asks nobody else.
    private struct DemandingClient: ClientProcedure {
        let isDateMinded: Bool
        var platform: Platform? { nil }

        func comparison(with pins: PinSet?, for name: ReferenceName) -> PinComparison {
            PinComparison([.keys(of: pins, at: .leaf), .certificates(of: pins)])
        }

        func evaluate(_ run: inout ProcedureRun) -> Verdict {
            let result = run.evaluate(run.serverPolicy)
            return Verdict(
                reason: .pinMatched(PinMatch(pinIndex: 0, depth: 0)), disposition: .useCredential, trace: [],
                builtChain: result.builtChain, restsOn: isDateMinded ? result.validPaths : [],
                matches: run.pins?.publicKeyMatches(on: result.builtChain) ?? [], warnings: [])
        }
    }

    @Test(arguments: [true, false]) func aClientThatNobodyKnowsHasTheOutlookItDescribes(isDateMinded: Bool) throws {
        func value(_ certificate: LabCertificate) throws -> Certificate { try Certificate(certificate) }
        let pins = PinSet([
            Pin(.publicKey(try value(leaf).publicKey.spkiSHA256), origin: "test"),
            Pin(.certificate(try value(root)), origin: "test"),
        ])
        let entry = Client(
            name: "demanding", summary: "", platform: nil, notation: .okhttp,
            make: { _ in DemandingClient(isDateMinded: true) })
        let client = ConfiguredClient(
            client: entry, settings: [], procedure: .success(DemandingClient(isDateMinded: isDateMinded)), pins: pins)
        let verifier = OpenSSLPathVerifier(trustStore: TrustStore(anchors: [AnchorBundle([try value(root)])]))
        let policy = HostPolicy(
            clients: [client], pins: pins,
            devices: [
                JudgedDevice(device: nil, trust: .anchors, verifier: verifier, verifierWithInstalledRoots: verifier)
            ])
        let result = CheckResult(
            of: PresentedChain([try value(leaf), try value(inter)])!, named: "world",
            for: ReferenceName("api.example.com"), by: policy, at: Timestamp(secondsSinceEpoch: now))
        let outlook = try #require(Report(result).clients[0].outlook)
        #expect(outlook.validUntil?.hasPrefix(date(inDays: 80)) ?? false == isDateMinded)
        #expect(!outlook.hasBackup)
        #expect(
            outlook.findings.map(\.message) == [
                "leaf key and root pinned, each needed: breaks when one of them is replaced, "
                    + "\(isDateMinded ? "on or before" : "due by") \(date(inDays: 80)); no backup"
            ])
    }

    // MARK: What every list and every certificate needs

    @Test func aBackupForOneOfTwoListsIsNotEnough() async throws {
        func list(_ pins: [String]) -> String {
            pins.map { "<dict><key>SPKI-SHA256-BASE64</key><string>\($0.dropFirst(7))</string></dict>" }.joined()
        }
        let backup = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        let plist = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict>
            <key>NSPinnedDomains</key><dict><key>api.example.com</key><dict>
            <key>NSPinnedLeafIdentities</key><array>\(list([leaf.pin, backup]))</array>
            <key>NSPinnedCAIdentities</key><array>\(list([inter.pin]))</array>
            </dict></dict></dict></dict></plist>
            """
        try await TemporaryDirectory.scoped { files in
            let pins = try files.write(plist, to: "Info.plist")
            try await verify([leaf, inter], [pins], "--client", "nspinneddomains", "--min-pin-life", "2000d").expect(
                .fail, "no configured pin is sure to match after \(date(inDays: 1_500))",
                "backup: pin 2, but none for the intermediate")
        }
    }

    @Test func whereEveryCertificateIsPinnedOneSpareIsNoBackup() async throws {
        let spare = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
        try await verify(
            [leaf, inter], [leaf.pin, inter.pin, root.pin, spare], "--client", "afnetworking-2.5", "--min-pin-life",
            "200d"
        ).expect(.fail, "every key of the chain pinned: breaks at the next renewal")
    }
}

extension Certificate {
    fileprivate init(_ certificate: LabCertificate) throws {
        self = try CertificateReader.certificate(der: certificate.der)
    }
}
