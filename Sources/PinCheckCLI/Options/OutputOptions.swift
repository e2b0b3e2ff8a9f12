import ArgumentParser
import Base

/// How the result is shown.
///
/// Values are read as text: each type of its own costs the parser a search through the whole program at every start.
struct OutputOptions: ParsableArguments {
    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The form of the result (default: text).",
            discussion: "One of \(OutputForm.names). FORM=FILE writes it to a file. Repeatable.", valueName: "form"))
    var format: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The file for the form that names none.",
            discussion: "It is replaced as a whole; jsonl grows line by line.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(help: "Show every step of the decision, and pins in full.") var explain = false

    @Flag(
        name: .shortAndLong,
        help: ArgumentHelp("Write no result to standard output.", discussion: "Files are written all the same."))
    var quiet = false

    @Option(help: ColorOption.help) var color: String?
}

/// The option `--color`.
enum ColorOption {
    static let help = ArgumentHelp(
        "Colour the result: auto, always or never.",
        discussion: "The default is auto: on a terminal, unless NO_COLOR is set or TERM is dumb.", valueName: "when")

    /// What arguments that are not parsed yet seem to ask for.
    static func guess(_ arguments: [String]) -> TextStyle.Choice {
        for (index, argument) in arguments.enumerated().reversed() {
            let value =
                argument == "--color" && index + 1 < arguments.count
                ? arguments[index + 1][...] : argument.hasPrefix("--color=") ? argument.dropFirst("--color=".count) : ""
            if let choice = TextStyle.Choice(rawValue: String(value)) { return choice }
        }
        return .auto
    }

    /// Reads a value, `nil` for an option that is not given.
    static func read(_ text: String?) throws(CommandError) -> TextStyle.Choice {
        guard let text else { return .auto }
        guard let choice = TextStyle.Choice(rawValue: text) else {
            throw .unknown("--color \(quoted(text))", text, among: TextStyle.Choice.allCases.map(\.rawValue))
        }
        return choice
    }
}

/// The forms a result can be written in.
enum OutputForm: String, CaseIterable, Sendable {
    case text, json, jsonl, nagios, prometheus, junit, github

    // Asked for by every check, as part of the help that it does not print: without generics, which take ten times as long.
    static var names: String { allCases.dropFirst().reduce(allCases[0].rawValue) { $0 + ", " + $1.rawValue } }

    /// Whether a file of it is written line by line rather than as a whole at the end.
    var isWrittenAsItGrows: Bool { self == .jsonl }
}

/// What the output options say, read.
struct OutputSettings: Sendable {
    let outputs: [FormOutput<OutputForm>]
    let explains: Bool
    let isQuiet: Bool
    let color: TextStyle.Choice
    /// Whether a line at the terminal may say how far a run is.
    var showsProgress = true
    /// Whether only results that have changed are told.
    var tellsChangesAlone = false

    var usesStandardOutput: Bool { !isQuiet && outputs.contains { $0.file == nil } }

    /// What the exit codes of a run with these outputs mean.
    var exitConvention: ExitConvention {
        outputs.contains { $0.form == .nagios && $0.file == nil } ? .monitoring : .standard
    }

    /// Reads the options of a run in `context`.
    init(_ options: OutputOptions, in context: Context) throws(CommandError) {
        outputs = try FormOutput.read(
            options.format, default: .text, fileOfFirst: options.output, standardOutput: context.console.output.identity
        )
        explains = options.explain
        isQuiet = options.quiet
        color = try ColorOption.read(options.color)
    }
}
