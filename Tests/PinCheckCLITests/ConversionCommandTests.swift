import LoopbackLab
import PinCheckCLI
import Pinning
import Testing

/// `pincheck pins` on configurations: what is in them, and what they become for another client.
@Suite(.endsSomeTime) struct ConversionCommandTests {
    private let pki: StandardPKI
    private let a: String
    private let b: String

    init() throws {
        pki = try .shared()
        a = SHA256Digest(bytes: pki.leaf.publicKeySHA256)!.base64
        b = SHA256Digest(bytes: pki.junk.publicKeySHA256)!.base64
    }

    /// Two pins for the lab's server and what is below it.
    private var android: String {
        """
        <network-security-config>
            <domain-config>
                <domain includeSubdomains="true">\(StandardPKI.serverName)</domain>
                <pin-set expiration="2040-06-01">
                    <pin digest="SHA-256">\(a)</pin>
                    <pin digest="SHA-256">\(b)</pin>
                </pin-set>
            </domain-config>
        </network-security-config>
        """
    }

    @Test func aConfigurationIsShownHostByHost() async throws {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write(android, to: "network_security_config.xml")
            for arguments in [["pins", path], ["pins", "--from", path]] {
                let outcome = await pincheck(arguments).expect(.pass)
                let lines = outcome.output.split(separator: "\n").map(String.init)
                try #require(lines.count > 2)
                #expect(
                    lines[0] == "\(StandardPKI.serverName) and all names below it   from \(path):3, until 2040-06-01")
                #expect(lines[1] == "  0 public-key (\(path):5)")
                #expect(lines[2] == "      sha256/\(a)")
            }
            await pincheck("pins", "-", input: Array(android.utf8)).says("from standard input:3, until 2040-06-01")
        }
    }

    @Test(arguments: ["okhttp", "trustkit", "android"]) func whatAConfigurationBecomesIsPinsThatTheSameServerPasses(
        format: String
    ) async throws {
        try await TemporaryDirectory.scoped { files in
            let source = try files.write(android, to: "network_security_config.xml")
            let block = await pincheck("pins", "--from", source, "--format", format).expect(.pass)
            let chain = try files.write(pem(of: [pki.leaf, pki.interA]), to: "chain.pem")
            let anchors = try files.write(pki.rootA.pem, to: "anchors.pem")
            func status(_ text: String) async throws -> ExitStatus {
                let pins = try files.write(text, to: "pins")
                return await pincheck([
                    "verify", chain, "--anchors", anchors, "--pins", pins, "--host", StandardPKI.serverName,
                ]).status
            }
            #expect(try await status(block.output) == .pass)
            let other = SHA256Digest(bytes: pki.rogue.publicKeySHA256)!
            let wrong = block.output.replacing(a, with: other.base64)
            #expect(try await status(wrong) == .fail)
        }
    }

    @Test(
        arguments: [
            (["okhttp"], .pass, "    .add(\"**.NAME\", "), (["okhttp"], .pass, "// Until 2040-06-01 only; "),
            (["curl", "--host", "api.NAME"], .pass, "' 'https://api.NAME/'\n"),
            (["nspinned"], .data, ":3: NSPinnedDomains cannot say NAME and all names below it; list the hosts"),
            (["curl"], .data, ":3: curl cannot name hosts; choose one with --host"),
            (["tlsa"], .usage, "a TLSA record is no pin that an app compares"),
        ] as [([String], ExitStatus, String)]) func whatDecidesIsWrittenOrRefused(
            format: [String], status: ExitStatus, text: String
        ) async throws
    {
        try await TemporaryDirectory.scoped { files in
            let source = try files.write(android, to: "network_security_config.xml")
            let outcome = await pincheck(["pins", "--from", source, "--format"] + named(format)).expect(status)
            #expect((outcome.output + outcome.errors).contains(named([text])[0]), "\(outcome.output)\(outcome.errors)")
        }
    }

    private func named(_ texts: [String]) -> [String] {
        texts.map { $0.replacing("NAME", with: StandardPKI.serverName) }
    }

    @Test func aBackupKeyIsAddedToEveryHostOfAConfiguration() async throws {
        try await TemporaryDirectory.scoped { files in
            let list = try files.write("a.example.com sha256/\(a)\nb.example.com sha256/\(a)\n", to: "list")
            let key = try files.write(pki.junk.key.privateKeyPEM(), to: "backup.key")
            let outcome = await pincheck("pins", "--from", list, "--key", key, "--format", "trustkit").expect(
                .pass, errors: "")
            #expect(outcome.output.split(separator: "<string>\(b)</string>").count == 3)
        }
    }

    @Test func severalSourcesBecomeOneConfiguration() async throws {
        try await TemporaryDirectory.scoped { files in
            let list = try files.write("api.example.com sha256/\(a)\n", to: "list")
            let more = try files.write("api.example.com sha256/\(b)\n", to: "more")
            let kotlin = await pincheck("pins", "--from", list, "--from", more, "--format", "okhttp").says(
                ".add(\"api.example.com\", \"sha256/\(a)\")", ".add(\"api.example.com\", \"sha256/\(b)\")")
            #expect(kotlin.output.split(separator: "CertificatePinner.Builder()").count == 2)
            let plist = await pincheck("pins", "--from", list, "--from", more, "--format", "trustkit")
            #expect(plist.output.split(separator: "<key>api.example.com</key>").count == 2)
        }
    }

    @Test func pinsWithoutAHostTakeTheOneThatIsGiven() async throws {
        await pincheck("pins", "--from", "sha256/\(a)", "--host", "api.example.com", "--format", "okhttp").says(
            ".add(\"api.example.com\", \"sha256/\(a)\")")
        await pincheck("pins", "--from", "sha256/\(a)", "--format", "okhttp").says(
            ".add(\"your-host.example\", \"sha256/\(a)\")")
    }

    @Test func aSourceThatCannotBeReadEndsAsItDoesInACheck() async throws {
        #expect(await pincheck("pins", "--from", "sha256/AAAA").status == .data)
        #expect(await pincheck("pins", "--from", "no-such-file.xml").status == .noInput)
        try await TemporaryDirectory.scoped { files in
            let key = try files.write(pki.junk.key.privateKeyPEM(), to: "backup.key")
            await pincheck("pins", "--from", key).expect(.data, not: "BEGIN")
        }
    }
}
