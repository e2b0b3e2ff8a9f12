import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// Configurations as sources of pins: each client takes from its own what it would, for the host at hand.
@Suite(.endsSomeTime) struct ConfigurationTests {
    let pki: StandardPKI

    init() throws { pki = try .shared() }

    private func bare(_ certificate: LabCertificate) -> String {
        SHA256Digest(bytes: certificate.publicKeySHA256)!.base64
    }

    /// Runs `verify` on the lab's good chain with a configuration.
    private func verify(
        _ name: String, _ configuration: String, client: String, host: String? = StandardPKI.serverName,
        _ arguments: String...
    ) async throws -> Outcome {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let source = try files.write(Array(configuration.utf8), to: name)
            let fixed = ["verify", chain, "--anchors", anchors, "--pins", source, "--client", client]
            return await pincheck(fixed + (host.map { ["--host", $0] } ?? []) + arguments)
        }
    }

    private func decided(_ name: String, _ configuration: String, client: String) async throws -> String {
        try await verify(name, configuration, client: client, "--format", "json").decision
    }

    @Test func okHttpTakesTheUnionOfAllPatternsThatCoverTheHost() async throws {
        let source = """
            val pinner = CertificatePinner.Builder()
                .add("\(StandardPKI.serverName)", "sha256/\(bare(pki.junk))") // the old one
                .add("*.example.com", "sha256/\(bare(pki.leaf))")
                .build()
            """
        let outcome = try await verify("Net.kt", source, client: "okhttp")
        #expect(outcome.status == .pass, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("pins: 2 configured, 1 matched (leaf)"))
        #expect(outcome.output.contains("okhttp: for *.example.com"))
        #expect(outcome.output.contains("Net.kt:3"))
        let wrong = source.replacing(bare(pki.leaf), with: bare(pki.rogue))
        let mismatch = try await verify("Net.kt", wrong, client: "okhttp", "--format", "json")
        #expect(mismatch.decision == "fail pin-mismatch")
    }

    private func android(_ body: String) -> String {
        "<network-security-config>\n\(body)\n</network-security-config>\n"
    }

    private func pinSet(_ certificate: LabCertificate, _ attributes: String = "") -> String {
        "<pin-set\(attributes)><pin digest=\"SHA-256\">\(bare(certificate))</pin></pin-set>"
    }

    @Test func androidFailsOpenAfterTheExpirationAndForExemptAnchors() async throws {
        let domain = "<domain>\(StandardPKI.serverName)</domain>"
        let bad = android("<domain-config>\(domain)\(pinSet(pki.junk))</domain-config>")
        #expect(try await decided("nsc.xml", bad, client: "android") == "fail pin-mismatch")
        // Vector 128: another host is not concerned.
        let other = android("<domain-config><domain>other.example.com</domain>\(pinSet(pki.junk))</domain-config>")
        let unaffected = try await verify("nsc.xml", other, client: "android")
        #expect(unaffected.status == .pass)
        #expect(unaffected.errors.contains("no configuration has an entry for"))
        // Vector 126.
        let expired = android(
            "<domain-config>\(domain)\(pinSet(pki.junk, " expiration=\"2001-01-01\""))</domain-config>")
        let open = try await verify("nsc.xml", expired, client: "android")
        #expect(open.status == .pass)
        #expect(open.output.contains("the pin set expired at 2001-01-01T00:00:00Z"))
        // Vector 127: the resource lies beside the file.
        let anchors = "<trust-anchors><certificates src=\"@raw/anchors\" overridePins=\"true\"/></trust-anchors>"
        let exempt = android("<domain-config>\(domain)\(pinSet(pki.junk))\(anchors)</domain-config>")
        let overridden = try await verify("nsc.xml", exempt, client: "android")
        #expect(overridden.status == .pass, "\(overridden.errors)")
        #expect(overridden.output.contains("overridePins"))
    }

    @Test func nestedDomainConfigsTakeOverWhatTheyDoNotSay() async throws {
        // Vector 129.
        let nested = android(
            """
            <domain-config><domain includeSubdomains="true">example.com</domain>\(pinSet(pki.leaf))
            <domain-config cleartextTrafficPermitted="false"><domain>\(StandardPKI.serverName)</domain></domain-config>
            </domain-config>
            """)
        let outcome = try await verify("nsc.xml", nested, client: "android,curl")
        #expect(outcome.status == .pass, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.output.contains("nsc.xml:3"))
        let own = nested.replacing("</domain></domain-config>", with: "</domain>\(pinSet(pki.junk))</domain-config>")
        #expect(try await decided("nsc.xml", own, client: "android") == "fail pin-mismatch")
    }
}
