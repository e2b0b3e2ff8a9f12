import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// App Transport Security of an app that is given decides for its clients, beside their pins.
@Suite(.endsSomeTime) struct TransportSecurityCommandTests {
    let pki: StandardPKI
    private let host = StandardPKI.serverName
    /// The same server with a key that static RSA needs.
    private let leaf: LabCertificate

    init() throws {
        pki = try .shared()
        leaf = try pki.interA.issue(
            CertificateTemplate.leaf(StandardPKI.serverName).with {
                $0.serialNumber = [0x12, 0x35]
                $0.keyUsage = [.digitalSignature, .keyEncipherment]
            }, key: .shared(.rsa(bits: 2048), label: "ats"))
    }

    private func plist(_ body: String) -> String {
        "<plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict>\n\(body)\n</dict></dict></plist>\n"
    }

    private func exception(_ keys: String, for name: String? = nil) -> String {
        plist("<key>NSExceptionDomains</key><dict><key>\(name ?? host)</key><dict>\(keys)</dict></dict>")
    }

    private let noForwardSecrecy = "<key>NSExceptionRequiresForwardSecrecy</key><false/>"
    private let insecure = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
    private func least(_ version: String) -> String {
        "<key>NSExceptionMinimumTLSVersion</key><string>\(version)</string>"
    }

