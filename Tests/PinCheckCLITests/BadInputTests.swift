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

    // MARK: Arguments

    private static let long = String(repeating: "a", count: 1 << 20)

    /// What ``UsageTests`` has no row for.
    private static let arguments: [(words: [String], status: ExitStatus, sentence: String)] = [
        (["-"], .usage, "the target '-' is no host: a list on standard input is read with '--targets -'"),
        (["--"], .usage, "no target is given: name a host, as in 'pincheck api.example.com'"),
        (["--", "-"], .usage, "the target '-' is no host"), (["--=x"], .usage, "there is no option '--': "),
        (["=x"], .usage, "the host name '=x' holds '='"), (["-=x"], .usage, "there is no option '-=…': "),
        ([long], .usage, "has more than 253 characters"), (["--" + long], .usage, "'pincheck help check' lists those"),
        (["-" + long], .usage, "'pincheck help check' lists those"),
        (["host", "--sni", long], .usage, "has more than 253 characters"),
        (["host", "--host=" + long], .usage, "has more than 253 characters"),
        (["host", "--timeout", long], .usage, "is not a time in seconds from 0.001 to 86400, as in 2.5"),
        (["host", "--client", long], .usage, "is not known: choose from"),
        (["host", "--pins", long], .data, "a SHA-256 pin is 44 characters long, and this one is too long"),
        (["host", "--policy", "/" + long], .noInput, "…aaa"),
        (["host", "-f", long], .usage, "is unknown: choose from"),
        (["host", "--quiet=1"], .usage, "--quiet has no value: leave out '=1'"),
        (["host", "--no-sni="], .usage, "--no-sni has no value: leave out '='"),
        (["--help=1"], .usage, "--help has no value: leave out '=1'"),
        (["--version=1"], .usage, "--version has no value: leave out '=1'"),
        (["host", "-q=1"], .usage, "-q has no value: leave out '=1'"),
        (["host", "-4x"], .usage, "there is no option '-x': did you mean '--proxy'?"),
        (["host", "-q46"], .usage, "-4 and -6 contradict each other: give one of them"),
        (["host", "-qfjsno"], .usage, "--format 'jsno' is unknown: did you mean 'json'?"),
        (["host", "-fq"], .usage, "--format 'q' is unknown: choose from text"),
        (["host", "-qo"], .usage, "-o has no value: write '-o <file>'"),
        (["host", "--timeout", "--quiet"], .usage, "--timeout has no value: write '--timeout <seconds>'"),
        (["host", "--timeout", "-1"], .usage, "write '--timeout <seconds>' with a number from 0"),
        (["host", "-fjson", "-fjson"], .usage, "both go to standard output: write one of them as json=FILE"),
        (["host", "--proxy", "a", "--no-proxy"], .usage, "--proxy and --no-proxy contradict each other"),
        (["host", "--doh", "https://a/", "--httpdns", "tencent"], .usage, "--doh and --httpdns contradict each other"),
        (["host", "--policy="], .usage, "--policy '' is empty: write '--policy <file>'"),
        (["host", "--next", ""], .usage, "--next '' is empty: write '--next <file>'"),
        (["host", "--anchors", ""], .usage, "--anchors '' is empty: write '--anchors <file|dir>'"),
        (["host", "--state="], .usage, "--state '' is empty: write '--state <file>'"),
        (["host", "-o", ""], .usage, "-o '' is empty: write '--output <file>'"),
        (
            ["--targets", "-", "--policy", "-"], .usage,
            "standard input is asked for twice, by --targets and by --policy"
        ), (["--targets", "-", "--targets", "-"], .usage, "name a file for one of them"),
        (["host", "--ignore", "pirvate-root"], .usage, "is the id of no warning: did you mean 'private-root'?"),
        (["host", "--pins", ""], .data, "--pins: the value is empty; name a file, a directory or a pin"),
        (["host", "-uadmin:s3cr3t"], .usage, "there is no option '-u…': "),
        (["fetch", "-HAuthorization: s3cr3t"], .usage, "there is no option '-H…': did you mean '--header'?"),
        (["host", "--verify-name", "https://u:s3cr3t@h/"], .usage, "leave out everything up to the '@'"),
        (["host", "--client", "okhttp", "--client", "curl"], .usage, "--client is given twice: give all of it once"),
        (["host", "--expect-status", "2xx", "--expect-status", "404"], .usage, "--expect-status is given twice"),
        (["-f", "json", "check", "host"], .usage, "the command comes first: write 'pincheck check …'"),
        (["host", "--pins", "-4"], .usage, "--pins has no value: write '--pins <source>'"),
        (["host", "--proxy", "user:s3cr3t@a://b"], .usage, "--proxy: the proxy 'a://b' has the port ''"),
    ]

    @Test(arguments: arguments.indices) func anArgumentThatMakesNoSenseIsRefused(index: Int) async {
        let (words, status, sentence) = Self.arguments[index]
        let outcome = await pincheck(words)
        #expect(isRefused(outcome, status, sentence), "\(words.map { $0.prefix(40) }): \(outcome)")
        #expect(!outcome.errors.contains("s3cr3t"))
    }

    @Test(
        .enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"),
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

    // MARK: Policies

    private static func host(_ settings: String) -> String { "{hosts: {'a.example': {\(settings)}}}" }

    /// What ``PolicyCommandTests`` has no row for; its rows are of values that are wrong.
    private static let policies: [(text: String, status: ExitStatus, sentence: String)] = [
        ("", .noInput, "standard input: the policy is empty; name at least one host"),
        ("{hosts: {'a.example:1': {ports: [2]}}}", .data, ":1: the host names a port, and 'ports' stands beside it"),
        (" \n\t", .noInput, "the policy is empty; name at least one host"),
        ("// hosts\n", .data, "standard input:2: is not JSON: it ends too early"),
        ("{hosts: {}}", .noInput, "'hosts' has no host; name at least one"),
        ("{}", .data, "has no 'hosts'; list them as in hosts: {"), ("[]", .data, "the document is not a dictionary"),
        ("null", .data, "the document is not a dictionary"), ("{hosts: null}", .data, "'hosts' is not a dictionary"),
        ("{hosts: {'a.example': null}}", .data, "'hosts.a.example' is not a dictionary"),
        ("{hosts: {'': {}}}", .data, "the target '' is empty: name a host, as in 'api.example.com'"),
        ("{Hosts: {}}", .data, "did you mean 'hosts'?"), ("{hosts: {}, x: 1}", .data, "a policy has no key 'x'; "),
        (host("Pins: 'x'"), .data, "a host has no key 'Pins'; did you mean 'pins'?"),
        (host("\"\": 1"), .data, "a host has no key ''; known are "),
        (host("timeout: 1, timeout: 2"), .data, "the key 'timeout' is given twice, "),
        (host("sni: 'a', \"\\u0073ni\": 'b'"), .data, "the key 'sni' is given twice, "),
        ("{hosts: {}, hosts: {}}", .data, "the key 'hosts' is given twice, "),
        (String(repeating: "[", count: 5_000), .data, "has more than 40 levels, which are not read"),
        (host("pins: " + String(repeating: "{a: ", count: 5_000)), .data, "has more than 40 levels"),
        (host("timeout: Infinity"), .data, "'timeout': 'Infinity' is not a time in seconds from 0.001 to 86400"),
        (host("timeout: NaN"), .data, "is not a number above 0"),
        (host("timeout: -0x10"), .data, "is not a number above 0"),
        (host("timeout: 1e400"), .data, "'timeout': '1e400' is not a time in seconds"),
        (host("retries: 1e1"), .data, "is not a whole number from 0 to 100"),
        (host("retries: 99999999999999999999"), .data, "is not a whole number from 0 to 100"),
        (host("sni: 'unclosed"), .data, "is not JSON: a quotation mark is not closed"),
        (host("sni: 'a\nb'"), .data, "standard input:1: is not JSON: a quotation mark is not closed"),
        (host("sni: '\\ud800'"), .data, "is not JSON: '\\u' is followed by half of a character"),
        (host("sni: 'a\\u0000b'"), .data, "'hosts.a.example.sni' is not a text with something in it"),
        (host("") + " x", .data, "is not JSON: goes on after its end"), ("{,}", .data, "is not JSON: a key is missing"),
        ("/* {}", .data, "is not JSON: a comment is not closed"),
        ("a.example\n", .data, "is not JSON: a value is missing"),
        ("<plist/>", .data, "an Info.plist, a configuration or a certificate goes to --pins"),
    ]

    @Test(arguments: policies.indices) func aPolicyThatMakesNoSenseIsRefused(index: Int) async {
        let (text, status, sentence) = Self.policies[index]
        let outcome = await pincheck(["--policy", "-"], input: Array(text.utf8))
        #expect(isRefused(outcome, status, sentence), "\(text.prefix(80)): \(outcome)")
    }

    // MARK: Lists

    /// What ``TargetListTests`` has no row for.
    private static let lists: [(bytes: [UInt8], status: ExitStatus, sentence: String)] = [
        (Array("".utf8), .noInput, "the list of targets is empty: write one target a line"),
        (Array("\r\n\n\r# a".utf8), .noInput, "the list of targets is empty: write one target a line"),
        ([0xFF], .data, "standard input: a list of targets is text in UTF-8, and this is not: save it as UTF-8"),
        (Array("a.example".utf8) + [0xC3], .data, "save it as UTF-8"),
        ([0xFF, 0xFE, 0x61, 0x00], .data, "save it as UTF-8"),
        (Array("a.example\r\n\r\nx..y\r\n".utf8), .data, "standard input:3: the host name 'x..y' has an empty label"),
        (Array("a.example\rx..y".utf8), .data, "standard input:2: the host name 'x..y' has an empty label"),
        (Array("\n\rx..y".utf8), .data, "standard input:3: the host name 'x..y'"),
        (Array("\u{FEFF}x..y".utf8), .data, "standard input:1: the host name 'x..y'"),
        (Array("a.example\0".utf8), .data, "holds a space or a control character: remove it"),
        (Array("a.example 'sni=b\nc.example'".utf8), .data, "standard input:1: a quotation mark is not closed on this"),
        (Array("\"\"".utf8), .data, "the target '' is empty: name a host"),
        (Array("a.example pins=\"\"".utf8), .data, "'pins=' has no value: write pins=VALUE"),
        (Array("a.example no-sni no-sni".utf8), .data, "no-sni stands twice: write all of it once"),
        (Array("a.example no-sni=1".utf8), .data, "'no-sni=1' is not understood: did you mean 'no-sni'?"),
        (Array("a.example --sni=b".utf8), .data, "'--sni=b' is not understood: did you mean 'sni='?"),
        (Array("a.example,b.example".utf8), .data, "holds ',': give one host name"),
        (Array("-".utf8), .data, "standard input:1: the target '-' is no host"),
        (
            Array("a.example pins=/nonexistent".utf8), .noInput,
            "standard input:1: '/nonexistent': there is no such file"
        ),
    ]

    @Test(arguments: lists.indices) func aListThatMakesNoSenseIsRefused(index: Int) async {
        let (bytes, status, sentence) = Self.lists[index]
        let outcome = await pincheck(["--targets", "-"], input: bytes)
        #expect(isRefused(outcome, status, sentence), "\(String(decoding: bytes, as: UTF8.self)): \(outcome)")
    }

    @Test func theMistakeOfAMillionLinesIsFoundBeforeAnythingIsChecked() async {
        // Mostly comments, since a target takes long without an optimiser.
        let lines = "127.0.0.1:1\n" + String(repeating: "#\n", count: 39)
        let list = Array(String(repeating: lines, count: 25_000).utf8) + Array("x..y\n".utf8)
        let outcome = await pincheck(["--targets", "-"], input: list)
        #expect(isRefused(outcome, .data, "standard input:1000001: the host name 'x..y' has an empty label"))
    }

    @Test(.enabled(if: BuiltBinary.path != nil, "the pincheck binary is not beside the tests"))
    func aListIsReadFromAPipe() async throws {
        let outcome = try await BuiltBinary.run("$PINCHECK --targets <(printf '# a\\nx..y\\n')")
        #expect(outcome.status == 65 && outcome.errors.contains(":2: the host name 'x..y'"), "\(outcome)")
    }

    // MARK: Outputs

    /// Places that cannot be written; `DIR` is a directory with the file `chain.pem`.
    private static let places: [(path: String, sentence: String)] = [
        ("DIR", "it is a directory: name a file in it"), ("DIR/", "it is a directory: name a file in it"),
        ("DIR/missing/a", "missing': make it, or name another file"),
        ("DIR/chain.pem/a", "Not a directory: name another"), ("/dev/full", "No space left on device"),
    ]

    /// Command lines that write to `OUT`.
    private static let writers = [
        ["verify", "CHAIN", "-o", "OUT"], ["verify", "CHAIN", "-f", "json=OUT"],
        ["verify", "CHAIN", "-f", "jsonl=OUT"], ["verify", "CHAIN", "-f", "junit=OUT"],
        ["verify", "CHAIN", "-f", "prometheus=OUT"], ["lint", "CHAIN", "-f", "sarif=OUT"],
    ]

    @Test(arguments: places.indices, writers.indices) func anOutputThatCannotBeWrittenIsNoVerdict(
        place: Int, writer: Int
    ) async throws {
        try await TemporaryDirectory.scoped { files in
            let chain = try files.write(try StandardPKI.shared().leaf.pem, to: "chain.pem")
            let (path, sentence) = Self.places[place]
            guard path != "/dev/full" || FileManager.default.fileExists(atPath: path) else { return }
            let words = Self.writers[writer].map { word in
                word.replacing("CHAIN", with: chain).replacing("OUT", with: path).replacing("DIR", with: files.path)
            }
            let outcome = await pincheck(words)
            #expect(outcome.status == .inputOutput, "\(words): \(outcome)")
            #expect(
                outcome.errors.contains(sentence) && outcome.errors.contains("name a"), "\(words): \(outcome.errors)")
        }
    }

    @Test(arguments: [
        (["-f", "json=DIR/a", "-f", "junit=DIR/./a"], "write one of them as junit=FILE"),
        (["-f", "json=DIR/a", "-o", "DIR/b"], "is for no form: every --format names its own file"),
        (["-f", "json=DIR/a", "-f", "text", "-o", "DIR/a"], "both go to "),
        (["-f", "text", "-f", "junit=-"], "both go to standard output: write one of them as junit=FILE"),
    ]) func aFileIsOneOutput(words: [String], sentence: String) async throws {
        try await TemporaryDirectory.scoped { files in
            let words = words.map { $0.replacing("DIR", with: files.path) }
            try files.write("", to: "a")
            let outcome = await pincheck(["127.0.0.1:1"] + words)
            #expect(isRefused(outcome, .usage, sentence), "\(outcome)")
        }
    }
}
