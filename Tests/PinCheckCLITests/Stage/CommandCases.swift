import PinCheckCLI
import Testing

/// A command line, how it ends, and what it prints: patterns that are found in its output and in its errors, an empty one where there
/// is nothing. What ``GoldenRun`` has is not here once more.
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
        CommandCase("\(verify) --pins $BARE", .pass, "no backup"),
        CommandCase("\(verify) --at 2028-01-01", .fail, "expired"),
        CommandCase("\(verify) --pins $BARE --fail-before 400d", .fail, "FAIL .*leaf", errors: nil),
        CommandCase("https://$SERVER/ --host $HOST --anchors $ROOT", .pass, "no SNI"),
        CommandCase("$SERVER --anchors $ROOT", .fail, #"not valid for 127\.0\.0\.1"#),
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