    /// Checks a server with an Info.plist beside the pin of its root, which the device trusts.
    private func check(
        _ settings: TLSServerSettings, _ plist: String, client: String = "afnetworking", _ arguments: [String] = []
    ) async throws -> (outcome: Outcome, connections: Int) {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let info = try files.write(plist, to: "Info.plist")
            return try await LoopbackServer.serving(.tls(settings)) { server in
                let outcome = await pincheck(
                    [host, "--connect", "127.0.0.1:\(server.port)", "--anchors", anchors, "--pins", info] + [
                        "--client", client, "--format", "json",
                    ] + arguments)
                return (outcome, server.connections.count)
            }
        }
    }

    private func server(_ change: (inout TLSServerSettings) -> Void = { _ in }) -> TLSServerSettings {
        TLSServerSettings(presenting: [leaf, pki.interA]).with(change)
    }

    private var tls12: TLSServerSettings { server { $0.maximumVersion = .tls12 } }
    private var staticRSA: TLSServerSettings {
        server {
            $0.maximumVersion = .tls12
            $0.cipherList = "kRSA:@SECLEVEL=0"
        }
    }
    /// Prefers static RSA and has ECDHE too.
    private var both: TLSServerSettings {
        server {
            $0.maximumVersion = .tls12
            $0.cipherList = "AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
            $0.prefersOwnCiphers = true
        }
    }

    // MARK: The connection

    @Test(arguments: ["afnetworking", "alamofire", "trustkit", "nspinneddomains"]) func aModernServerIsTaken(
        _ client: String
    ) async throws {
        for settings in [server(), tls12] {
            let (outcome, connections) = try await check(settings, plist(""), client: client)
            #expect(outcome.status == .pass, "\(outcome)")
            #expect(connections == 1)
        }
    }

    @Test func theVersionIsTheOneThatTheEntryNames() async throws {
        let old = server { $0.maximumVersion = .tls11 }
        let offer = ["--min-tls", "1.0"]
        #expect(try await check(old, plist(""), offer).outcome.decision == "fail ats-tls-version")
        #expect(try await check(old, exception(least("TLSv1.1")), offer).outcome.status == .pass)
        #expect(try await check(tls12, exception(least("TLSv1.3"))).outcome.decision == "fail ats-tls-version")
        #expect(try await check(server(), exception(least("TLSv1.3"))).outcome.status == .pass)
        // Neither plain HTTP nor another host's entry lowers it.
        #expect(try await check(old, exception(insecure), offer).outcome.decision == "fail ats-tls-version")
        let other = exception(least("TLSv1.0"), for: "other.example.com")
        #expect(try await check(old, other, offer).outcome.decision == "fail ats-tls-version")
        let off = plist("<key>NSAllowsArbitraryLoads</key><true/>")
        #expect(try await check(old, off, offer).outcome.status == .pass)
        let narrowed = plist("<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><false/>")
        #expect(try await check(old, narrowed, offer).outcome.decision == "fail ats-tls-version")
        // What is no app of Apple's does not mind.
        #expect(try await check(old, plist(""), client: "curl", offer).outcome.status == .pass)
    }

    @Test func theNegotiatedSuiteDecidesAboutForwardSecrecy() async throws {
        let rows: [(TLSServerSettings, String, [String], String)] = [
            (staticRSA, plist(""), [], "fail ats-forward-secrecy"),
            (staticRSA, plist(""), ["--request", "/"], "fail ats-forward-secrecy"),
            (both, plist(""), [], "fail ats-forward-secrecy"),
            (both, plist(""), ["--ciphers", "ECDHE"], "pass trusted-without-pins"),
            (staticRSA, plist(""), ["--ciphers", "ECDHE"], "unreachable offer-refused"),
            (staticRSA, exception(noForwardSecrecy), [], "pass trusted-without-pins"),
        ]
        #expect(try await check(staticRSA, plist(""), client: "curl").outcome.decision == "pass trusted-without-pins")
        for (settings, plist, arguments, decision) in rows {
            let (outcome, connections) = try await check(settings, plist, arguments)
            #expect(outcome.decision == decision && connections == 1, "\(arguments): \(outcome)")
            guard decision == "fail ats-forward-secrecy" else { continue }
            #expect(outcome.output.contains("offer ECDHE alone to settle it: --ciphers ECDHE"), "\(outcome)")
            #expect(outcome.output.contains("known from Apple's documentation"))
        }
    }

    // MARK: The chain

    /// Judges a chain with an Info.plist, against roots of the device.
    private func verify(
        _ chain: [LabCertificate], _ plist: String?, roots: [LabCertificate], _ arguments: [String], name: String? = nil
    ) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(pem(of: chain), to: "chain.pem")
            let anchors = try files.write(pem(of: roots), to: "anchors.pem")
            let info = try plist.map { ["--pins", try files.write($0, to: "Info.plist")] } ?? []
            let pin = try files.write(chain[0].der, to: "pin.cer")
            return await pincheck(
                ["verify", path, "--anchors", anchors, "--host", name ?? host, "--format", "json", "--pins", pin] + info
                    + arguments)
        }
    }

    @Test func whatTheSystemRefusesNeedsAnException() async throws {
        let chain = [pki.leaf, pki.interA]
        let lenient = ["--mode", "certificate", "--allow-invalid-certificates"]
        for (info, expected) in [
            (plist(""), "fail ats-exception-needed"), (exception(noForwardSecrecy), "fail ats-exception-needed"),
            (exception(insecure), "pass pin-matched"),
            (plist("<key>NSAllowsArbitraryLoads</key><true/>"), "pass pin-matched"),
        ] {
            #expect(try await verify(chain, info, roots: [pki.rootB], lenient).decision == expected, "\(info)")
            // What the system takes by itself needs none.
            #expect(try await verify(chain, info, roots: [pki.rootA], lenient).decision == "pass pin-matched")
        }
        // A rejection by the client stays the client's.
        try await verify([pki.rogue, pki.rogueI], plist(""), roots: [pki.rootA], ["--mode", "certificate"]).expect(
            "fail unknown-issuer")
        let alamofire = ["--client", "alamofire:accept-self-signed:evaluator=pinned-certificates"]
        #expect(
            try await verify(chain, plist(""), roots: [pki.rootB], alamofire).decision == "fail ats-exception-needed")
    }

    @Test func withoutAnInfoPlistThatIsANote() async throws {
        let lenient = ["--mode", "certificate", "--allow-invalid-certificates"]
        let noted = try await verify([pki.leaf, pki.interA], nil, roots: [pki.rootB], lenient).expect(
            "pass pin-matched")
        let notes = try JSONValue(noted.output)["notes"].array.filter { $0["id"].text == "ats-exception-needed" }
        #expect(notes.count == 1)
        #expect(notes.first?["message"].text?.contains("NSExceptionAllowsInsecureHTTPLoads") == true)
        // No warning, which would change the exit status of a strict run.
        try await verify(
            [pki.leaf, pki.interA], nil, roots: [pki.rootB],
            lenient + ["--client", "alamofire:accept-self-signed", "--fail-on", "warn"]
        ).says(not: "ats-exception-needed")
        try await verify([pki.leaf, pki.interA], nil, roots: [pki.rootA], lenient).says(not: "ats-exception-needed")
    }

    @Test func keysAndDigestsAreJudgedWhereThePolicyIsBasic() async throws {
        let basic = ["--no-validate-domain-name", "--mode", "certificate", "--allow-invalid-certificates"]
        let short = try pki.interA.issue(.leaf(host), key: .shared(.rsa(bits: 1024), label: "ats"))
        let chain = [short, pki.interA]
        #expect(try await verify(chain, exception(insecure), roots: [pki.rootA], basic).decision == "fail ats-weak-key")
        // The key lengths go with forward secrecy.
        let free = exception(insecure + noForwardSecrecy)
        #expect(try await verify(chain, free, roots: [pki.rootA], basic).decision == "pass pin-matched")
        let old = try pki.interA.issue(CertificateTemplate.leaf(host).with { $0.digest = .sha1 })
        #expect(
            try await verify([old, pki.interA], free, roots: [pki.rootA], basic).decision == "fail ats-weak-signature")
    }

    @Test func certificateTransparencyIsAskedForByTheEntry() async throws {
        let asking = exception("<key>NSRequiresCertificateTransparency</key><true/>")
        let chain = [pki.leaf, pki.interA]
        try await verify(chain, asking, roots: [pki.rootA], ["--mode", "certificate"]).expect("fail ats-too-few-scts")
        let not = asking.replacing("<true/>", with: "<false/>")
        #expect(
            try await verify(chain, not, roots: [pki.rootA], ["--mode", "certificate"]).decision == "pass pin-matched")
    }

    @Test func withoutAConnectionTheTraceSaysSo() async throws {
        let outcome = try await verify([pki.leaf, pki.interA], plist(""), roots: [pki.rootA], [])
        let steps = try JSONValue(outcome.output)["checks"].array.filter { $0["id"].text?.hasPrefix("ats-") == true }
        let statuses = steps.map { "\($0["id"].text ?? "") \($0["status"].text ?? "")" }
        #expect(statuses == ["ats-tls skip", "ats-forward-secrecy skip", "ats-certificate pass", "ats-trust pass"])
    }

    // MARK: The host of the URL

    @Test func theHostIsTheURLs() async throws {
        try await TemporaryDirectory.scoped { files in
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let old = server { $0.maximumVersion = .tls11 }
            try await LoopbackServer.serving(.tls(old)) { server in
                func outcome(_ plist: String, _ arguments: [String] = []) async throws -> Outcome {
                    let info = try files.write(plist, to: "Info.plist")
                    return await pincheck(
                        ["https://127.0.0.1:\(server.port)/", "--host", host, "--anchors", anchors, "--pins", info] + [
                            "--min-tls", "1.0", "--format", "json",
                        ] + arguments)
                }
                // The name has an entry, the address does not.
                #expect(try await outcome(exception(least("TLSv1.0"))).decision == "fail ats-tls-version")
                let entry = try await outcome(exception(least("TLSv1.0"), for: "127.0.0.0/8")).expect(.pass)
                let notes = try JSONValue(entry.output)["notes"].array.filter {
                    $0["id"].text == "ats-exception-needed"
                }
                #expect(notes.count == 1)
                // Before iOS 17 addresses are left alone.
                #expect(try await outcome(plist(""), ["--device", "ios-26"]).decision == "fail ats-tls-version")
                #expect(try await outcome(plist(""), ["--device", "ios-16"]).status == .pass)
                let local = plist("<key>NSAllowsLocalNetworking</key><true/>")
                #expect(try await outcome(local).status == .pass)
            }
        }
    }

    // MARK: Reports and bad input

    @Test func whatWasAppliedIsListed() async throws {
        let info = exception(least("TLSv1.1") + noForwardSecrecy + insecure)
        let (outcome, _) = try await check(tls12, info, client: "afnetworking,trustkit")
        let applied = try JSONValue(outcome.output)["pins"]["applied"][0]
        #expect(applied["kind"].text == "app-transport-security")
        #expect(applied["hosts"].text == host)
        #expect(applied["clients"].array.map(\.text) == ["afnetworking", "trustkit"])
        #expect(applied["origin"].text?.hasSuffix("Info.plist:2") == true)
        #expect(
            applied["settings"].array.map(\.text) == [
                "at least TLS 1.1", "no forward secrecy asked for", "the app may accept what the system refuses",
            ])
    }

    @Test func aPropertyListThatIsWrongIsNoVerdict() async throws {
        let wrong = plist("<key>NSAllowsArbitraryLoads</key><string>perhaps</string>")
        try await verify([pki.leaf, pki.interA], wrong, roots: [pki.rootA], []).expect(
            .data, errors: "Info.plist:2: 'NSAppTransportSecurity.NSAllowsArbitraryLoads' is not true or false")
    }

    @Test func twoThatDisagreeAreRefused() async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let first = try files.write(plist(""), to: "first.plist")
            let second = try files.write(exception(insecure), to: "second.plist")
            for client in ["afnetworking", "curl"] {
                await pincheck("verify", chain, "--host", host, "--pins", first, "--pins", second, "--client", client)
                    .expect(.data, errors: "two configurations cover \(host): ")
            }
        }
    }

    @Test func lintFindsWhatWeakensConnections() async throws {
        try await TemporaryDirectory.scoped { files in
            let weak = plist(
                "<key>NSAllowsArbitraryLoads</key><true/><key>NSExceptionDomains</key><dict>\n"
                    + "<key>a.example</key><dict>\(least("TLSv1.0"))\(noForwardSecrecy)\(insecure)</dict></dict>")
            let output = await pincheck("lint", try files.write(weak, to: "weak.plist")).output
            #expect(
                output.contains("weak.plist:1: warning: NSAllowsArbitraryLoads switches App Transport Security off"))
            #expect(output.contains("weak.plist:3: warning: the exception for a.example allows TLS 1.0, keys that "))
        }
    }
}
