import LoopbackLab
import PinCheckCLI
import Testing

/// App Transport Security of an app that is given decides for its clients, beside their pins. Its rules are proven by
/// `TransportSecurityTests`, its keys by `TransportSecurityReaderTests`.
@Suite(.endsSomeTime) struct TransportSecurityCommandTests {
    /// The same server with a key that static RSA needs.
    private static let leaf = try! pki.interA.issue(
        CertificateTemplate.leaf(StandardPKI.serverName).with {
            $0.serialNumber = [0x12, 0x35]
            $0.keyUsage = [.digitalSignature, .keyEncipherment]
        }, key: .shared(.rsa(bits: 2048), label: "ats"))

    private static func plist(_ body: String) -> String {
        "<plist version=\"1.0\"><dict><key>NSAppTransportSecurity</key><dict>\n\(body)\n</dict></dict></plist>\n"
    }

    private static func exception(_ keys: String, for name: String = "$HOST") -> String {
        plist("<key>NSExceptionDomains</key><dict><key>\(name)</key><dict>\(keys)</dict></dict>")
    }

    private static func least(_ version: String) -> String {
        "<key>NSExceptionMinimumTLSVersion</key><string>\(version)</string>"
    }

    private static let none = plist("")
    private static let off = plist("<key>NSAllowsArbitraryLoads</key><true/>")
    private static let narrowed = plist(
        "<key>NSAllowsArbitraryLoads</key><true/><key>NSAllowsLocalNetworking</key><false/>")
    private static let noForwardSecrecy = "<key>NSExceptionRequiresForwardSecrecy</key><false/>"
    private static let insecure = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"

    private static func server(_ change: (inout TLSServerSettings) -> Void = { _ in }) -> TLSServerSettings {
        TLSServerSettings(presenting: [leaf, pki.interA]).with(change)
    }

    private static let modern = server()
    private static let tls12 = server { $0.maximumVersion = .tls12 }
    private static let tls11 = server { $0.maximumVersion = .tls11 }
    private static let staticRSA = tls12.with { $0.cipherList = "kRSA:@SECLEVEL=0" }
    /// Prefers static RSA and has ECDHE too.
    private static let both = tls12.with {
        $0.cipherList = "AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0"
        $0.prefersOwnCiphers = true
    }

    private static let trusted = "pass trusted-without-pins"
    private static let old = "afnetworking --min-tls 1.0"

    /// A server, an Info.plist, the client with more arguments, and the decision.
    private static let connections: [(server: TLSServerSettings, info: String, client: String, decision: String)] =
        ["afnetworking", "alamofire", "trustkit", "nspinneddomains"].flatMap { client in
            let decision = client == "nspinneddomains" || client == "trustkit" ? "pass pins-not-applied" : trusted
            return [(modern, none, client, decision), (tls12, none, client, decision)]
        } + [
            (tls11, none, old, "fail ats-tls-version"), (tls11, exception(least("TLSv1.1")), old, trusted),
            (tls12, exception(least("TLSv1.3")), "afnetworking", "fail ats-tls-version"),
            (modern, exception(least("TLSv1.3")), "afnetworking", trusted),
            // Neither plain HTTP nor another host's entry lowers it.
            (tls11, exception(insecure), old, "fail ats-tls-version"),
            (tls11, exception(least("TLSv1.0"), for: "other.example.com"), old, "fail ats-tls-version"),
            (tls11, off, old, trusted), (tls11, narrowed, old, "fail ats-tls-version"),
            // What is no app of Apple's does not mind.
            (tls11, none, "curl --min-tls 1.0", trusted), (staticRSA, none, "curl", trusted),
            (staticRSA, none, "afnetworking", "fail ats-forward-secrecy"),
            (staticRSA, none, "afnetworking --request /", "fail ats-forward-secrecy"),
            (both, none, "afnetworking", "fail ats-forward-secrecy"),
            (both, none, "afnetworking --ciphers ECDHE", trusted),
            (staticRSA, none, "afnetworking --ciphers ECDHE", "unreachable offer-refused"),
            (staticRSA, exception(noForwardSecrecy), "afnetworking", trusted),
        ]

