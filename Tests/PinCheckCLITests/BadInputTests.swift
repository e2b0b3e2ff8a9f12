import Foundation
import LoopbackLab
import PinCheckCLI
import Testing

/// Input of every kind that makes no sense: the exact status, and one sentence with the remedy.
@Suite(.endsSomeTime) struct BadInputTests {
    /// Whether an outcome is a refusal in one plain, short line that holds `sentence`.
    private func isRefused(_ outcome: Outcome, _ status: ExitStatus, _ sentence: String) -> Bool {
        outcome.status == status && outcome.output.isEmpty && outcome.errors.hasPrefix("Error: ")
            && outcome.errors.count(where: \.isNewline) == 1 && outcome.errors.utf8.count < 1_100
            && isPlain(outcome.errors) && outcome.errors.contains(sentence)
    }

    @Test(
        .hasBuiltBinary,
        arguments: [
            (#"$(printf '\xff')"#, 64, "is not ASCII: write it with its xn-- labels"),
            (#"host --sni=$(printf '\xff')"#, 64, "--sni: the host name '\u{FFFD}' is not ASCII"),
            (#"host --sni $(printf 'a\xe2\x28\xa1')"#, 64, "is not ASCII"),
            (#"--$(printf '\xff\xfe')"#, 64, "there is no option '--\u{FFFD}\u{FFFD}': "),
            (#"-$(printf '\xff')"#, 64, "there is no option '-\u{FFFD}': "),
            (#"host -f$(printf '\xff')"#, 64, "--format '\u{FFFD}' is unknown: choose from text"),
            (#"host --client $(printf '\xc3')"#, 64, "is not known: choose from"),
            (#"host --timeout $(printf '1\xff')"#, 64, "is not a time in seconds"),
            (#"host --pins /nonexistent/$(printf '\xff')"#, 66, "there is no such file, and it is not a pin either"),
            (#"verify /nonexistent/$(printf '\xff')"#, 66, "there is no such file"),
        ] as [(String, Int32, String)]) func anArgumentThatIsNotUTF8IsRefused(
            words: String, status: Int32, sentence: String
        ) async throws
    {
        let outcome = try await BuiltBinary.run("$PINCHECK \(words)")
        #expect(outcome.status == status && outcome.output.isEmpty && outcome.errors.contains(sentence), "\(outcome)")
        #expect(outcome.errors.count(where: \.isNewline) == 1)
    }

    @Test func theMistakeOfAMillionLinesIsFoundBeforeAnythingIsChecked() async {
        // Mostly comments, since a target takes long without an optimiser.
        let lines = "127.0.0.1:1\n" + String(repeating: "#\n", count: 39)
        let list = Array(String(repeating: lines, count: 25_000).utf8) + Array("x..y\n".utf8)
        let outcome = await pincheck(["--targets", "-"], input: list)
        #expect(isRefused(outcome, .data, "standard input:1000001: the host name 'x..y' has an empty label"))
    }

    @Test(.hasBuiltBinary) func aListIsReadFromAPipe() async throws {
        let outcome = try await BuiltBinary.run("$PINCHECK --targets <(printf '# a\\nx..y\\n')")
        #expect(outcome.status == 65 && outcome.errors.contains(":2: the host name 'x..y'"), "\(outcome)")
    }

    /// Places that cannot be written.
    private static let places: [(path: String, sentence: String)] = [
        ("$DIR", "it is a directory: name a file in it"), ("$DIR/", "it is a directory: name a file in it"),
        ("$DIR/missing/a", "missing': make it, or name another file"),
        ("$DIR/chain.pem/a", "Not a directory: name another"), ("/dev/full", "No space left on device"),
    ]

    @Test(
        arguments: places.map(\.path),
        [
            "verify @chain.pem -o ", "verify @chain.pem -f json=", "verify @chain.pem -f jsonl=",
            "verify @chain.pem -f junit=", "verify @chain.pem -f prometheus=", "lint @chain.pem -f sarif=",
        ]) func unwritableIsNoVerdict(path: String, line: String) async throws
    {
        let sentence = try #require(Self.places.first { $0.path == path }).sentence
        guard path != "/dev/full" || FileManager.default.fileExists(atPath: path) else { return }
        try await Desk().expect(line + path, "inputOutput: \(sentence) … name a")
    }

    @Test(arguments: [
        ("-f json=@a -f junit=@./a", "write one of them as junit=FILE"),
        ("-f json=@a -o @b", "is for no form: every --format names its own file"),
        ("-f json=@a -f text -o @a", "both go to "),
        ("-f text -f junit=-", "both go to standard output: write one of them as junit=FILE"),
    ]) func aFileIsOneOutput(line: String, sentence: String) async throws {
        let outcome = try await desk("127.0.0.1:1 " + line, ["a": ""])
        #expect(isRefused(outcome, .usage, sentence), "\(outcome)")
    }
}
