import LoopbackLab
import Testing

@testable import PinCheckCLI

@Suite(.endsSomeTime) struct UsageTests {
    @Test func withoutArgumentsPrintsShortHelpAndEndsWith64() async {
        let outcome = await pincheck().expect(.usage, "", errors: "Usage: pincheck TARGET")
        #expect(outcome.errors.split(separator: "\n").count < 16)
    }

    @Test func versionNamesPincheckAndOpenSSL() async {
        let outcome = await pincheck("--version").expect(
            .pass, ending: ")\n", starting: "pincheck \(ProgramVersion.number) (OpenSSL 3.")
        #expect(await pincheck("check", "--version").output == outcome.output)
    }

    @Test(arguments: [
        ["--help"], ["-h"], ["help"], ["help", "check"], ["check", "--help"], ["verify", "-h"], ["demo", "--help"],
    ]) func helpGoesToStandardOutputAndFitsATerminal(arguments: [String]) async {
        let outcome = await pincheck(arguments).expect(.pass, errors: "")
        #expect(outcome.output.lowercased().contains("usage: pincheck"))
        #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    }

    @Test func helpWithACommandThereIsNotIsAMistake() async {
        for words in [["help", "lnt"], ["--help", "lnt"], ["-h", "lnt"]] {
            let outcome = await pincheck(words).expect(.usage, "")
            #expect(outcome.errors == "Error: there is no command 'lnt': did you mean 'pincheck help lint'?\n")
        }
        let other = await pincheck("--help", "nosuch.example").expect(.usage)
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

    @Test func aMistypedCommandIsNotLookedUp() async {
        await pincheck("chek", "api.example.com").expect(
            .usage, errors: "did you mean 'pincheck check api.example.com'?")
        await pincheck("dem", "--connect", "127.0.0.1:1").expect(
            .usage, errors: "did you mean 'pincheck demo --connect 127.0.0.1:1'?")
        await pincheck("check", "dem", "--connect", "127.0.0.1:1").expect(.unreachable, not: "did you mean")
    }

    @Test func aTargetThatIsAFileIsToldWhatFilesAreFor() async throws {
        try await TemporaryDirectory.scoped { files in
            let path = try files.write("", to: "leaf.pem")
            for command in [[path], ["check", path], ["snapshot", path]] {
                await pincheck(command).expect(.usage, errors: "is a file, not a host: 'pincheck verify' judges")
            }
        }
    }

    @Test func theHelpNamesEveryCommandAndStatus() async {
        let short = await pincheck()
        for command in Command.all {
            #expect(short.errors.contains("pincheck \(command.name)") || command.name == "check")
        }
        await pincheck("--help").says("3 accepted with a warning", "an error first, then 1, 5,\n4, 2, 3.")
    }

    @Test func wordsOfOthersForCommandsAreRecognised() async {
        await pincheck("get", "https://127.0.0.1:1/").expect(
            .usage, errors: "did you mean 'pincheck fetch https://127.0.0.1:1/'?")
    }

    @Test func aFileInThePlaceOfTheHostIsNoticed() async {
        // Tests run beside it.
        await pincheck("verify", "api.example.com", "--host", "Package.swift").expect(
            .noInput, errors: "'Package.swift' is one: write 'pincheck verify' with the file")
    }

    @Test func aPasswordInThePlaceOfAPortIsNotShown() async {
        await pincheck(["api.example.com"], environment: ["HTTPS_PROXY": "http://user:SECRET"]).expect(
            .usage, errors: "has a port that is no number", not: "SECRET")
    }

    @Test func linesOfTheHelpAreNotBrokenTwice() async {
        let help = await pincheck("help").output
        #expect(
            help.contains("(--fail-on warn), 4 changed since a baseline, 5 not the document (fetch),\n64 usage, 65"),
            "\(help)")
    }

    @Test func echoesArgumentsWithoutTheirEscapeSequences() async {
        for arguments in [["--\u{1B}[31m"], ["\u{1B}]0;title\u{7}"], ["host", "--mode", "\u{202E}x\nError: fake"]] {
            let outcome = await pincheck(arguments).expect(.usage, errors: "\\u{")
            #expect(isPlain(outcome.errors))
        }
    }
}
