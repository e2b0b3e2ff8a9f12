import Base
import LoopbackLab
import Testing
@testable import PinCheckCLI
@testable import PinChecking
import TLSProbe

/// What people read fits their terminal: no line is wider, and no hash is broken.
@Suite(.timeLimit(.minutes(5))) struct TerminalWidthTests {
    private static let host = "api.mobile-backend.example.com"
    private static let widths = [80, 100, 120]

    /// A chain whose names are as long as those of public authorities, and one of a company in Beijing.
    private struct World {
        let root: LabCertificate
        let issuer: LabCertificate
        let leaf: LabCertificate
        let other: LabCertificate
        let chinese: LabCertificate

        init() throws {
            func name(_ common: String, _ organization: String) -> DistinguishedName {
                DistinguishedName(commonName: common, organization: organization)
            }
            root = try .selfSigned(.authority(name("Example Global Root Authority G2", "Example Trust Services LLC")))
            issuer = try root.issue(
                .authority(name("Example Global G2 TLS RSA SHA256 2020 CA1", "Example Trust Services LLC")))
            leaf = try issuer.issue(.leaf(TerminalWidthTests.host))
            other = try issuer.issue(.leaf(TerminalWidthTests.host))
            chinese = try issuer.issue(
                .leaf(
                    subject: DistinguishedName([.init(.organization, Array("北京某某移动互联网科技有限公司".utf8))]),
                    names: [GeneralName(TerminalWidthTests.host)]))
        }
    }

    /// Runs a command line at every width, and looks at every line.
    private func expectFitting(
        _ arguments: [String], input: [UInt8] = [], sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let wide = await pincheck(arguments, input: input, columns: 2_000)
        // A table has as much of a hash as there is room for.
        #expect(!(wide.output + wide.errors).isEmpty, sourceLocation: sourceLocation)
        for columns in Self.widths {
            let outcome = await pincheck(arguments, input: input, columns: columns).expect(wide.status)
            for text in [outcome.output, outcome.errors] {
                for line in text.split(separator: "\n") where TerminalText.cells(line) > columns {
                    Issue.record("wider than \(columns): \(line)", sourceLocation: sourceLocation)
                }
                #expect(!text.contains(" \n"), sourceLocation: sourceLocation)
            }
            #expect(hashes(in: outcome) == hashes(in: wide), "\(outcome.output)", sourceLocation: sourceLocation)
        }
    }

    /// The whole hashes of a text, in base64 and in hexadecimal digits.
    private func hashes(in outcome: Outcome) -> [String] {
        let words = (outcome.output + outcome.errors).split { " \n\"',;".contains($0) }
        return words.filter { word in
            (word.utf8.count >= 44 && word.hasSuffix("=")) || (word.utf8.count == 64 && word.allSatisfy(\.isHexDigit))
        }.map(String.init)
    }

    private func scoped(
        _ body: (_ world: World, _ files: TemporaryDirectory, _ chain: String, _ trust: [String]) async throws -> Void
    ) async throws {
        let world = try World()
        let files = try TemporaryDirectory()
        let chain = try files.write(world.leaf.pem + world.issuer.pem, to: "chain.pem")
        let anchors = try files.write(world.root.pem, to: "anchors.pem")
        try await body(world, files, chain, ["--host", Self.host, "--anchors", anchors])
    }

    @Test func aChainWithLongNamesFits() async throws {
        try await scoped { world, files, chain, trust in
            let base = ["verify", chain] + trust
            for pins in [[], ["--pins", world.leaf.pin], ["--pins", world.other.pin]] {
                for form in [[], ["--explain"]] { await expectFitting(base + pins + form) }
            }
            await pincheck(base + ["--pins", world.leaf.pin], columns: 80).says(
                "\n  1 intermediate  Example Global G2 TLS", "(anchors)", "…  ← pin 1\n", not: "O=Example Trust")
            await pincheck(base + ["--explain"], columns: 80).says("O=Example Trust")
        }
    }

    @Test func aNameInChineseTakesTwoCellsACharacter() async throws {
        try await scoped { world, files, _, trust in
            let chain = try files.write(world.chinese.pem + world.issuer.pem, to: "chinese.pem")
            for form in [[], ["--explain"], ["--pins", world.leaf.pin]] {
                await expectFitting(["verify", chain] + trust + form)
            }
            let outcome = await pincheck(["verify", chain] + trust, columns: 120)
            let table = outcome.output.split(separator: "\n").filter { $0.contains("  EC P-256") }
            #expect(table.count == 3, "\(outcome.output)")
            let columns = table.map { line in
                line.firstRange(of: "  EC P-256").map { TerminalText.cells(line[..<$0.lowerBound]) }
            }
            #expect(Set(columns).count == 1, "\(outcome.output)")
        }
    }

    @Test func manyPinsFit() async throws {
        try await scoped { world, files, chain, trust in
            let strangers = try (0..<12).map { _ in try world.issuer.issue(.leaf("stranger.example")).pin }
            let pins = (strangers.prefix(6) + [world.leaf.pin] + strangers.suffix(6)).flatMap { ["--pins", $0] }
            for form in [[], ["--explain"]] { await expectFitting(["verify", chain] + trust + pins + form) }
            await expectFitting(["verify", chain] + trust + strangers.flatMap { ["--pins", $0] })
            await pincheck(["verify", chain] + trust + pins).says("\n  pin 7: ", "; --explain lists all 13\n")
            await pincheck(["verify", chain] + trust + pins + ["--explain"]).says(
                "\n    pin  7  \(world.leaf.pin)  --pins\n")
        }
    }

    @Test func severalClientsAndDevicesFit() async throws {
        try await scoped { world, files, chain, trust in
            let data = try DeviceLists.write(DeviceLists.lab(StandardPKI.shared()), in: files)
            let several = [
                ["--client", "okhttp,curl,android:expires=2030-01-01,trustkit:no-enforce,afnetworking"],
                [
                    "--device", "all", "--device-data", data, "--client",
                    "afnetworking,okhttp,android:user-roots,alamofire",
                ],
            ]
            for arguments in several {
                for pin in [world.leaf.pin, world.other.pin] {
                    for form in [[], ["--explain"]] {
                        await expectFitting(["verify", chain] + trust + ["--pins", pin] + arguments + form)
                    }
                }
            }
        }
    }

    @Test func theTableOfAThoroughCheckFits() async throws {
        try await scoped { world, files, _, trust in
            try await LoopbackServer.serving(.presenting([world.leaf, world.issuer]), address: "127.0.0.2") { first in
                let stale = ServerBehavior.presenting([world.other, world.issuer])
                try await LoopbackServer.serving(stale, address: "127.0.0.3", port: first.port) { _ in
                    let target = ["\(Self.host):\(first.port)", "--anchors", trust[3]]
                    let variants = ["--connect", "127.0.0.2", "--connect", "127.0.0.3", "--thorough"]
                    await expectFitting(target + variants + ["--pins", world.leaf.pin])
                    let baseline = files.path + "/baseline.json"
                    _ = await pincheck(["snapshot", target[0], "--connect", "127.0.0.2", "-o", baseline])
                    await expectFitting(["diff", baseline, target[0], "--connect", "127.0.0.3"])
                    await expectFitting(["pins"] + target + ["--connect", "127.0.0.2"])
                }
            }
        }
    }

    @Test func aRowOfTheTableHasAsMuchRoomAsAnIPv6AddressTakes() throws {
        var reports: [Report] = []
        let variants: [Variant] = [
            .ordinary, .keyType(.rsa), .keyType(.ecdsa), .keyType(.ed25519), .withoutSNI, .withSNI,
        ]
        for variant in variants {
            var report = RendererTests.passing()
            report.endpoint?.address = "2001:db8:1234:5678:9abc:def0:1234:5678"
            report.variant = variant
            reports.append(report)
        }
        reports[5].consistency = AddressComparison(addresses: 1, verdicts: Array(repeating: .accepted, count: 4))
        for columns in Self.widths {
            let text = TextRenderer(
                style: TextStyle(.never, isTerminal: true, environment: [:]), explains: false,
                layout: TextLayout(columns: columns, wraps: true))
            var renderer = TextResultRenderer(text: text)
            let lines = renderer.text(for: reports).split(separator: "\n")
            #expect(lines.allSatisfy { TerminalText.cells($0) <= columns }, "\(lines)")
            #expect(lines.contains { $0.hasSuffix("✓ A       ✓ A  ✓ A    ✓ A      ✓ A       ✓ A") }, "\(lines)")
            #expect(lines.last == "PASS  api.example.com:443  1 address, accepted; consistent")
        }
    }

    @Test(arguments: [["clients"], ["devices"], ["devices", "ios-17"], ["lint", "--rules"], ["demo"]]) func listsFit(
        arguments: [String]
    ) async {
        let hasFreshKeys = arguments == ["demo"]
        guard hasFreshKeys else { return await expectFitting(arguments) }
        for columns in [nil] + Self.widths {
            let outcome = await pincheck(arguments, columns: columns).expect(.pass)
            let wide = outcome.output.split(separator: "\n").filter { TerminalText.cells($0) > columns ?? 80 }
            #expect(wide.isEmpty, "\(wide)")
            #expect(outcome.output.contains(#"--mode certificate"#))
        }
    }

    @Test func pinsAndFindingsFit() async throws {
        try await scoped { world, files, chain, _ in
            let key = try files.write(world.other.pem, to: "other.pem")
            await expectFitting(["pins", chain])
            await expectFitting(["lint", chain, key])
        }
    }

    @Test func aReasonIsOneLineWhereNobodyReadsAtATerminal() async throws {
        try await scoped { world, _, chain, trust in
            let arguments =
                ["verify", chain] + trust + ["--pins", world.other.pin, "--client", "okhttp,curl,afnetworking"]
            let outcome = await pincheck(arguments)
            let verdict = outcome.output.split(separator: "\n").last.map(String.init) ?? ""
            #expect(verdict.hasPrefix("FAIL  \(chain)  afnetworking, okhttp: no configured pin"))
            #expect(verdict.hasSuffix("; also rejected by curl"))
            let table = outcome.output.split(separator: "\n").filter { $0.contains("  EC P-256") }
            #expect(table.allSatisfy { TerminalText.cells($0) <= 80 }, "\(outcome.output)")
        }
    }
}
