@testable import PinChecking
import Foundation
import LoopbackLab
import Pinning
import Testing

@testable import PinCheckCLI

/// What the platform of a client decides, as command lines show it.
@Suite struct PlatformCommandTests {
    let pki: StandardPKI
    let host = StandardPKI.serverName

    init() throws { pki = try .shared() }

    private func lasting(_ days: Int64) throws -> LabCertificate {
        try pki.interA.issue(
            CertificateTemplate.leaf(host).valid(
                from: LabClock.now - LabClock.day, to: LabClock.now + (days - 1) * LabClock.day))
    }

    /// Verifies a chain whose root is given as `--anchors`.
    private func verify(
        _ chain: [LabCertificate], files: [(String, LabCertificate)] = [], _ arguments: (TemporaryDirectory) -> [String]
    ) async throws -> Outcome {
        try await TemporaryDirectory.scoped { directory in
            let presented = try directory.write(chain.map(\.pem).joined(), to: "chain.pem")
            let root = try directory.write(pki.rootA.pem, to: "root.pem")
            for (name, certificate) in files { _ = try directory.write(certificate.der, to: name) }
            let words = ["verify", presented, "--host", host, "--anchors", root] + arguments(directory)
            return await pincheck(words)
        }
    }

    @Test func everyEntryNamesThePlatformOfItsProcedure() throws {
        let pins = PinSet(
            [UInt8(7), 8].map { byte in
                Pin(.publicKey(SHA256Digest(bytes: [UInt8](repeating: byte, count: 32))!), origin: "test")
            })
        for entry in Client.all {
            let client = try ConfiguredClient(
                ClientInput(client: entry, afSecurityPolicy: AFSecurityPolicy(mode: .none), pins: pins))
            let platform = try client.procedure.get().platform?.family
            #expect(platform == entry.platform, "\(entry.name)")
        }
    }

