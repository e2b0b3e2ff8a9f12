import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Configurations of iOS apps and of React Native, which has another client on each system.
@Suite(.endsSomeTime) struct AppleConfigurationTests {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    private func bare(_ certificate: LabCertificate) -> String {
        SHA256Digest(bytes: certificate.publicKeySHA256)!.base64
    }

    /// Runs `verify` on a chain of the lab with a configuration.
    private func verify(
        _ configuration: String, client: String, host: String = StandardPKI.serverName, chain: [LabCertificate]? = nil,
        anchor: LabCertificate? = nil, isJSON: Bool = false
    ) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: chain ?? [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write((anchor ?? pki.rootA).pem, to: "anchors.pem")
            let source = try files.write(Array(configuration.utf8), to: "configuration")
            return await pincheck(
                ["verify", chain, "--anchors", anchors, "--pins", source, "--client", client, "--host", host]
                    + (isJSON ? ["--format", "json"] : []))
        }
    }

    private func nsPinnedDomains(_ host: String, leaf: [LabCertificate]?, authorities: [LabCertificate]?) -> String {
        func list(_ key: String, _ certificates: [LabCertificate]?) -> String {
            guard let certificates else { return "" }
            let identities = certificates.map { certificate in
                "<dict><key>SPKI-SHA256-BASE64</key><string>\(bare(certificate))</string></dict>"
            }
            return "<key>\(key)</key><array>\(identities.joined())</array>"
        }
        return """
            <plist version="1.0"><dict><key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict>
            <key>\(host)</key><dict><key>NSIncludesSubdomains</key><true/>
            \(list("NSPinnedLeafIdentities", leaf))\(list("NSPinnedCAIdentities", authorities))
            </dict></dict></dict></dict></plist>
            """
    }

    @Test func leafAndAuthorityIdentitiesMustBothMatch() async throws {
        func decision(_ leaf: [LabCertificate]?, _ authorities: [LabCertificate]?) async throws -> String {
            let plist = nsPinnedDomains("example.com", leaf: leaf, authorities: authorities)
            return try await verify(plist, client: "nspinneddomains", isJSON: true).decision
        }
        #expect(try await decision([pki.leaf], nil) == "pass pin-matched")
        #expect(try await decision(nil, [pki.interA]) == "pass pin-matched")
        #expect(try await decision([pki.leaf], [pki.rootA]) == "pass pin-matched")
        // Vectors 133 and 134.
        #expect(try await decision([pki.leaf], [pki.junk]) == "fail pin-mismatch")
        #expect(try await decision([], nil) == "fail pin-mismatch")
        // A leaf's pin is none of an authority.
        #expect(try await decision(nil, [pki.leaf]) == "fail pin-mismatch")
    }

    @Test func anAuthorityPinNeedsAnAuthorityOnThePath() async throws {
        // Vector 135: the leaf itself is the anchor.
        let plist = nsPinnedDomains("example.com", leaf: nil, authorities: [pki.interA])
        let outcome = try await verify(
            plist, client: "nspinneddomains", chain: [pki.leaf], anchor: pki.leaf, isJSON: true)
        #expect(outcome.decision == "fail pin-mismatch")
    }

    @Test func aHostTwoLabelsBelowIsNotPinned() async throws {
        // Vector 132.
        let leaf = try pki.interA.issue(.leaf("a.b.example.com"))
        let plist = nsPinnedDomains("example.com", leaf: [pki.junk], authorities: nil)
        let outcome = try await verify(
            plist, client: "nspinneddomains", host: "a.b.example.com", chain: [leaf, pki.interA])
        #expect(outcome.status == .pass)
        #expect(outcome.errors.contains("no configuration has an entry for a.b.example.com"))
    }

    private func trustKit(_ body: String) -> String { "{\"TSKPinnedDomains\": {\(body)}}" }

    private func hashes(_ certificates: LabCertificate...) -> String {
        "[" + certificates.map { "\"\(bare($0))\"" }.joined(separator: ", ") + "]"
    }

    @Test func trustKitTakesEnforcementAndExpirationFromItsConfiguration() async throws {
        func outcome(_ settings: String, isJSON: Bool = false) async throws -> Outcome {
            try await verify(
                trustKit("\"example.com\": {\"TSKIncludeSubdomains\": true, \(settings)}"), client: "trustkit",
                isJSON: isJSON)
        }
        // Vectors 93 to 96.
        let good = try await outcome("\"TSKPublicKeyHashes\": \(hashes(pki.leaf, pki.junk))")
        #expect(good.status == .pass, "\(good.output)\(good.errors)")
        let bad = "\"TSKPublicKeyHashes\": \(hashes(pki.rogue, pki.junk))"
        #expect(try await outcome(bad, isJSON: true).decision == "fail pin-mismatch")
        let expired = try await outcome(bad + ", \"TSKExpirationDate\": \"2001-01-01\"")
        #expect(expired.status == .pass)
        #expect(expired.output.contains("expired at 2001-01-01T00:00:00Z"))
        let lenient = try await outcome(bad + ", \"TSKEnforcePinning\": false")
        #expect(lenient.status == .pass)
        #expect(lenient.output.contains("which this client only reports"))
        #expect(lenient.output.contains("trustkit: for example.com and all names below it, not enforced"))
    }

    @Test func anExcludedSubdomainIsNotPinned() async throws {
        // Vector 100.
        let configuration = trustKit(
            "\"example.com\": {\"TSKIncludeSubdomains\": true, \"TSKPublicKeyHashes\": \(hashes(pki.rogue, pki.junk))}, "
                + "\"\(StandardPKI.serverName)\": {\"kSKExcludeSubdomainFromParentPolicy\": true}")
        let outcome = try await verify(configuration, client: "trustkit,afnetworking")
        #expect(outcome.status == .pass, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.contains("is exempt from pinning"))
    }

    @Test func reactNativeIsTrustKitOnAppleAndOkHttpOnAndroid() async throws {
        // Overlapping entries: OkHttp takes both, TrustKit the one for the name itself.
        let configuration = """
            {"example.com": {"includeSubdomains": true, "publicKeyHashes": \(hashes(pki.leaf, pki.junk))},
             "\(StandardPKI.serverName)": {"publicKeyHashes": \(hashes(pki.rogue, pki.junk))}}
            """
        let android = try await verify(configuration, client: "okhttp")
        #expect(android.status == .pass, "\(android.output)\(android.errors)")
        #expect(try await verify(configuration, client: "trustkit", isJSON: true).decision == "fail pin-mismatch")
        // One pin will do for OkHttp, and TrustKit throws.
        let single = "{\"\(StandardPKI.serverName)\": {\"publicKeyHashes\": \(hashes(pki.leaf))}}"
        #expect(try await verify(single, client: "okhttp").status == .pass)
        let refused = try await verify(single, client: "trustkit")
        #expect(refused.status == .data)
        #expect(refused.errors.contains("add a backup pin"))
    }

    @Test func clientsWithoutAConfigurationOfTheirOwnTakeThePinsOfTheHost() async throws {
        let configuration = """
            {"\(StandardPKI.serverName)": {"publicKeyHashes": \(hashes(pki.leaf))},
             "other.example.com": {"publicKeyHashes": \(hashes(pki.rogue))}}
            """
        let good = try await verify(configuration, client: "afnetworking,curl,okhttp")
        #expect(good.status == .pass, "\(good.output)\(good.errors)")
        #expect(good.output.contains("pins: 1 configured, 1 matched (leaf)"))
        let wrong = configuration.replacing(bare(pki.leaf), with: bare(pki.junk))
        #expect(try await verify(wrong, client: "afnetworking", isJSON: true).decision == "fail pin-mismatch")
    }

    @Test func aBrokenConfigurationIsADataErrorWithItsLine() async throws {
        let outcome = try await verify("{\"example.com\":\n {\"publicKeyHashes\": [\"AAAA\"]}}", client: "afnetworking")
        #expect(outcome.status == .data)
        #expect(outcome.errors.contains("configuration:2: "))
        #expect(outcome.errors.contains("has 3 bytes instead of 32"))
    }
}