    @Test(arguments: connections.indices) func theConnectionIsHeldToTheEntryOfTheHost(index: Int) async throws {
        let (settings, info, client, decision) = Self.connections[index]
        try await Desk.serving(.tls(settings), ["Info.plist": info]) { desk, server in
            let outcome = await desk("CHECK --pins @Info.plist -f json --client \(client)").expect(decision)
            #expect(server.connections.count == 1)
            guard decision == "fail ats-forward-secrecy" else { return }
            outcome.says("offer ECDHE alone to settle it: --ciphers ECDHE", "known from Apple's documentation")
        }
    }

    @Test func theHostIsTheURLs() async throws {
        try await Desk.serving(.tls(Self.tls11)) { desk, _ in
            func outcome(_ plist: String, _ arguments: String = "") async throws -> Outcome {
                try desk.write(plist, to: "Info.plist")
                return await desk(
                    "https://$SERVER/ --host $HOST --anchors @root.pem --pins @Info.plist --min-tls 1.0 -f json"
                        + arguments)
            }
            // The name has an entry, the address does not.
            try await outcome(Self.exception(Self.least("TLSv1.0"))).expect("fail ats-tls-version")
            let entry = try await outcome(Self.exception(Self.least("TLSv1.0"), for: "127.0.0.0/8")).expect(.pass)
            let notes = try JSONValue(entry.output)["notes"].array.filter { $0["id"].text == "ats-exception-needed" }
            #expect(notes.count == 1)
            // Before iOS 17 addresses are left alone.
            try await outcome(Self.none, " --device ios-26").expect("fail ats-tls-version")
            try await outcome(Self.none, " --device ios-16").expect(.pass)
            try await outcome(Self.plist("<key>NSAllowsLocalNetworking</key><true/>")).expect(.pass)
        }
    }

    /// Judges a chain with an Info.plist and the pin of its leaf.
    private func verify(_ info: String?, _ arguments: String, device: String = "other", chain: [LabCertificate]? = nil)
        async throws -> Outcome
    {
        let desk = try Desk(["Info.plist": info ?? ""])
        let chain = chain ?? [pki.leaf, pki.interA]
        try desk.files.write(chain[0].der, to: "pin.cer")
        try desk.files.write(chain.map(\.pem).joined(), to: "chain.pem")
        let pins = "--pins @pin.cer" + (info == nil ? "" : " --pins @Info.plist")
        return await desk("verify @chain.pem --host $HOST -f json --anchors @\(device).pem \(pins) \(arguments)")
    }

    private let lenient = "--mode certificate --allow-invalid-certificates"

    @Test func whatTheSystemRefusesNeedsAnException() async throws {
        for (info, expected) in [
            (Self.none, "fail ats-exception-needed"),
            (Self.exception(Self.noForwardSecrecy), "fail ats-exception-needed"),
            (Self.exception(Self.insecure), "pass pin-matched"), (Self.off, "pass pin-matched"),
        ] {
            try await verify(info, lenient).expect(expected)
            // What the system takes by itself needs none.
            try await verify(info, lenient, device: "root").expect("pass pin-matched")
        }
        // A rejection by the client stays the client's.
        try await verify(Self.none, "--mode certificate", chain: [pki.leaf, pki.interA]).expect("fail unknown-issuer")
        try await verify(Self.none, "--client alamofire:accept-self-signed:evaluator=pinned-certificates").expect(
            "fail ats-exception-needed")
    }

    @Test func withoutAnInfoPlistThatIsANote() async throws {
        let noted = try await verify(nil, lenient).expect("pass pin-matched")
        let notes = try JSONValue(noted.output)["notes"].array.filter { $0["id"].text == "ats-exception-needed" }
        #expect(notes.count == 1)
        #expect(notes.first?["message"].text?.contains("NSExceptionAllowsInsecureHTTPLoads") == true)
        // No warning, which would change the exit status of a strict run.
        let strict = try await verify(nil, lenient + " --client alamofire:accept-self-signed --fail-on warn")
        #expect(!strict.errors.contains("ats-exception-needed"))
        try await verify(nil, lenient, device: "root").says(not: "ats-exception-needed")
    }

