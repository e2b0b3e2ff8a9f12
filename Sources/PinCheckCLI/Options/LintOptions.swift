import ArgumentParser
import Base
import PinChecking
import PinFormats
import PinLint
import Pinning

/// How pins are judged and what the findings lead to.
struct LintOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The mildest finding that fails (default: error).",
            discussion: """
                One of \(LintSettings.failLevels.joined(separator: ", ")). Such a finding ends with exit status 1.
                """, valueName: "severity")) var failOn: String?

    @Option(
        help: ArgumentHelp(
            "Leave out findings with this id.",
            discussion: "Several ids with commas. 'pincheck lint --rules' lists them. Repeatable.", valueName: "id"))
    var ignore: [String] = []

    @Option(
        help: ArgumentHelp(
            "Warn when less is left: 12h, 33% (default: 30d).",
            discussion: "Of a pinned certificate, or of pins that expire.", valueName: "time")) var warnBefore: String?

    @Option(
        help: ArgumentHelp(
            "Judge as of another time.", discussion: "2026-11-21, 2026-11-21T08:00:00Z or seconds since 1970.",
            valueName: "time")) var at: String?

    @Option(
        help: ArgumentHelp(
            "The clients that ship the pins.",
            discussion: """
                For certificates, keys and lists, which do not say so themselves. Several with commas.
                """, valueName: "name")) var client: String?

    @Flag(help: "List every kind of finding, and judge nothing.") var rules = false
}

/// How findings are written.
struct LintOutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The form of the findings (default: text).",
            discussion: """
                One of \(LintSettings.Form.allCases.map(\.rawValue).joined(separator: ", ")). FORM=FILE writes it to a \
                file. Repeatable.
                """, valueName: "form")) var format: [String] = []

    @Option(help: ColorOption.help) var color: String?
}

/// What the options of `lint` say, read.
struct LintSettings: Sendable {
    /// The forms findings are written in.
    enum Form: String, CaseIterable, Sendable { case text, json, github, sarif }

    /// The values of `--fail-on`.
    static let failLevels = LintSeverity.allCases.reversed().map(\.rawValue) + ["never"]

    /// The least bad finding that counts, `nil` when none does.
    let failOn: LintSeverity?
    let ignored: Set<String>
    let warnBefore: Threshold
    /// `nil` for now.
    let time: Timestamp?
    let clients: Set<String>
    let outputs: [FormOutput<Form>]
    let color: TextStyle.Choice

    init(_ options: LintOptions, _ output: LintOutputOptions, in context: Context) throws(CommandError) {
        failOn = try Self.severity(options.failOn)
        ignored = try Self.ignored(options.ignore)
        warnBefore = try Threshold.reading(options.warnBefore ?? "30d", of: "--warn-before")
        time = try options.at.map { (text) throws(CommandError) in try EvaluationOptions.time(text) }
        clients = try Self.clients(options.client)
        outputs = try FormOutput.read(output.format, default: .text, standardOutput: context.console.output.identity)
        color = try ColorOption.read(output.color)
    }

    private static func severity(_ text: String?) throws(CommandError) -> LintSeverity? {
        guard let text, text != "error" else { return .error }
        if text == "never" { return nil }
        // 'check' has the short word.
        guard let severity = text == "warn" ? .warning : LintSeverity(rawValue: text) else {
            throw .unknown("--fail-on \(quoted(text))", text, among: failLevels)
        }
        return severity
    }

    private static func ignored(_ texts: [String]) throws(CommandError) -> Set<String> {
        var ignored: Set<String> = []
        for id in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }) {
            guard let entry = LintKind.all.first(where: { $0.id == id }) else {
                let nearest = Suggestion.nearest(to: id, in: LintKind.all.map(\.id))
                throw .usage(
                    "--ignore \(quoted(id)) is unknown: "
                        + (nearest.map { "did you mean '\($0)'?" } ?? "'pincheck lint --rules' lists all findings"))
            }
            guard !entry.isObstacle else {
                throw .usage("--ignore \(quoted(id)) is refused: data with that cannot be used")
            }
            ignored.insert(id)
        }
        return ignored
    }

    private static func clients(_ text: String?) throws(CommandError) -> Set<String> {
        guard let text else { return [] }
        if text == "all" { return Set(ClientRegistry.entries.filter(\.isInAll).map(\.name)) }
        var names: Set<String> = []
        for name in text.split(separator: ",", omittingEmptySubsequences: false) {
            do { names.insert(try ClientRegistry.entry(named: String(name)).name) } catch { throw CommandError(error) }
        }
        return names
    }
}
