import LoopbackLab
import PinCheckCLI
import Testing

/// `pincheck pins` on configurations: what is in them, and what they become for another client.
@Suite(.endsSomeTime) struct ConversionCommandTests {
    /// Two pins for the lab's server and what is below it.
    private static let android = """
        <network-security-config>
            <domain-config>
                <domain includeSubdomains="true">$HOST</domain>
                <pin-set expiration="2040-06-01">
                    <pin digest="SHA-256">$LEAF64</pin>
                    <pin digest="SHA-256">$JUNK64</pin>
                </pin-set>
            </domain-config>
        </network-security-config>
        """

    @Test func aConfigurationIsShownHostByHost() async throws {
        try await Desk.open(["nsc.xml": Self.android]) { desk in
            let path = desk.files.path + "/nsc.xml"
            for line in ["pins @nsc.xml", "pins --from @nsc.xml"] {
                await desk(line).expect(
                    .pass,
                    starting: desk.expand(
                        "$HOST and all names below it   from \(path):3, until 2040-06-01\n"
                            + "  0 public-key (\(path):5)\n      $LEAF\n"))
            }
            await desk("pins -", input: Self.android).says("from standard input:3, until 2040-06-01")
        }
    }

    @Test(arguments: ["okhttp", "trustkit", "android"]) func whatAConfigurationBecomesIsPinsThatTheSameServerPasses(
        format: String
    ) async throws {
        try await Desk.open(["nsc.xml": Self.android]) { desk in
            let block = await desk("pins --from @nsc.xml -f \(format)").expect(.pass).output
            try desk.write(block, to: "block")
            await desk("VERIFY --pins @block").expect(.pass)
            try desk.write(block.replacing(desk.expand("$LEAF64"), with: desk.expand("$ROGUE64")), to: "block")
            await desk("VERIFY --pins @block").expect(.fail)
        }
    }

    /// What follows `pins`, how it ends, and what is written.
    @Test(
        arguments: [
            ("--from @nsc.xml -f okhttp", .pass, "    .add(\"**.$HOST\", "),
            ("--from @nsc.xml -f okhttp", .pass, "// Until 2040-06-01 only; "),
            ("--from @nsc.xml -f curl --host api.$HOST", .pass, "' 'https://api.$HOST/'\n"),
            (
                "--from @nsc.xml -f nspinned", .data,
                ":3: NSPinnedDomains cannot say $HOST and all names below it; list the hosts"
            ), ("--from @nsc.xml -f curl", .data, ":3: curl cannot name hosts; choose one with --host"),
            ("--from @nsc.xml -f tlsa", .usage, "a TLSA record is no pin that an app compares"),
            ("--from $LEAF --host $HOST -f okhttp", .pass, ".add(\"$HOST\", \"$LEAF\")"),
            ("--from $LEAF -f okhttp", .pass, ".add(\"your-host.example\", \"$LEAF\")"),
            ("--from sha256/AAAA", .data, "sha256/AAAA"), ("--from no-such-file.xml", .noInput, "no-such-file.xml"),
        ] as [(String, ExitStatus, String)]) func whatDecidesIsWrittenOrRefused(
            line: String, status: ExitStatus, words: String
        ) async throws
    {
        try await Desk.open(["nsc.xml": Self.android]) { desk in
            await desk("pins " + line).expect(status, told: desk.expand(words))
        }
    }

    @Test func severalSourcesAndABackupKeyBecomeOneConfiguration() async throws {
        let texts = [
            "a": "$HOST $LEAF\n", "b": "$HOST $JUNK\n", "two": "$HOST $LEAF\nb.example.com $LEAF\n",
            "backup.key": try StandardPKI.shared().junk.key.privateKeyPEM(),
        ]
        try await Desk.open(texts) { desk in
            let kotlin = await desk("pins --from @a --from @b -f okhttp").says(
                desk.expand(".add(\"$HOST\", \"$LEAF\")"), desk.expand(".add(\"$HOST\", \"$JUNK\")"))
            #expect(kotlin.output.ranges(of: "CertificatePinner.Builder()").count == 1)
            let plist = await desk("pins --from @a --from @b -f trustkit").output
            #expect(plist.ranges(of: desk.expand("<key>$HOST</key>")).count == 1)
            // A key is added to every host.
            let both = await desk("pins --from @two --key @backup.key -f trustkit").expect(.pass, errors: "")
            #expect(both.output.ranges(of: desk.expand("<string>$JUNK64</string>")).count == 2)
            await desk("pins --from @backup.key").expect(.data, not: "BEGIN")
        }
    }
}
