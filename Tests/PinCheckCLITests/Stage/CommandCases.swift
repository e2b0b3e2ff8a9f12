import PinCheckCLI
import Testing

/// A command line, how it ends, and what it prints: patterns that are found in its output and in its errors, an empty one where there
/// is nothing.
struct CommandCase: Sendable, CustomStringConvertible {
    let line: String
    let status: ExitStatus
    let output: String?
    let errors: String?

    /// A row; `nil` where the text is not looked at.
    init(_ line: String, _ status: ExitStatus, _ output: String?, errors: String? = "") {
        self.line = line
        self.status = status
        self.output = output
        self.errors = errors
    }

    var description: String { line }

    private static let verify = "verify $CHAIN --anchors $ROOT --host $HOST"

    static let all = [
        // What is accepted and what is not.
        CommandCase("\(verify) --pins $LEAF --pins $BACKUP", .pass, #"PASS  \S+ .*pin matched at depth 0"#),
        CommandCase("\(verify) --pins $BARE", .pass, "no backup"),
        CommandCase(
            "\(verify) --pins $JUNK", .fail, #"(?s)served:.*configured:.*FAIL .*no configured pin is on the chain"#),
        CommandCase(
            "\(verify) --pins $LEAF --pins $JUNK -f nagios", .pass, #"^PINCHECK OK - .*pins_matched=1;;;0;2\n$"#),
        CommandCase("\(verify) --pins $JUNK -f nagios", .fail, "^PINCHECK CRITICAL - "),
        CommandCase(
            "verify $DIR/elsewhere.pem --anchors $ROOT --host $HOST", .fail, "is not valid for api.example.com"),
        CommandCase("verify $CHAIN --host $HOST", .fail, "FAIL .*RootA", errors: nil),
        CommandCase("\(verify) --at 2028-01-01", .fail, "expired"),
        CommandCase("\(verify) --warn-before 400d --fail-on warn", .warn, "WARN ", errors: nil),
        CommandCase("\(verify) --fail-before 400d", .fail, "FAIL .*leaf", errors: nil),
        // Servers.
        CommandCase(
            "$HOST --connect $SERVER --anchors $ROOT", .pass, #"→ 127\.0\.0\.1(?s:.*)PASS  api\.example\.com:443"#),
        CommandCase("https://$SERVER/ --host $HOST --anchors $ROOT", .pass, "no SNI"),
        CommandCase("$SERVER --anchors $ROOT", .fail, #"not valid for 127\.0\.0\.1"#),
        CommandCase("$HOST --connect $REFUSED", .unreachable, "UNREACHABLE .*connection refused"),
        CommandCase("$HOST --connect $PLAIN", .unreachable, "does not speak TLS"),
        CommandCase("$HOST --connect $OLDTLS", .unreachable, #"--min-tls 1\.0"#),
        CommandCase("$HOST --connect $INTERCEPTED --anchors $ROOT --pins $LEAF", .fail, "FAIL .*RootB", errors: nil),
        CommandCase("diff $DIR/before.json $DIR/rekeyed.json", .changed, "rekeyed"),
        CommandCase("diff $DIR/before.json $DIR/before.json", .pass, "unchanged"),
        CommandCase("diff $DIR/before.json $DIR/rekeyed.json --allow rekeyed", .pass, "allowed"),
        // Mistakes.
        CommandCase("\(verify) --pins $DIR/short.txt", .data, "", errors: #"short\.txt:2: .*41 characters of base64"#),
        CommandCase("\(verify) --pins $DIR/none.txt", .noInput, "", errors: "there is no such file"),
        CommandCase("\(verify) --pins $DIR/private.key", .data, "", errors: "private key"),
        CommandCase("\(verify) --client afnetworkin", .usage, "", errors: "did you mean 'afnetworking'"),
        CommandCase("verfy $CHAIN", .usage, "", errors: "did you mean 'verify'|pincheck verify"),
        CommandCase("$HOST --timeout soon", .usage, "", errors: "soon"), CommandCase("", .usage, nil, errors: nil),
    ]
}

extension OnStage {
    @Suite(.endsSomeTime) struct CommandCaseTests {
        @Test(arguments: CommandCase.all) func aCommandLineEndsAndSaysWhatTheTableHas(row: CommandCase) async throws {
            let outcome = try await Stage.current.run(row.line)
            #expect(outcome.status == row.status, "\(outcome)")
            for (pattern, text) in [(row.output, outcome.output), (row.errors, outcome.errors)] {
                switch pattern {
                case nil: break
                case "": #expect(text.isEmpty)
                case let pattern?: #expect(try text.contains(Regex(pattern)), "\(pattern): \(text)")
                }
            }
            #expect(isPlain(outcome.output + outcome.errors))
        }
    }
}
