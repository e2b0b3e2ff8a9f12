import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// Sources of pins as checks use them: requests, apps, curl's value, pipes.
@Suite(.timeLimit(.minutes(5))) struct PinSourceTests {
    @Test func aRequestIsAPublicKeyPinAndSaysSo() async throws {
        let request = pem(try pki.leaf.key.certificationRequest(for: "next"), label: "CERTIFICATE REQUEST")
        try await desk("VERIFY --pins @next.csr", ["next.csr": request]).expect(
            .pass, "  pin matched at depth 0", errors: "next.csr:1: a certificate request: its public key is pinned")
    }

    @Test(
        arguments: [
            ("sha256//$LEAF64 --client curl,okhttp", .pass, ""),
            ("sha256//$LEAF64 --pins $JUNK --client okhttp", .pass, "pins: 2 configured, 1 matched"),
            ("@junk.pub", .fail, "0 matched, 1 not in the chain"),
            // A hash that begins with a slash makes two of one.
            (
                "sha256/AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", .data,
                "curl takes it for the name of a file, finds none and ends with exit status 90"
            ), ("sha256//$LEAF64;", .data, ""), ("no-such-file", .noInput, ""),
            ("@blanks.pub --client curl", .data, "has blanks in the key, which curl does not pass over"),
        ] as [(String, ExitStatus, String)]) func curlsValueIsAPinBesideTheOthers(
            value: String, status: ExitStatus, words: String
        ) async throws
    {
        let text = Data(pki.leaf.key.publicKeyInfo).base64EncodedString()
        let texts = [
            "junk.pub": pki.junk.key.publicKeyPEM,
            "blanks.pub":
                "-----BEGIN PUBLIC KEY-----\n\(text.prefix(64)) \n\(text.dropFirst(64))\n-----END PUBLIC KEY-----\n",
        ]
        let outcome = try await desk("VERIFY --pinnedpubkey " + value, texts).expect(status)
        #expect(words.isEmpty || (outcome.output + outcome.errors).contains(words), "\(outcome)")
    }

    /// The certificates of an app's bundle, what follows, how it ends, and words of it.
    @Test(
        arguments: [
            // The right root under a name that only Alamofire takes, another root under one that both take.
            (["root.crt", "old.cer"], "--mode public-key --client alamofire", .pass, ""),
            (["root.crt", "old.cer"], "--mode public-key --client afnetworking", .fail, ""),
            (["root.crt", "old.cer"], "--mode public-key --client afnetworking-3", .fail, ""),
            (
                ["root.crt", "old.cer"], "--mode public-key --client afnetworking,alamofire", .fail,
                "App.app: loaded from the bundle by AFNetworking 4: 'old.cer'; AFNetworking 2 and 3: 'old.cer'; "
                    + "Alamofire: 'old.cer', 'root.crt'"
            ), (["root.crt"], "--client afnetworking", .fail, "AFNetworking 4: none"),
            (["root.cer"], "", .pass, "certificate"),
        ] as [([String], String, ExitStatus, String)]) func eachClientIsJudgedWithTheFilesItLoads(
            certificates: [String], arguments: String, status: ExitStatus, words: String
        ) async throws
    {
        let desk = try Desk(["App.app/Info.plist": "<plist><dict></dict></plist>"])
        for name in certificates {
            let certificate = name.hasPrefix("root") ? pki.rootA : pki.rootB
            try desk.files.write(certificate.der, to: "App.app/" + name)
        }
        let outcome = await desk("VERIFY --pins @App.app " + arguments).expect(status)
        #expect(words.isEmpty || (outcome.output + outcome.errors).contains(words), "\(outcome)")
    }

    @Test(arguments: [
        ("verify @pipe", ExitStatus.noInput), ("verify @chain.pem --anchors @pipe", .noInput),
        ("verify @chain.pem --pins @pipe", .data), ("verify @chain.pem --pinnedpubkey @pipe", .data),
    ]) func aPipeIntoWhichNobodyWritesDoesNotHang(line: String, status: ExitStatus) async throws {
        let desk = try Desk()
        try #require(mkfifo(desk.files.path + "/pipe", 0o600) == 0)
        await desk(line).expect(status, errors: "is a pipe without a writer")
    }
}

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
        let desk = try Desk(["nsc.xml": Self.android])
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

    @Test(arguments: ["okhttp", "trustkit", "android"]) func whatItBecomesIsPassed(format: String) async throws {
        let desk = try Desk(["nsc.xml": Self.android])
        let block = await desk("pins --from @nsc.xml -f \(format)").expect(.pass).output
        try desk.write(block, to: "block")
        await desk("VERIFY --pins @block").expect(.pass)
        try desk.write(block.replacing(desk.expand("$LEAF64"), with: desk.expand("$ROGUE64")), to: "block")
        await desk("VERIFY --pins @block").expect(.fail)
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
        let desk = try Desk(["nsc.xml": Self.android])
        await desk("pins " + line).expect(status, told: desk.expand(words))
    }

    @Test func severalSourcesAndABackupKeyBecomeOneConfiguration() async throws {
        let texts = [
            "a": "$HOST $LEAF\n", "b": "$HOST $JUNK\n", "two": "$HOST $LEAF\nb.example.com $LEAF\n",
            "backup.key": try StandardPKI.shared().junk.key.privateKeyPEM(),
        ]
        let desk = try Desk(texts)
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
