import LoopbackLab
import PinCheckCLI
import Testing

/// Files with two clients of one kind: what one of them would accept says nothing of the other.
@Suite(.endsSomeTime) struct TwoVariantsTests {
    let pki: StandardPKI
    private let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    @Test func twoSourcesOfPinnersAreNotAddedUp() async throws {
        func kotlin(_ certificate: LabCertificate) -> [UInt8] {
            Array("val p = CertificatePinner.Builder().add(\"\(host)\", \"\(certificate.pin)\").build()\n".utf8)
        }
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let base = ["verify", chain, "--anchors", anchors, "--client", "okhttp", "--host", host]
            let debug = try files.write(kotlin(pki.junk), to: "DebugNet.kt")
            let release = try files.write(kotlin(pki.leaf), to: "ReleaseNet.kt")
            let outcome = await pincheck(base + ["--pins", debug, "--pins", release])
            #expect(outcome.status == .data && outcome.output.isEmpty)
            #expect(outcome.errors.contains("\(release):1: a second source with a pinner, beside \(debug):1"))
            let list = try files.write(Array("\(host) \(pki.junk.pin)\n".utf8), to: "more.txt")
            #expect(await pincheck(base + ["--pins", release, "--pins", list]).status == .data)
        }
    }

    @Test func whatWasUnderstoodOfASourceIsShownToBePasted() async throws {
        try await TemporaryDirectory.scoped { files in
            let text = "val p = CertificatePinner.Builder().add(\"\(host)\", \"\(pki.leaf.pin)\", SPARE).build()\n"
            let source = try files.write(Array(text.utf8), to: "Net.kt")
            for command in [["verify", source, "--pins", source], ["pins", "--from", source]] {
                let outcome = await pincheck(command)
                #expect(outcome.status == .data)
                #expect(
                    outcome.errors.hasSuffix("these were understood:\n# \(host) \(pki.leaf.pin)\n"), "\(outcome.errors)"
                )
            }
        }
    }

    @Test func whatOnlyDebuggableBuildsReadIsNoWarning() async throws {
        let pins = [pki.leaf, pki.junk].map { "<pin digest=\"SHA-256\">\($0.pin.dropFirst(7))</pin>" }.joined()
        let text =
            "<network-security-config><domain-config><domain>\(host)</domain><pin-set>\(pins)</pin-set></domain-config>"
            + "<debug-overrides><trust-anchors><certificates src=\"user\"/></trust-anchors></debug-overrides>"
            + "</network-security-config>"
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            let source = try files.write(Array(text.utf8), to: "nsc.xml")
            let outcome = await pincheck([
                "verify", chain, "--anchors", anchors, "--pins", source, "--client", "android", "--host", host,
                "--fail-on", "warn",
            ])
            #expect(outcome.status == .pass, "\(outcome)")
            #expect(outcome.errors.isEmpty && outcome.output.contains("<debug-overrides> is for debuggable builds"))
        }
    }
}