    @Test func aLeafThatLivesTooLongIsRefusedByAppleAndTheWayOutIsNamed() async throws {
        let leaf = try lasting(900)
        let outcome = try await verify([leaf, pki.interA]) { _ in ["--client", "afnetworking", "--format", "json"] }
        #expect(outcome.decision == "fail lifetime-too-long")
        let report = try JSONValue(outcome.output)
        let message = try #require(report["reason"]["message"].text)
        #expect(message.contains("is valid for 900 days, more than 825 (a rule of Apple's platforms)"))
        let text = try await verify([leaf, pki.interA]) { _ in ["--client", "afnetworking"] }
        #expect((text.output + text.errors).contains("--client okhttp or curl"), "\(text.output)\(text.errors)")
        let others = try await verify([leaf, pki.interA]) { _ in ["--client", "okhttp,curl,generic"] }
        #expect(others.status == .pass)
        let all = try await verify([leaf, pki.interA]) { _ in ["--client", "afnetworking,okhttp", "--format", "json"] }
        #expect(all.decision == "fail lifetime-too-long")
        let every = try await verify([leaf, pki.interA]) { _ in ["--client", "all", "--format", "json"] }
        #expect(
            every.output.components(separatedBy: "the reason is a rule of Apple's platforms").count == 2,
            "once for all clients of a platform")
    }

    @Test func aRootOnApplesListIsASystemRootWhereverItIsFrom() async throws {
        // No leaf can be issued below a real root, so the root stands for one: without a purpose, as all of them are.
        let data = DeviceData.builtIn
        let device = try #require(data.devices.last { $0.platform == .apple })
        let listed = try #require(data.roots(of: device).first)
        let unlisted = try LabCertificate.selfSigned(
            CertificateTemplate.authority("Look-alike").with { $0.keyUsage = nil }
        ).der
        for (root, decision) in [(listed, "fail no-server-auth"), (unlisted, "pass trusted-without-pins")] {
            try await TemporaryDirectory.scoped { directory in
                let file = try directory.write(root, to: "root.cer")
                let outcome = await pincheck(
                    "verify", file, "--anchors", file, "--client", "afnetworking", "--format", "json")
                #expect(outcome.decision == decision, "\(outcome.output)")
            }
        }
    }

    @Test func aMissingIntermediateIsTakenFromAFileWhereItWouldBeFetched() async throws {
        let leaf = try pki.interA.issue(.leaf(host).withIssuerPlaces(["http://ca.example/inter.cer"]))
        let without = try await verify([leaf]) { _ in ["--client", "afnetworking"] }
        #expect(without.status == .fail)
        #expect(
            (without.output + without.errors).contains(
                "would be fetched from http://ca.example/inter.cer; give it with --intermediate FILE"),
            "\(without.output)\(without.errors)")
        let files = [("inter.cer", pki.interA)]
        func given(_ directory: TemporaryDirectory) -> [String] { ["--intermediate", "\(directory.path)/inter.cer"] }
        let outcome = try await verify([leaf], files: files) {
            given($0) + ["--format", "json", "--client", "afnetworking"]
        }
        #expect(outcome.decision == "pass trusted-without-pins")
        #expect(outcome.output.contains("intermediate-not-presented"))
        let okHttp = try await verify([leaf], files: files) { given($0) + ["--format", "json", "--client", "okhttp"] }
        #expect(okHttp.decision == "fail unknown-issuer")
        // A certificate that says nothing of where its issuer is leaves nothing to fetch.
        let mute = try await verify([pki.leaf], files: files) {
            given($0) + ["--format", "json", "--client", "afnetworking"]
        }
        #expect(mute.decision == "fail unknown-issuer")
    }

    @Test func thatServerGatedCryptoDoesNotCountIsSaidInWords() async throws {
        let leaf = try pki.interA.issue(
            CertificateTemplate.leaf(host).with { $0.extendedKeyUsage = [OID.netscapeServerGatedCrypto] })
        let outcome = try await verify([leaf, pki.interA]) { _ in ["--client", "curl"] }
        let words =
            "may not be used for TLS servers: its extended key usage names Server Gated Crypto, a relic of export rules, "
            + "and not serverAuth\n"
        #expect(outcome.status == .fail && outcome.output.hasSuffix(words), "\(outcome)")
        // OpenSSL itself has no such rule.
        #expect(!(outcome.output + outcome.errors).contains("a rule of OpenSSL"), "\(outcome)")
    }

    @Test func anIntermediateThatIsGivenAndNotUsedIsSaidToBe() async throws {
        let placed = try pki.interA.issue(.leaf(host).withIssuerPlaces(["http://ca.example/inter.cer"]))
        let files = [("inter.cer", pki.interA), ("other.cer", pki.rootB)]
        let start = "  hint: --intermediate gives the issuer, but it was not used "
        let end = ": the chain must hold its intermediate\n"
        let worlds: [(leaf: LabCertificate, file: String, client: String, words: String)] = [
            (pki.leaf, "inter", "afnetworking", start + "(no AIA: no device would fetch it)" + end),
            (pki.leaf, "inter", "okhttp", start + "(no AIA: no device would fetch it)" + end),
            (placed, "inter", "okhttp", start + "(Android would not fetch it)" + end),
            (placed, "inter", "curl", start + "(OpenSSL would not fetch it)" + end),
            (placed, "inter", "okhttp,curl", start + "(Android would not fetch it)" + end),
            (placed, "other", "afnetworking", "  hint: what --intermediate gives is not its issuer" + end),
        ]
        for (leaf, file, client, words) in worlds {
            let outcome = try await verify([leaf], files: files) { directory in
                ["--client", client, "--intermediate", "\(directory.path)/\(file).cer"]
            }
            #expect(outcome.status == .fail && outcome.output.contains(words), "\(client), \(file): \(outcome)")
        }
        // It is not advised where it would be of no use either.
        for (leaf, client) in [(pki.leaf, "afnetworking"), (placed, "okhttp")] {
            let outcome = try await verify([leaf]) { _ in ["--client", client] }
            #expect(outcome.output.contains("  hint: the chain must hold its intermediate\n"), "\(outcome)")
        }
        let advised = try await verify([placed]) { _ in ["--client", "afnetworking,okhttp"] }
        #expect(
            advised.output.contains(
                "  hint: the chain must hold its intermediate (--intermediate FILE judges the chain with it)\n"),
            "\(advised)")
    }

    @Test func anIntermediateThatCannotBeReadIsNoVerdict() async throws {
        let missing = try await verify([pki.leaf]) { ["--intermediate", "\($0.path)/absent.cer"] }
        #expect(missing.status == .noInput)
        let damaged = try await verify([pki.leaf]) { directory in
            _ = try? directory.write("no certificate", to: "text.cer")
            return ["--intermediate", "\(directory.path)/text.cer"]
        }
        #expect(damaged.status == .data)
        #expect(damaged.errors.contains("intermediate certificates"))
    }

    @Test func theNextCertificateIsHeldToTheLimitsAndARequestHasNone() async throws {
        let leaf = try lasting(900)
        func next(_ content: [UInt8], _ client: String) async throws -> Outcome {
            try await TemporaryDirectory.scoped { directory in
                let root = try directory.write(pki.rootA.pem, to: "root.pem")
                let file = try directory.write(content, to: "next")
                return await pincheck([
                    "check", "--next", file, "--host", host, "--anchors", root, "--pins", leaf.pin, "--client", client,
                    "--format", "json",
                ])
            }
        }
        try await next(leaf.der, "afnetworking").expect(.fail, "lifetime-too-long")
        try await next(leaf.der, "okhttp").expect(.pass)
        let request = try leaf.key.certificationRequest(for: "next")
        try await next(request, "afnetworking").expect(.pass)
    }
}