    @Test func keysDigestsAndTimestampsAreJudgedByTheEntry() async throws {
        let basic = "--no-validate-domain-name " + lenient
        func issue(_ key: LabKey? = nil, _ change: (inout CertificateTemplate) -> Void = { _ in }) throws
            -> [LabCertificate]
        {
            let template = CertificateTemplate.leaf(StandardPKI.serverName).with(change)
            return [try pki.interA.issue(template, key: key), pki.interA]
        }
        let short = try issue(.shared(.rsa(bits: 1024), label: "ats"))
        try await verify(Self.exception(Self.insecure), basic, device: "root", chain: short).expect("fail ats-weak-key")
        // The key lengths go with forward secrecy.
        let free = Self.exception(Self.insecure + Self.noForwardSecrecy)
        try await verify(free, basic, device: "root", chain: short).expect("pass pin-matched")
        try await verify(free, basic, device: "root", chain: issue { $0.digest = .sha1 }).expect(
            "fail ats-weak-signature")
        let asking = Self.exception("<key>NSRequiresCertificateTransparency</key><true/>")
        try await verify(asking, "--mode certificate", device: "root").expect("fail ats-too-few-scts")
        try await verify(asking.replacing("<true/>", with: "<false/>"), "--mode certificate", device: "root").expect(
            "pass pin-matched")
    }

    @Test func withoutAConnectionTheTraceSaysSo() async throws {
        let outcome = try await verify(Self.none, "", device: "root")
        let steps = try JSONValue(outcome.output)["checks"].array.filter { $0["id"].text?.hasPrefix("ats-") == true }
        let statuses = steps.map { "\($0["id"].text ?? "") \($0["status"].text ?? "")" }
        #expect(statuses == ["ats-tls skip", "ats-forward-secrecy skip", "ats-certificate pass", "ats-trust pass"])
    }

    @Test func whatWasAppliedIsListed() async throws {
        let info = Self.exception(Self.least("TLSv1.1") + Self.noForwardSecrecy + Self.insecure)
        try await Desk.serving(.tls(Self.tls12), ["Info.plist": info]) { desk, _ in
            let outcome = await desk("CHECK --pins @Info.plist --client afnetworking,trustkit -f json")
            let applied = try JSONValue(outcome.output)["pins"]["applied"][0]
            #expect(applied["kind"].text == "app-transport-security" && applied["hosts"].text == desk.expand("$HOST"))
            #expect(applied["clients"].array.map(\.text) == ["afnetworking", "trustkit"])
            #expect(applied["origin"].text?.hasSuffix("Info.plist:2") == true)
            #expect(
                applied["settings"].array.map(\.text) == [
                    "at least TLS 1.1", "no forward secrecy asked for", "the app may accept what the system refuses",
                ])
        }
    }

    @Test func whatIsWrongOrContradictsIsNoVerdict() async throws {
        try await verify(Self.plist("<key>NSAllowsArbitraryLoads</key><string>perhaps</string>"), "").expect(
            .data, errors: "Info.plist:2: 'NSAppTransportSecurity.NSAllowsArbitraryLoads' is not true or false")
        for client in ["afnetworking", "curl"] {
            try await desk(
                "VERIFY --pins @first.plist --pins @second.plist --client \(client)",
                ["first.plist": Self.none, "second.plist": Self.exception(Self.insecure)]
            ).expect(.data, errors: "two configurations cover \(StandardPKI.serverName): ")
        }
    }

    @Test func lintFindsWhatWeakensConnections() async throws {
        let weak = Self.plist(
            "<key>NSAllowsArbitraryLoads</key><true/><key>NSExceptionDomains</key><dict>\n"
                + "<key>a.example</key><dict>\(Self.least("TLSv1.0"))\(Self.noForwardSecrecy)\(Self.insecure)</dict></dict>"
        )
        try await desk("lint @weak.plist", ["weak.plist": weak]).says(
            "weak.plist:1: warning: NSAllowsArbitraryLoads switches App Transport Security off",
            "weak.plist:3: warning: the exception for a.example allows TLS 1.0, keys that ")
    }
}
