import Base
import PinChecking
import PinFormats
import PinLint
import Pinning

/// How pins are judged before they ship, and what the findings lead to.
extension OptionGroup {
    static let lint = OptionGroup(
        title: "Judging",
        options: [
            Option(
                "--fail-on", of: "severity", .words(Option.Words(.one) { failLevels }),
                help: "The mildest finding that fails (default: error).",
                "One of \(failLevels.joined(separator: ", ")). Such a finding ends with exit status 1."
            ) {
                guard failLevels.contains($1.text) || $1.text == "warn" else {
                    throw CommandError.unknown($1.text, among: failLevels)
                }
                // 'check' has the short word.
                $0.lint.failOn = $1.text == "warn" ? .warning : LintSeverity(rawValue: $1.text)
            },
            Option(
                "--ignore", of: "id", .words(findings), help: "Leave out findings with this id.",
                "Several ids with commas. 'pincheck lint --rules' lists them. Repeatable.", isRepeatable: true
            ) { settings, value in
                for id in words(value.text) {
                    guard let kind = LintKind.all.first(where: { $0.id == id }) else {
                        let nearest = Suggestion.nearest(to: id, in: LintKind.all.map(\.id))
                        throw CommandError.usage(
                            "\(quoted(id)) is unknown: "
                                + (nearest.map { "did you mean '\($0)'?" }
                                    ?? "'pincheck lint --rules' lists all findings"))
                    }
                    guard !kind.isObstacle else {
                        throw CommandError.usage("\(quoted(id)) is refused: data with that cannot be used")
                    }
                    settings.lint.ignored.insert(id)
                }
            },
            Option(
                "--warn-before", of: "time", .threshold, help: "Warn when less is left: 12h, 33% (default: 30d).",
                "Of a pinned certificate, or of pins that expire."
            ) { $0.lint.warnBefore = try Threshold($1.text) }, at,
            Option(
                "--client", of: "name", .words(Option.Words(kind: .list, all: { clientNames + [all] })),
                help: "The clients that ship the pins.",
                "For certificates, keys and lists, which do not say so themselves. Several with commas."
            ) {
                try GoneWords.refuse(clients: $1.text)
                let names = $1.text == "all" ? Client.all.filter(\.isInAll).map(\.name) : words($1.text)
                $0.lint.clients = Set(try names.map { try Client.named($0).name })
            },
            Option("--rules", help: "List every kind of finding, and judge nothing.") { settings, _ in
                settings.lint.listsRules = true
            },
        ])

    static let lintOutput = OptionGroup(
        title: "Output",
        options: [
            Option(
                "--format", "-f", of: "form", .words(Option.Words(.form) { LintForm.allCases.map(\.rawValue) }),
                help: "The form of the findings (default: text).",
                "One of \(LintForm.allCases.map(\.rawValue).joined(separator: ", ")). FORM=FILE writes it to a file. Repeatable.",
                isRepeatable: true
            ) { $0.formats.append($1.text) }, .color,
        ])

    /// The values of `--fail-on`.
    private static let failLevels = LintSeverity.allCases.reversed().map(\.rawValue) + ["never"]

    private static let findings = Option.Words(
        kind: .list,
        all: { LintKind.all.filter { !$0.isObstacle }.map { Option.Words.Word(text: $0.id, meaning: $0.explanation) } })
}

/// The forms findings are written in.
enum LintForm: String, CaseIterable, Sendable { case text, json, github, junit, sarif }
