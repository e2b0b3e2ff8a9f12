import LoopbackLab
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct UsageTests {
    @Test func withoutArgumentsPrintsShortHelpAndEndsWith64() async {
        let outcome = await pincheck()
        #expect(outcome.status == .usage)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("Usage: pincheck TARGET"))
        #expect(outcome.errors.split(separator: "\n").count < 16)
    }

    @Test func versionNamesPincheckAndOpenSSL() async {
        let outcome = await pincheck("--version")
        #expect(outcome.status == .pass)
        #expect(outcome.output.hasPrefix("pincheck \(ProgramVersion.number) (OpenSSL 3."))
        #expect(outcome.output.hasSuffix(")\n"))
        #expect(await pincheck("check", "--version").output == outcome.output)
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["help"], ["help", "check"], ["check", "--help"], ["verify", "-h"], ["demo", "--help"],
    ]) func helpGoesToStandardOutputAndFitsATerminal(arguments: [String]) async {
        let outcome = await pincheck(arguments)
        #expect(outcome.status == .pass)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.lowercased().contains("usage: pincheck"))
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func helpWithACommandThereIsNotIsAMistake() async {
        for words in [["help", "lnt"], ["--help", "lnt"], ["-h", "lnt"]] {
            let outcome = await pincheck(words)
            #expect(outcome.status == .usage)
            #expect(outcome.output.isEmpty)
            #expect(outcome.errors == "Error: there is no command 'lnt': did you mean 'pincheck help lint'?\n")
        }
        let other = await pincheck("--help", "nosuch.example")
        #expect(other.status == .usage)
        #expect(other.errors == "Error: there is no command 'nosuch.example': 'pincheck --help' lists them\n")
        #expect(await pincheck("--help", "lint").status == .pass)
    }

    @Test func everyCommandsHelpBeginsWithExamples() async throws {
        for command in ["check", "verify"] {
            let help = await pincheck("help", command).output
            let example = try #require(help.firstRange(of: "  pincheck "))
            let usage = try #require(help.firstRange(of: "USAGE:"))
            #expect(example.lowerBound < usage.lowerBound)
        }
    }

    /// Mistakes on the command line: what is written, and what the one-line answer must hold.
    static let mistakes: [([String], String)] = [
        (["--foo"], "there is no option '--foo': 'pincheck help check' lists those there are"),
        (["host", "--json"], "there is no option '--json': did you mean '--format json'?"),
        (["lint", "--sarif"], "there is no option '--sarif': did you mean '--format sarif'?"),
        (
            ["lint", "Pins", "-f", "jsonl"],
            "--format 'jsonl' is a form of 'pincheck check': choose from text, json, github, junit, sarif"
        ),
        (
            ["snapshot", "host", "--anchors", "x"],
            "there is no option '--anchors': a snapshot judges nothing: 'pincheck diff FILE --anchors …'"
        ), (["host", "--tunnel", "x"], "there is no option '--tunnel': 'pincheck help check' lists those there are"),
        (["host", "--deviec", "x"], "there is no option '--deviec': did you mean '--device'?"),
        (["fetch", "-L", "https://h/"], "there is no option '-L': redirects are followed, each judged anew"),
        (
            ["fetch", "-C", "-", "https://h/"],
            "there is no option '-C': the same command goes on with what was interrupted"
        ), (["fetch", "-H", "A: b", "https://h/"], "there is no option '-H': did you mean '--header'?"),
        (["pins", "host", "-o", "x"], "there is no option '-o': the result goes to standard output: write '> FILE'"),
        (["host", "--cacert", "x"], "there is no option '--cacert': did you mean '--anchors'?"),
        (["host", "-x"], "there is no option '-x': did you mean '--proxy'?"),
        (["host", "--client", "okhtp"], "the client 'okhtp' is not known: did you mean 'okhttp'?"),
        (["host", "--format", "jsno"], "--format 'jsno' is unknown: did you mean 'json'?"),
        (["host", "--mode", "publickey"], "--mode 'publickey' is unknown: did you mean 'public-key'?"),
        (["host", "--key-types", "rsa,ecdas"], "--key-types 'ecdas' is unknown: did you mean 'ecdsa'?"),
        (["host", "--color", "alwasy"], "--color 'alwasy' is unknown: did you mean 'always'?"),
        (["pins", "host", "--format", "okhtp"], "--format 'okhtp' is unknown: did you mean 'okhttp'?"),
        (["pins", "host", "--position", "laef"], "--position 'laef' is unknown: did you mean 'leaf'?"),
        (["devices", "--format", "jsn"], "--format 'jsn' is unknown: did you mean 'json'?"),
        (
            ["chekc"],
            "there is no command 'chekc': did you mean 'pincheck check'? A host of that name is checked by 'pincheck check chekc'"
        ), (["check"], "no target is given"), (["verify"], "no <chain> is given: write 'pincheck verify <chain> "),
        (["verify", "a", "b"], "'b' is one argument too many: write 'pincheck verify "),
        ([""], "the target '' is empty"), (["host:0"], "a port is a number"), (["host:65536"], "a port is a number"),
        (["[::1"], "without ']'"), (["a\0b"], "control character"),
        (["host", "--sni", "192.0.2.1"], "is an address: TLS carries host names only"),
        (["host", "--sni", "[::1]"], "is an address: TLS carries host names only"),
        (["host", "--sni", ""], "--sni: the host name '' is empty"),
        (["host", "--sni", "a..b"], "--sni: the host name 'a..b' has an empty label"),
        (["host", "--sni", "a", "--no-sni"], "contradict each other"), (["host", "-4", "-6"], "contradict each other"),
        (["192.0.2.1", "-6"], "is not an address of the family asked for: ask for IPv4 or for any"),
        (["host", "--verify-name", ""], "--verify-name '' is empty"), (["host", "--host", ""], "names no host"),
        (["host", "--host", "a b"], "control character"),
        (["host", "--host", "a", "--header", "Host: b"], "contradict each other"),
        (["host", "--header", "Accept: */*"], "only 'Host: NAME' does"),
        (["host", "--header", "Host"], "only 'Host: NAME' does"),
        (["host", "--port", "0"], "--port '0' is not a number from 1 to 65535"),
        (["host", "--port", "https"], "--port 'https' is not a number"),
        (["host", "--timeout", "0"], "is not a time in seconds"),
        (["host", "--timeout=-1"], "is not a time in seconds"),
        (["host", "--timeout", "86401"], "is not a time in seconds"),
        (["host", "--timeout", "nan"], "is not a time in seconds"),
        (["host", "--timeout", "inf"], "is not a time in seconds"),
        (["host", "--timeout", "1e3"], "is not a time in seconds"),
        (["host", "--timeout", ""], "is not a time in seconds"),
        (["host", "--retries=-1"], "--retries '-1' is not a number from 0 to 100"),
        (["host", "--retries", "x"], "--retries 'x' is not a number from 0 to 100"),
        (["host", "--jobs", "0"], "--jobs '0' is not a number from 1"),
        (["host", "--min-tls", "1.4"], "is not a TLS version"),
        (["host", "--max-tls", "tls1.2"], "is not a TLS version"),
        (["host", "--min-tls", "1.3", "--max-tls", "1.2"], "the lowest TLS version, 1.3, is above the highest, 1.2"),
        (["host", "--alpn", "h2,"], "holds a name of no or of more than 255 bytes"),
        (["host", "--connect", ""], "names no host"), (["host", "--connect", "192.0.2.1:0"], "a port is a number"),
        (["host", "--resolve", "host:443"], "has too few parts"),
        (["host", "--resolve", "host:443:name"], "has no address in 'name'"),
        (["host", "--connect-to", "host:443:192.0.2.1"], "has not four parts"),
        (["host", "--resolve", "other:443:192.0.2.1"], "'other:443', which is not a target of this call"),
        (["host", "--connect", "host:8443:192.0.2.1"], "'host:8443', which is not a target of this call"),
        (["host", "--client", "netscape"], "the client 'netscape' is not known: choose from afnetworking"),
        (["host", "--mode", "both"], "--mode 'both' is unknown: choose from none, public-key, certificate"),
        (["host", "--and-system"], "the system's roots are to be added to anchors"),
        (["host", "--at", "yesterday"], "the time 'yesterday' is not understood"),
        (["host", "--format", "xml"], "--format 'xml' is unknown: choose from text, brief"),
        (["host", "--color", "pink"], "--color 'pink' is unknown: choose from auto, always, never"),
        (
            ["host", "--mode", "certificate", "--pins", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
            "mode certificate compares certificates"
        ), (["host", "--mode"], "--mode has no value: write '--mode <mode>'"),
    ]

    @Test(arguments: mistakes) func mistakesOnTheCommandLineEndWith64AndOneLine(arguments: [String], reason: String)
        async
    {
        let outcome = await pincheck(arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errors.hasPrefix("Error: ") && outcome.errors.count(where: \.isNewline) == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(isPlain(outcome.errors))
        #expect(!outcome.errors.contains("CommandError"))
    }

    @Test func aMistypedCommandIsNotLookedUp() async {
        let mistyped = await pincheck("chek", "api.example.com")
        #expect(mistyped.status == .usage)
        #expect(mistyped.errors.contains("did you mean 'pincheck check api.example.com'?"), "\(mistyped.errors)")
        let before = await pincheck("dem", "--connect", "127.0.0.1:1")
        #expect(before.status == .usage)
        #expect(before.errors.contains("did you mean 'pincheck demo --connect 127.0.0.1:1'?"), "\(before.errors)")
        let named = await pincheck("check", "dem", "--connect", "127.0.0.1:1")
        #expect(named.status == .unreachable && !named.errors.contains("did you mean"))
    }

    @Test func aTargetThatIsAFileIsToldWhatFilesAreFor() async throws {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write("", to: "leaf.pem")
            for command in [[path], ["check", path], ["snapshot", path]] {
                let outcome = await pincheck(command)
                #expect(outcome.status == .usage)
                #expect(outcome.errors.contains("is a file, not a host: 'pincheck verify' judges"), "\(outcome.errors)")
            }
        }
    }

    @Test func oneWordingSaysThatAFileIsMissing() async {
        for arguments in [
            ["verify", "/absent"], ["host", "--policy", "/absent"], ["host", "--baseline", "/absent"],
            ["host", "--pins", "/absent"], ["host", "--anchors", "/absent"], ["pins", "/absent"],
            ["pins", "--key", "/absent"], ["pins", "--from", "/absent"], ["diff", "/absent"], ["--targets", "/absent"],
            ["host", "--next", "/absent"], ["host", "--cert", "/absent"],
            ["host", "--device", "ios-12", "--device-data", "/absent"], ["host", "--addresses", "/absent"],
            ["host", "--extra-root", "/absent"], ["host", "--intermediate", "/absent"],
        ] {
            let outcome = await pincheck(arguments)
            #expect(outcome.status == .noInput, "\(arguments)")
            #expect(outcome.errors.contains(": there is no such file"), "\(arguments): \(outcome.errors)")
        }
    }

    @Test func theHelpNamesEveryCommandAndStatus() async {
        let short = await pincheck()
        for command in Command.all {
            #expect(short.errors.contains("pincheck \(command.name)") || command.name == "check")
        }
        let help = await pincheck("--help")
        #expect(
            help.output.contains("3 accepted with a warning")
                && help.output.contains("an error first, then 1, 5,\n4, 2, 3."))
    }

    @Test func wordsOfOthersForCommandsAreRecognised() async {
        let outcome = await pincheck("get", "https://127.0.0.1:1/")
        #expect(outcome.status == .usage)
        #expect(outcome.errors.contains("did you mean 'pincheck fetch https://127.0.0.1:1/'?"), "\(outcome.errors)")
    }

    @Test func aFileInThePlaceOfTheHostIsNoticed() async {
        // Tests run beside it.
        let outcome = await pincheck("verify", "api.example.com", "--host", "Package.swift")
        #expect(outcome.status == .noInput)
        #expect(
            outcome.errors.contains("'Package.swift' is one: write 'pincheck verify' with the file"),
            "\(outcome.errors)")
    }

    @Test func aPasswordInThePlaceOfAPortIsNotShown() async {
        let outcome = await pincheck(["api.example.com"], environment: ["HTTPS_PROXY": "http://user:SECRET"])
        #expect(outcome.status == .usage, "\(outcome)")
        #expect(
            outcome.errors.contains("has a port that is no number") && !outcome.errors.contains("SECRET"), "\(outcome)")
    }

    @Test func linesOfTheHelpAreNotBrokenTwice() async {
        let help = await pincheck("help").output
        #expect(
            help.contains("(--fail-on warn), 4 changed since a baseline, 5 not the document (fetch),\n64 usage, 65"),
            "\(help)")
    }

    @Test func echoesArgumentsWithoutTheirEscapeSequences() async {
        for arguments in [["--\u{1B}[31m"], ["\u{1B}]0;title\u{7}"], ["host", "--mode", "\u{202E}x\nError: fake"]] {
            let outcome = await pincheck(arguments)
            #expect(outcome.status == .usage)
            #expect(isPlain(outcome.errors))
            #expect(outcome.errors.contains("\\u{"))
        }
    }

    @Test(arguments: [
        ("/nonexistent/pins.cer", ExitStatus.noInput), ("sha256/short", .data),
        ("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .data),
    ]) func badPinsAreNeverAVerdict(source: String, status: ExitStatus) async throws {
        let root = try StandardPKI.shared().rootA
        let outcome = await pincheck(["verify", "-", "--pins", source], input: root.der)
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
    }
}
