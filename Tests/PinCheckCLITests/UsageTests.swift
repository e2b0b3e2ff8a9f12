import ArgumentParser
import LoopbackLab
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct UsageTests {
    @Test func withoutArgumentsPrintsShortHelpAndEndsWith64() async {
        let outcome = await pincheck()
        #expect(outcome.status == .usage)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains("Usage: pincheck TARGET"))
        #expect(outcome.errors.split(separator: "\n").count < 14)
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
    ])
    func helpGoesToStandardOutputAndFitsATerminal(arguments: [String]) async {
        let outcome = await pincheck(arguments)
        #expect(outcome.status == .pass)
        #expect(outcome.errors.isEmpty)
        #expect(outcome.output.contains("USAGE: pincheck"))
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
        (["--foo"], "Unknown option '--foo'"),
        (["check"], "no target is given"),
        (["verify"], "Missing expected argument '<chain>'"),
        (["verify", "a", "b"], "Unexpected argument 'b'"),
        ([""], "the target '' is empty"),
        (["host:0"], "a port is a number"),
        (["host:65536"], "a port is a number"),
        (["[::1"], "without ']'"),
        (["a\0b"], "control character"),
        (["host", "--sni", "192.0.2.1"], "is an address: TLS carries host names only"),
        (["host", "--sni", "[::1]"], "is an address: TLS carries host names only"),
        (["host", "--sni", ""], "--sni: the host name '' is empty"),
        (["host", "--sni", "a..b"], "--sni: the host name 'a..b' has an empty label"),
        (["host", "--sni", "a", "--no-sni"], "contradict each other"),
        (["host", "-4", "-6"], "contradict each other"),
        (["192.0.2.1", "-6"], "is no address of the family that -6 asks for"),
        (["host", "--verify-name", ""], "--verify-name '' is empty"),
        (["host", "--host", ""], "names no host"),
        (["host", "--host", "a b"], "control character"),
        (["host", "--host", "a", "--header", "Host: b"], "contradict each other"),
        (["host", "--header", "Accept: */*"], "only 'Host: NAME' does"),
        (["host", "--header", "Host"], "only 'Host: NAME' does"),
        (["host", "--port", "0"], "a port is a number"),
        (["host", "--port", "https"], "a port is a number"),
        (["host", "--timeout", "0"], "is no time in seconds"),
        (["host", "--timeout=-1"], "is no time in seconds"),
        (["host", "--timeout", "86401"], "is no time in seconds"),
        (["host", "--timeout", "nan"], "is no time in seconds"),
        (["host", "--timeout", "inf"], "is no time in seconds"),
        (["host", "--timeout", "1e3"], "is no time in seconds"),
        (["host", "--timeout", ""], "is no time in seconds"),
        (["host", "--retries=-1"], "--retries '-1' is no number from 0 to 100"),
        (["host", "--retries", "x"], "--retries 'x' is no number from 0 to 100"),
        (["host", "--jobs", "0"], "--jobs '0' is no number from 1"),
        (["host", "--min-tls", "1.4"], "is no TLS version"),
        (["host", "--max-tls", "tls1.2"], "is no TLS version"),
        (["host", "--min-tls", "1.3", "--max-tls", "1.2"], "--min-tls 1.3 is above --max-tls 1.2"),
        (["host", "--alpn", "h2,"], "holds a name of no or of more than 255 bytes"),
        (["host", "--connect", ""], "names no host"),
        (["host", "--connect", "192.0.2.1:0"], "a port is a number"),
        (["host", "--resolve", "host:443"], "has too few parts"),
        (["host", "--resolve", "host:443:name"], "has no address in 'name'"),
        (["host", "--connect-to", "host:443:192.0.2.1"], "has not four parts"),
        (["host", "--resolve", "other:443:192.0.2.1"], "'other:443', which is no target of this call"),
        (["host", "--connect", "host:8443:192.0.2.1"], "'host:8443', which is no target of this call"),
        (["host", "--client", "netscape"], "the client 'netscape' is not known: choose from afnetworking"),
        (["host", "--mode", "both"], "--mode 'both' is unknown: choose from none, public-key, certificate"),
        (["host", "--and-system"], "--and-system adds the system's roots to --anchors"),
        (["host", "--at", "yesterday"], "the time 'yesterday' is not understood"),
        (["host", "--format", "xml"], "--format 'xml' is unknown: choose from text, json"),
        (["host", "--color", "pink"], "--color 'pink' is unknown: choose from auto, always, never"),
        (
            ["host", "--mode", "certificate", "--pins", "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="],
            "--mode certificate compares certificates"
        ),
        (["host", "--mode"], "Missing value for '--mode <mode>'"),
    ]

    @Test(arguments: mistakes)
    func mistakesOnTheCommandLineEndWith64AndOneLine(arguments: [String], reason: String) async {
        let outcome = await pincheck(arguments)
        #expect(outcome.status == .usage)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
        #expect(outcome.errors.contains(reason), "\(outcome.errors)")
        #expect(isPlain(outcome.errors))
        #expect(!outcome.errors.contains("CommandError"))
    }

    @Test func aMistypedCommandIsNotLookedUp() async {
        let mistyped = await pincheck("chek", "api.example.com")
        #expect(mistyped.status == .usage)
        #expect(mistyped.errors.contains("did you mean 'pincheck check api.example.com'?"), "\(mistyped.errors)")
        // Before options it may be a host of the local network.
        let host = await pincheck("dem", "--connect", "127.0.0.1:1")
        #expect(host.status == .unreachable)
        #expect(host.errors.contains("did you mean 'pincheck demo …'?"), "\(host.errors)")
        let named = await pincheck("check", "dem", "--connect", "127.0.0.1:1")
        #expect(named.status == .unreachable && !named.errors.contains("did you mean"))
    }

    @Test func theHelpNamesEveryCommandAndStatus() async {
        let short = await pincheck()
        for command in RootCommand.commands {
            #expect(
                short.errors.contains("pincheck \(command.configuration.commandName ?? "")")
                    || command == CheckCommand.self
            )
        }
        let help = await pincheck("--help")
        #expect(
            help.output.contains("3 accepted with a warning") && help.output.contains("an error first, then 1, 4, 2, 3")
        )
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
        ("/nonexistent/pins.cer", ExitStatus.noInput),
        ("sha256/short", .data),
        ("sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", .data),
    ])
    func badPinsAreNeverAVerdict(source: String, status: ExitStatus) async throws {
        let root = try StandardPKI.shared().rootA
        let outcome = await pincheck(["verify", "-", "--pins", source], input: root.der)
        #expect(outcome.status == status)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("Error: "))
    }
}
